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

// Options configure access to the page.
type Options struct {
	// Hosts are the accepted values of the Host header, in addition to localhost and IP addresses.
	Hosts []string

	// Token, if not empty, must be sent with each request (except for the page itself), as
	// "Authorization: Bearer …". If Token is set, requests from other machines are also accepted.
	Token string
}

// Node is the part of [cluster.Node] that the page reads.
type Node interface {
	Zones() []cluster.ZoneInfo
	Nodes() []string
	Moves() []cluster.Change
	Info() cluster.NodeInfo
	Look(ctx context.Context) ([]cluster.NodeInfo, error)
}

// Limits of the page and of its queries.
const (
	mostZones = 2000
	mostNodes = 200
	mostMoves = 100
	// a view is served for this time before the nodes are queried again
	fresh    = 500 * time.Millisecond
	patience = 300 * time.Millisecond // timeout of a query to the other nodes
)

// Handler returns a handler that serves the page. It may be mounted at any path, and any number of
// goroutines may use it.
func Handler(node Node, o Options) http.Handler {
	return &handler{node: node, opts: o}
}

type handler struct {
	node Node
	opts Options

	mu   sync.Mutex // held during a query so that all readers share one view
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
		// an error means that the client has disconnected
		_, _ = w.Write(h.currentView(r.Context()))
	case r.URL.RawQuery == "metrics":
		head.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(metrics(h.node))
	default:
		http.Error(w, "no such query", http.StatusNotFound)
	}
}

// admit returns 0 if the request is admitted, and otherwise the status and the reason of the
// rejection.
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
		return http.StatusForbidden, "only clients on this machine are admitted: Options.Token is not set"
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, "only GET and HEAD are allowed"
	case r.URL.RawQuery == "":
		return 0, "" // the page itself contains no data
	case site != "" && site != "same-origin" && site != "none":
		return http.StatusForbidden, "requests from other sites are rejected"
	case h.opts.Token != "" && !known:
		return http.StatusUnauthorized, "the token is missing or wrong"
	}
	return 0, ""
}

// currentView returns the current view as JSON, which all readers share.
func (h *handler) currentView(ctx context.Context) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.view == nil || time.Since(h.at) > fresh {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		replies, err := h.node.Look(ctx)
		cancel()
		v := viewOf(h.node, replies, err)
		h.view, _ = json.Marshal(v) // cannot fail: the view has only strings, booleans and finite numbers
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

// page is the complete page, with @nonce@ as the placeholder of the nonce.
var page = strings.NewReplacer("@style@", style, "@script@", script).Replace(html)

func servePage(w http.ResponseWriter) {
	nonce := rand.Text()
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+
		"'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(strings.ReplaceAll(page, "@nonce@", nonce))) // an error means that the client has disconnected
}
