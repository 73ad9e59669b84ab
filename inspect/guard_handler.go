package inspect

import (
	"net/http"
	"net/url"
	"strings"
)

// Guard returns a handler that passes to h only the requests that this Inspector would serve. The
// client must be on this machine unless Options.Remote is set, the Host must be allowed, and the
// method must be GET or HEAD. No other site may have sent the request, which also applies to
// WebSockets. If Options.Remote is set, the request must have the token.
//
// Use Guard for other handlers that only operators may see, such as metrics and profiles. The
// client must accept each write by h within 5 s.
func (in *Inspector) Guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := withDeadlines(w)
		defer p.deadline()
		w = p
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Content-Security-Policy", "frame-ancestors 'none'")
		if no := in.admitGuarded(r); no != nil {
			refuse(w, *no)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func (in *Inspector) admitGuarded(r *http.Request) *refusal {
	trusted := in.trusts(r)
	switch {
	case !in.knows(r.Host):
		return &refusal{http.StatusForbidden, "this host name is not in Options.Hosts"}
	case !in.opts.Remote && !isLocal(r.RemoteAddr):
		return &refusal{http.StatusForbidden, "only clients on this machine are allowed"}
	case !reads(r):
		return &refusal{http.StatusMethodNotAllowed, "only GET and HEAD are allowed"}
	case !sameSite(r):
		return &refusal{http.StatusForbidden, "requests from other sites are refused"}
	case in.opts.Remote && !trusted:
		return &refusal{http.StatusUnauthorized, "the token is missing or wrong"}
	}
	return nil
}

// sameSite returns false if another site caused the request. For a WebSocket, browsers send only
// Origin and not Sec-Fetch-Site.
func sameSite(r *http.Request) bool {
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
