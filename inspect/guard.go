package inspect

import (
	"crypto/subtle"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Limits of a request.
const (
	maxQuery  = 1 << 10
	maxSearch = 256
	maxBody   = 64 << 10
	maxAnswer = 1 << 20
	maxEvent  = 256 << 10
)

// refusal is the reason why a request is not served.
type refusal struct {
	status int
	why    string
}

// ServeHTTP serves the page and its data; see the package documentation.
func (in *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := withDeadlines(w)
	defer p.deadline() // for the writes of the server after the handler returns
	w = p
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cache-Control", "no-store")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	query, no := in.admit(r)
	if no != nil {
		refuse(w, *no)
		return
	}
	in.route(w, r, query)
}

func (in *Inspector) route(w http.ResponseWriter, r *http.Request, query url.Values) {
	switch {
	case len(query) == 0:
		in.servePage(w)
	case query.Has("worker"):
		serveWorker(w)
	case query.Has("act") && r.Method == http.MethodPost:
		in.act(w, r)
	case query.Has("act"):
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, refusal{http.StatusMethodNotAllowed, "actions require POST"})
	case query.Has("stream"):
		in.stream(w, r, query)
	case query.Has("snapshot"):
		in.serveView(w, r)
	case query.Has("complete"):
		in.serveCompletions(w, r, query)
	case query.Has("player"):
		in.servePlayer(w, r, query)
	case query.Has("history"):
		in.serveHistory(w, r, query)
	case query.Has("scenario"):
		in.serveScenario(w, r, query)
	case query.Has("search"):
		in.serveSearch(w, r, query)
	case query.Has("holders"):
		in.serveHolders(w, r, query)
	case query.Has("incidents"):
		in.serveIncidents(w, query)
	case query.Has("catalog"):
		in.serveCatalog(w, query.Get("from"))
	default:
		refuse(w, refusal{http.StatusNotFound, "unknown query"})
	}
}

// admit makes all checks that do not depend on the route, and parses the query.
func (in *Inspector) admit(r *http.Request) (url.Values, *refusal) {
	if !in.knows(r.Host) {
		return nil, &refusal{http.StatusForbidden, "this host name is not in Options.Hosts"}
	}
	if !in.opts.Remote && !isLocal(r.RemoteAddr) {
		return nil, &refusal{http.StatusForbidden, "only clients on this machine are allowed"}
	}
	if len(r.URL.RawQuery) > maxQuery {
		return nil, &refusal{http.StatusRequestURITooLong, "the query is too long"}
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, &refusal{http.StatusBadRequest, "invalid query"}
	}
	posts, trusted := r.Method == http.MethodPost && query.Has("act"), in.trusts(r)
	if !reads(r) && !posts {
		return nil, &refusal{http.StatusMethodNotAllowed, "only GET and HEAD are allowed"}
	}
	if len(query) == 0 {
		return query, nil // the page itself contains no data
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return nil, &refusal{http.StatusForbidden, "requests from other sites are refused"}
	}
	if err := in.cross.Check(r); err != nil {
		return nil, &refusal{http.StatusForbidden, "requests from other sites are refused"}
	}
	switch {
	case posts && in.opts.Token == "":
		return nil, &refusal{http.StatusForbidden, "actions require Options.Token"}
	case query.Has("worker") && len(query) == 1 && !posts: // needs no token, because the script contains no game data
	case (posts || in.opts.Remote) && !trusted:
		return nil, &refusal{http.StatusUnauthorized, "the token is missing or wrong"}
	}
	return query, nil
}

// reads reports whether a request only reads. The server omits the body of a response to HEAD.
func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// knows reports whether the value of a Host header is allowed. All IP addresses are allowed,
// because a DNS rebinding attack needs a host name.
func (in *Inspector) knows(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return in.hosts[strings.ToLower(strings.TrimSuffix(name, "."))]
}

// isLocal reports whether the client is on this machine.
func isLocal(remote string) bool {
	at, err := netip.ParseAddrPort(remote)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// trusts reports whether a request has the token. If so, it also marks the request's connection
// as trusted, see [NewServer].
func (in *Inspector) trusts(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || in.opts.Token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(in.opts.Token)) != 1 {
		return false
	}
	trustConn(r)
	return true
}

// refuse responds with one line of text and closes the connection.
func refuse(w http.ResponseWriter, no refusal) {
	if no.status == http.StatusMethodNotAllowed && w.Header().Get("Allow") == "" {
		w.Header().Set("Allow", "GET, HEAD")
	}
	w.Header().Set("Connection", "close")
	http.Error(w, no.why, no.status)
}
