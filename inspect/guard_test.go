package inspect_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
)

// TestGuard checks which requests are allowed.
func TestGuard(t *testing.T) {
	g := newGame(t, inspect.Options{Token: token, Hosts: []string{"Game.example"}})
	auth, kind := "Authorization: Bearer "+token, "Content-Type: application/json"
	const pause = `{"act":"pause","player":"7"}`
	for _, c := range []struct {
		name, method, query, body string
		headers                   []string
		want                      int
	}{
		{"the page", "GET", "", "", nil, 200},
		{"by its name", "GET", "?snapshot", "", []string{"Host: game.example:6060"}, 200},
		{"by localhost", "GET", "?snapshot", "", []string{"Host: LOCALHOST.:80"}, 200},
		{"by address", "GET", "?snapshot", "", []string{"Host: [::1]:6060"}, 200},
		{"rebound", "GET", "", "", []string{"Host: evil.example"}, 403},
		{"rebound, with a port", "GET", "?snapshot", "", []string{"Host: evil.example:80"}, 403},
		{"rebound to look local", "GET", "?stream", "", []string{"Host: localhost.evil.example"}, 403},
		{"rebound to look like an address", "GET", "?stream", "", []string{"Host: 127.0.0.1.evil.example"}, 403},
		{"rebound, with the token", "POST", "?act", pause, []string{"Host: evil.example", auth, kind}, 403},
		{"read by another site", "GET", "?snapshot", "", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"read by a neighbour", "GET", "?stream", "", []string{"Sec-Fetch-Site: same-site"}, 403},
		{"linked from another site", "GET", "", "", []string{"Sec-Fetch-Site: cross-site"}, 200},
		{"post without a token", "POST", "?act", pause, []string{kind}, 401},
		{"post with a wrong one", "POST", "?act", pause, []string{kind, auth + "x"}, 401},
		{"post with half of it", "POST", "?act", pause, []string{kind, auth[:len(auth)-1]}, 401},
		{"post from another site", "POST", "?act", pause, []string{kind, auth, "Sec-Fetch-Site: cross-site"}, 403},
		{"post from an old browser", "POST", "?act", pause, []string{kind, auth, "Origin: https://evil.example"}, 403},
		{"post of a form", "POST", "?act", pause, []string{auth, "Content-Type: text/plain"}, 415},
		{"post to a reading", "POST", "?snapshot", "", []string{auth}, 405},
		{"an action by GET", "GET", "?act", "", []string{auth}, 405},
		{"an action by HEAD", "HEAD", "?act", "", []string{auth}, 405},
		{"HEAD, rebound", "HEAD", "", "", []string{"Host: evil.example"}, 403},
		{"HEAD from another site", "HEAD", "?snapshot", "", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"DELETE", "DELETE", "?player=7", "", []string{auth}, 405},
		{"a long query", "GET", "?search=" + strings.Repeat("x", 2000), "", nil, 414},
		{"a long search", "GET", "?search=" + strings.Repeat("x", 257), "", nil, 400},
		{"an empty search", "GET", "?search=", "", nil, 400},
		{"a long id", "GET", "?player=" + strings.Repeat("1", 21), "", nil, 400},
		{"an id above all", "GET", "?player=18446744073709551616", "", nil, 400},
		{"a negative id", "GET", "?player=-1", "", nil, 400},
		{"a stream of no id", "GET", "?stream&player=x", "", nil, 400},
		{"a place that is none", "GET", "?player=7&from=-1", "", nil, 400},
		{"a place beyond the end", "GET", "?catalog&from=99", "", nil, 400},
		{"no such thing", "GET", "?secrets", "", nil, 404},
		{"a broken query", "GET", "?a=%zz", "", nil, 400},
		{"a long action", "POST", "?act", `{"act":"` + strings.Repeat("x", 70<<10) + `"}`, []string{auth, kind}, 413},
		{"no such action", "POST", "?act", `{"act":"explode"}`, []string{auth, kind}, 400},
		{"no action", "POST", "?act", `pause`, []string{auth, kind}, 400},
		{"no handle", "POST", "?act", `{"act":"remove","handle":"x"}`, []string{auth, kind}, 400},
		{"no reload", "POST", "?act", `{"act":"reload"}`, []string{auth, kind}, 404},
		{"an action", "POST", "?act", pause, []string{auth, kind, "Sec-Fetch-Site: same-origin"}, 202},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := g.request(c.method, c.query, c.body, c.headers...)
			require.Equal(t, c.want, resp.StatusCode)
			require.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"))
			require.Contains(t, resp.Header.Get("Content-Security-Policy"), "default-src 'none'")
			require.Contains(t, resp.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
			require.Empty(t, resp.Header.Get("Access-Control-Allow-Origin"))
		})
	}
}

