package inspect

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bufftick/bufftick/cluster"
)

// Options say who may look.
type Options struct {
	// Hosts are the names by which the page may be asked for, beside localhost and IP addresses.
	Hosts []string

	// Token, if not empty, is what each request must bring, as "Authorization: Bearer …". With it a request may come
	// from another machine.
	Token string
}

// Node is what is shown: a *cluster.Node.
type Node interface {
	Zones() []cluster.ZoneInfo
	Nodes() []string
	Moves() []cluster.Change
	Info() cluster.NodeInfo
	Look(ctx context.Context) ([]cluster.NodeInfo, error)
}

// Bounds of what is shown, and of asking.
const (
	mostZones = 2000
	mostNodes = 200
	mostMoves = 100
	fresh     = 500 * time.Millisecond // a view is shown for so long
	patience  = 300 * time.Millisecond // that nodes have to answer
)

// Handler returns the page of a node. It may be mounted wherever, and serves any number of readers.
func Handler(node Node, o Options) http.Handler {
	return &handler{node: node, opts: o}
}

type handler struct {
	node Node
	opts Options

	mu   sync.Mutex // one asks, and all share what comes
	at   time.Time
	view []byte
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cache-Control", "no-store")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	switch status, why := h.admit(r); {
	case status == http.StatusMethodNotAllowed:
		head.Set("Allow", "GET, HEAD")
		http.Error(w, why, status)
	case status != 0:
		http.Error(w, why, status)
	case r.URL.RawQuery == "":
		servePage(w)
	case r.URL.RawQuery == "view":
		head.Set("Content-Type", "application/json")
		_, _ = w.Write(h.look(r.Context())) // whoever has left does not mind
	case r.URL.RawQuery == "metrics":
		head.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(metrics(h.node))
	default:
		http.Error(w, "no such query", http.StatusNotFound)
	}
}

// admit returns why a request is not served: 0 if it is.
func (h *handler) admit(r *http.Request) (status int, why string) {
	name := strings.ToLower((&url.URL{Host: r.Host}).Hostname())
	if _, err := netip.ParseAddr(name); err != nil && name != "localhost" && !slices.Contains(h.opts.Hosts, name) {
		return http.StatusForbidden, "this host name is not in Options.Hosts"
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	local := err == nil && from.Addr().Unmap().IsLoopback()
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	known := h.opts.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(h.opts.Token)) == 1
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case h.opts.Token == "" && !local:
		return http.StatusForbidden, "the page is for this machine only: there is no Options.Token"
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, "only GET and HEAD"
	case r.URL.RawQuery == "":
		return 0, "" // the page itself tells nothing
	case site != "" && site != "same-origin" && site != "none":
		return http.StatusForbidden, "not for other sites"
	case h.opts.Token != "" && !known:
		return http.StatusUnauthorized, "the token is missing or wrong"
	}
	return 0, ""
}

// look returns the present view, which all readers share.
func (h *handler) look(ctx context.Context) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.view == nil || time.Since(h.at) > fresh {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		said, err := h.node.Look(ctx)
		cancel()
		v := viewOf(h.node, said, err)
		h.view, _ = json.Marshal(v) // it has nothing that cannot be
		h.at = time.Now()
	}
	return h.view
}

//go:embed page/index.html
var html string

//go:embed page/style.css
var style string

//go:embed page/main.js
var script string

// page has @nonce@ where a nonce belongs.
var page = strings.NewReplacer("@style@", style, "@script@", script).Replace(html)

func servePage(w http.ResponseWriter) {
	nonce := rand.Text()
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+
		"'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(strings.ReplaceAll(page, "@nonce@", nonce))) // whoever has left does not mind
}
