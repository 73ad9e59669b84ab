package inspect_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
)

// TestStreamOfPlayers checks that one stream follows several players, each only once.
func TestStreamOfPlayers(t *testing.T) {
	t.Parallel()
	g := newGame(t, inspect.Options{})
	s := g.stream("?stream&player=7&player=8&player=7&catalog")
	seen := map[string]int{}
	for len(seen) < 2 || seen["7"] < 3 || seen["8"] < 3 {
		var p struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(s.next("player")), &p))
		require.Contains(t, []string{"7", "8"}, p.ID)
		seen[p.ID]++
	}
	s.next("catalog")

	var many strings.Builder
	for id := range 33 {
		many.WriteString("&player=" + strconv.Itoa(id))
		if id == 31 {
			g.stream("?stream" + many.String()).next("player")
		}
	}
	require.Equal(t, http.StatusBadRequest, g.request("GET", "?stream"+many.String(), "").StatusCode)
	require.Equal(t, http.StatusBadRequest, g.request("GET", "?stream&player=7&player=x", "").StatusCode)
}

// TestWorkerScript checks that the script of the shared stream is public, like the page, and may
// connect only to its own origin.
func TestWorkerScript(t *testing.T) {
	g := newGame(t, inspect.Options{Remote: true, Token: token})
	resp := g.request("GET", "?worker=x", "", "Sec-Fetch-Site: same-origin")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "text/javascript; charset=utf-8", resp.Header.Get("Content-Type"))
	require.Equal(t, "default-src 'none'; connect-src 'self'; frame-ancestors 'none'", resp.Header.Get("Content-Security-Policy"))
	require.Contains(t, answer(t, resp), "onconnect")
	require.Equal(t, http.StatusForbidden, g.request("GET", "?worker=x", "", "Sec-Fetch-Site: cross-site").StatusCode)
	require.Equal(t, http.StatusUnauthorized, g.request("GET", "?worker=x&snapshot", "").StatusCode)

	page := g.request("GET", "", "")
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "worker-src 'self'")
	text := answer(t, page)
	require.NotContains(t, text, "@worker@")
	require.Regexp(t, `"\?worker=[0-9a-f]{8}"`, text)
}