// TestHead checks that a response to HEAD has the status and the header of GET, and no body. HEAD
// does not start a stream.
func TestHead(t *testing.T) {
	g := newGame(t, inspect.Options{})
	for _, query := range []string{"", "?snapshot", "?player=7", "?catalog", "?search=7", "?incidents", "?stream", "?stream&player=7", "?stream&player=x", "?nothing"} {
		t.Run(query, func(t *testing.T) {
			get, head := g.request("GET", query, ""), g.request("HEAD", query, "")
			require.Equal(t, get.StatusCode, head.StatusCode)
			for _, name := range []string{"Content-Type", "Cache-Control", "X-Accel-Buffering", "X-Content-Type-Options", "Referrer-Policy"} {
				require.Equal(t, get.Header.Get(name), head.Header.Get(name), name)
			}
			body, err := io.ReadAll(head.Body)
			require.NoError(t, err)
			require.Empty(t, body)
			get.Body.Close()
		})
	}
	resp := g.request("PUT", "", "")
	require.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
	require.Equal(t, "GET, HEAD", resp.Header.Get("Allow"))
}

// TestStreamIsNotBuffered checks that a stream has headers that forbid proxies to buffer or
// change it.
func TestStreamIsNotBuffered(t *testing.T) {
	g := newGame(t, inspect.Options{})
	resp := g.request("GET", "?stream", "")
	require.Equal(t, "no", resp.Header.Get("X-Accel-Buffering"), "nginx")
	require.Equal(t, "no-store, no-transform", resp.Header.Get("Cache-Control"))
	require.Equal(t, "no-store", g.request("GET", "?snapshot", "").Header.Get("Cache-Control"))
}

// TestNoToken checks that there are no actions if Options.Token is empty.
func TestNoToken(t *testing.T) {
	g := newGame(t, inspect.Options{})
	resp := g.request("POST", "?act", `{"act":"pause","player":"7"}`, "Content-Type: application/json", "Authorization: Bearer ")
	require.Equal(t, http.StatusForbidden, resp.StatusCode)
}

// TestRemote checks that clients on other machines are served only with Options.Remote, and only
// with the token.
func TestRemote(t *testing.T) {
	ask := func(o inspect.Options, from, query, auth string) int {
		page, err := inspect.New(newGame(t, inspect.Options{}).eng, o)
		require.NoError(t, err)
		r := httptest.NewRequest("GET", "http://10.0.0.5:6060/debug/buffs"+query, nil)
		r.RemoteAddr = from
		r.Header.Set("Authorization", auth)
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w.Code
	}
	for _, from := range []string{"10.0.0.9:4711", "[2001:db8::1]:4711", "", "@"} {
		require.Equal(t, 403, ask(inspect.Options{}, from, "", ""), from)
	}
	for _, from := range []string{"127.0.0.1:4711", "[::1]:4711", "[::ffff:127.0.0.1]:4711"} {
		require.Equal(t, 200, ask(inspect.Options{}, from, "", ""), from)
	}
	open := inspect.Options{Remote: true, Token: token}
	require.Equal(t, 200, ask(open, "10.0.0.9:4711", "", ""), "the page itself tells nothing")
	require.Equal(t, 401, ask(open, "10.0.0.9:4711", "?snapshot", ""))
	require.Equal(t, 401, ask(open, "127.0.0.1:4711", "?snapshot", ""), "who is local is not told apart: it may be a proxy")
	require.Equal(t, 200, ask(open, "10.0.0.9:4711", "?snapshot", "Bearer "+token))
}

// TestOptions checks the errors of invalid options.
func TestOptions(t *testing.T) {
	eng := newGame(t, inspect.Options{}).eng
	_, err := inspect.New(eng, inspect.Options{Token: "short"})
	require.ErrorContains(t, err, "Options.Token must have at least 16 characters")
	_, err = inspect.New(eng, inspect.Options{Remote: true})
	require.ErrorContains(t, err, "Options.Remote requires a Token")
	require.PanicsWithValue(t, "inspect: New of a nil engine", func() { inspect.Handler(nil) })
}
