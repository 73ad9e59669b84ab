package inspect

import (
	"net/http"
	"net/url"
	"strings"
)

// Guard returns a handler that lets through to h the requests that this Inspector would
// answer: from this machine, unless Options.Remote says otherwise, under a Host that it
// knows, by GET or HEAD, and not those that another site makes a browser send, a WebSocket
// of one among them. With Options.Remote a request must bring the token. It is for what else
// is for the operator alone and has the same address: metrics, profiles. Each write of h must be
// taken within 5 s.
func (in *Inspector) Guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := patiently(w)
		defer p.deadline()
		w = p
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Content-Security-Policy", "frame-ancestors 'none'")
		if no := in.admitBeside(r); no != nil {
			refuse(w, *no)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func (in *Inspector) admitBeside(r *http.Request) *refusal {
	trusted := in.trusts(r)
	switch {
	case !in.knows(r.Host):
		return &refusal{http.StatusForbidden, "this host name is not in Options.Hosts"}
	case !in.opts.Remote && !isLocal(r.RemoteAddr):
		return &refusal{http.StatusForbidden, "this is for this machine only"}
	case !reads(r):
		return &refusal{http.StatusMethodNotAllowed, "only GET and HEAD"}
	case !fromHere(r):
		return &refusal{http.StatusForbidden, "not for other sites"}
	case in.opts.Remote && !trusted:
		return &refusal{http.StatusUnauthorized, "the token is missing or wrong"}
	}
	return nil
}

// fromHere reports whether no other site has made a browser send the request. Browsers tell
// where the request for a WebSocket comes from by Origin alone.
func fromHere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}
