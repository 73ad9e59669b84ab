package inspect_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

// TestGuardMounted checks that Guard applies the access rules of the inspector to another handler
// on the same server.
func TestGuardMounted(t *testing.T) {
	eng, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, eng.Close(t.Context())) }()
	here, err := inspect.New(eng, inspect.Options{Hosts: []string{"game.example"}})
	require.NoError(t, err)
	remote, err := inspect.New(eng, inspect.Options{Token: token, Remote: true})
	require.NoError(t, err)
	for _, c := range []struct {
		name, method, host, from string
		header                   string
		in                       *inspect.Inspector
		want                     int
	}{
		{"by address", "GET", "127.0.0.1:6060", "127.0.0.1:9", "", here, 200},
		{"by a known name", "HEAD", "game.example", "[::1]:9", "", here, 200},
		{"rebound", "GET", "evil.example:6060", "127.0.0.1:9", "", here, 403},
		{"of another machine", "GET", "127.0.0.1", "10.0.0.1:9", "", here, 403},
		{"POST", "POST", "localhost", "127.0.0.1:9", "", here, 405},
		{"by another site", "GET", "localhost", "127.0.0.1:9", "Sec-Fetch-Site: cross-site", here, 403},
		{"by its own page", "GET", "localhost", "127.0.0.1:9", "Sec-Fetch-Site: same-origin", here, 200},
		{"a WebSocket of its own page", "GET", "localhost:6060", "127.0.0.1:9", "Origin: http://localhost:6060", here, 200},
		{"a WebSocket of another site", "GET", "localhost:6060", "127.0.0.1:9", "Origin: http://evil.example", here, 403},
		{"a WebSocket of a file", "GET", "localhost:6060", "127.0.0.1:9", "Origin: null", here, 403},
		{"remote without the token", "GET", "10.0.0.2", "10.0.0.1:9", "", remote, 401},
		{"remote with it", "GET", "10.0.0.2", "10.0.0.1:9", "Authorization: Bearer " + token, remote, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			served := false
			h := c.in.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				served = true
				_, err := io.WriteString(w, "ok")
				require.NoError(t, err)
			}))
			r := httptest.NewRequest(c.method, "/metrics", nil)
			r.Host, r.RemoteAddr = c.host, c.from
			if name, value, ok := strings.Cut(c.header, ": "); ok {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			require.Equal(t, c.want, w.Code)
			require.Equal(t, c.want == http.StatusOK, served)
			require.Equal(t, "frame-ancestors 'none'", w.Header().Get("Content-Security-Policy"))
		})
	}
}
