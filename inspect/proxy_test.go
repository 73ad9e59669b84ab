package inspect_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
	"github.com/bufftick/bufftick/internal/needs"
)

// TestNginx checks that nginx with its default settings forwards the first event of a stream
// before there is a second event.
func TestNginx(t *testing.T) {
	nginx := needs.Program(t, "nginx", "nginx")
	// the engine does not tick, so there are no views
	eng, err := engine.New(engine.Options{Synchronous: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, eng.Close(t.Context())) }()
	back, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := inspect.NewServer(inspect.Handler(eng))
	go func() { _ = server.Serve(back) }()
	defer server.Close()

	front, err := net.Listen("tcp", "127.0.0.1:0") // to find a free port
	require.NoError(t, err)
	address := front.Addr().String()
	require.NoError(t, front.Close())
	dir := t.TempDir()
	config := filepath.Join(dir, "nginx.conf")
	temp := ""
	for _, name := range []string{"proxy", "client_body", "fastcgi", "uwsgi", "scgi"} {
		temp += fmt.Sprintf("%s_temp_path %s/%s; ", name, dir, name)
	}
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `daemon off; master_process off; pid %s/pid; error_log %s/error; events {}
http { access_log off; %s server { listen %s; location / { proxy_pass http://%s; proxy_set_header Host $proxy_host; } } }`,
		dir, dir, temp, address, back.Addr()), 0o600))
	cmd := exec.Command(nginx, "-c", config)
	require.NoError(t, cmd.Start())
	defer func() {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}()
	var resp *http.Response
	for resp == nil { // until nginx listens
		resp, _ = http.Get("http://" + address + "/?stream")
	}
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Contains(t, (&stream{t: t, resp: resp}).next("hello"), "bufftick")
}

// TestStreamsReleased checks that clients that disconnect at once free all 64 streams.
func TestStreamsReleased(t *testing.T) {
	g := newGame(t, inspect.Options{})
	for range 300 {
		g.stream("?stream&player=7").resp.Body.Close()
	}
	for open := 0; open < 64; {
		resp := g.request("GET", "?stream", "")
		// OK only after the server has noticed that a client has disconnected
		if resp.StatusCode == http.StatusOK {
			open++
		}
	}
}
