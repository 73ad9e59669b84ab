// Package web serves package studio to a browser on the same machine: the page, and its calls.
//
// A client of the server can write files. So the server accepts only clients, host
// names and origins of this machine, and calls need the token, which is in the link that the
// program prints. No name of a file leads out of the folder.
package web

import (
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/bufftick/bufftick/cmd/bufftick/studio"
)

//go:embed page
var embedded embed.FS

// Page returns the files of the page.
func Page() fs.FS {
	page, err := fs.Sub(embedded, "page")
	if err != nil {
		panic("studio: " + err.Error()) // the folder is embedded
	}
	return page
}

// maxRequest bounds a request, which contains all edited files.
const maxRequest = 16 << 20

// Server is the handler of the page.
type Server struct {
	Token string // for the header of calls, and the fragment of the page's address

	dir    string
	studio *studio.Studio
	page   http.Handler
	game   *game // nil without a running game
}

// NewServer returns a server for a folder. It reads and checks all files, so that the first check of
// the page is as fast as later ones.
func NewServer(dir string) (*Server, error) {
	dir, err := filepath.Abs(dir) // the page keeps unsaved texts by folder
	if err != nil {
		return nil, err
	}
	d, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	s := &Server{Token: rand.Text(), dir: dir, studio: studio.New(d), page: http.FileServerFS(Page())}
	if err := s.studio.Warm(); err != nil {
		return nil, err
	}
	return s, nil
}

// policy is the Content-Security-Policy of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cache-Control", "no-store")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Content-Security-Policy", policy)
	method, isCall := strings.CutPrefix(r.URL.Path, "/api/")
	switch {
	case !isLocal(r):
		http.Error(w, "only pages of this machine are allowed", http.StatusForbidden)
	case isCall:
		s.call(w, r, method)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "only GET and HEAD are allowed", http.StatusMethodNotAllowed)
	default:
		s.page.ServeHTTP(w, r)
	}
}

// isLocal reports whether a request is from this machine, with a host name of this machine (other
// names may be a DNS rebinding attack), and from a page of this server.
func isLocal(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return false
	}
	host := (&url.URL{Host: r.Host}).Hostname()
	ip, err := netip.ParseAddr(host)
	if host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return false
	}
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	return (origin == "" || origin == "http://"+r.Host) && (site == "" || site == "same-origin" || site == "none")
}

// call answers a call with JSON: the result, or {"error": text}.
func (s *Server) call(w http.ResponseWriter, r *http.Request, method string) {
	token := r.Header.Get("X-Studio-Token")
	switch {
	case r.Method != http.MethodPost:
		answer(w, http.StatusMethodNotAllowed, problem{"only POST is allowed"})
		return
	case subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) != 1:
		answer(w, http.StatusUnauthorized, problem{"This page does not have the token. Open the link that bufftick studio has printed."})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		answer(w, http.StatusRequestEntityTooLarge, problem{"the edited files are too large"})
		return
	}
	var result any
	switch method {
	case "about":
		result = about{s.dir, s.game != nil}
	case "game":
		result, err = s.game.call(r.Context(), body)
	default:
		result, err = s.studio.Call(r.Context(), method, body)
	}
	switch {
	case errors.Is(err, studio.ErrChanged):
		answer(w, http.StatusConflict, problem{err.Error()})
	case err != nil:
		answer(w, http.StatusUnprocessableEntity, problem{err.Error()})
	default:
		answer(w, http.StatusOK, result)
	}
}

type problem struct {
	Error string `json:"error"`
}

// about describes the server to the page.
type about struct {
	Dir  string `json:"dir"`
	Game bool   `json:"game"`
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client may have left
}
