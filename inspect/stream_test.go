package inspect_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

// A stream outlives the WriteTimeout of its server, and comes to an end with its client.
func TestStreamOutlivesWriteTimeout(t *testing.T) {
	g := newGame(t, inspect.Options{})
	srv := httptest.NewUnstartedServer(g.page)
	srv.Config.WriteTimeout = 200 * time.Millisecond
	srv.Start()
	t.Cleanup(srv.Close)
	resp, err := http.Get(srv.URL + "?stream")
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	s := &stream{t: t, resp: resp}
	for range 8 { // 800 ms
		s.next("view")
	}
}

// There are 64 streams at most. Whoever comes too late can ask for snapshots, and gets a
// place when one is free.
func TestTooManyStreams(t *testing.T) {
	g := newGame(t, inspect.Options{})
	streams := make([]*stream, 64)
	for i := range streams {
		streams[i] = g.stream("?stream")
	}
	for _, s := range streams {
		s.next("view")
	}
	resp := g.request("GET", "?stream", "")
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.Equal(t, "1", resp.Header.Get("Retry-After"))
	require.Equal(t, 50.0, g.get("?snapshot")["owners"])
	streams[0].resp.Body.Close()
	for resp.StatusCode != http.StatusOK { // as soon as the server has seen that
		resp = g.request("GET", "?stream", "")
	}
}

// stuckWriter is a client that takes nothing after its first event.
type stuckWriter struct {
	head  http.Header
	once  sync.Once
	stuck chan struct{} // closed when it is stuck
	ctx   context.Context
}

func (w *stuckWriter) Header() http.Header { return w.head }
func (w *stuckWriter) WriteHeader(int)     {}
func (w *stuckWriter) Flush()              {}

func (w *stuckWriter) Write(p []byte) (int, error) {
	first := false
	w.once.Do(func() { first = true })
	if first {
		return len(p), nil
	}
	select {
	case <-w.stuck:
	default:
		close(w.stuck)
	}
	<-w.ctx.Done()
	return 0, os.ErrDeadlineExceeded
}

// Where all places are taken by clients that do not read, one of them has to go for a
// good one.
func TestNewcomerTakesTheStuckOnesPlace(t *testing.T) {
	g := newGame(t, inspect.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	writers := make([]*stuckWriter, 64)
	for i := range writers {
		w := &stuckWriter{head: http.Header{}, stuck: make(chan struct{}), ctx: ctx}
		clients.Go(func() {
			r := httptest.NewRequest("GET", "http://127.0.0.1/debug/buffs?stream", nil).WithContext(ctx)
			r.RemoteAddr = "127.0.0.1:1"
			g.page.ServeHTTP(w, r)
		})
		writers[i] = w
	}
	for _, w := range writers {
		<-w.stuck
	}
	for range 3 {
		var s *stream
		for s == nil { // the last of them have to be stuck for a while first
			if resp := g.request("GET", "?stream", ""); resp.StatusCode == http.StatusOK {
				s = &stream{t: t, resp: resp}
			}
		}
		s.next("view")
		s.next("view")
	}
	cancel()
	clients.Wait()
}

// A loop that stands still is said to.
func TestStalled(t *testing.T) {
	eng, err := engine.New(engine.Options{Synchronous: true})
	require.NoError(t, err)
	srv := httptest.NewServer(inspect.Handler(eng))
	t.Cleanup(srv.Close)
	resp, err := http.Get(srv.URL + "?stream")
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	s := &stream{t: t, resp: resp}
	require.Contains(t, s.next("stalled"), "the loop has not ticked")
	snapshot, err := http.Get(srv.URL + "?snapshot")
	require.NoError(t, err)
	defer snapshot.Body.Close()
	require.Equal(t, http.StatusServiceUnavailable, snapshot.StatusCode)
}

// flood opens connections that each send some bytes and then nothing, and returns them.
func (g *game) flood(n int, send string) []net.Conn {
	var out []net.Conn
	for range n {
		c, err := net.Dial("tcp", g.srv.Listener.Addr().String())
		if err != nil {
			continue // refused: as good as closed
		}
		_ = c.(*net.TCPConn).SetReadBuffer(4096)
		_ = c.(*net.TCPConn).SetLinger(0)
		_, _ = fmt.Fprint(c, send)
		out = append(out, c)
	}
	return out
}

// A thousand clients that never read, a thousand with half a header and as many that say
// nothing hold neither the loop nor a good client up, and cost little memory.
func TestFlood(t *testing.T) {
	g := newGame(t, inspect.Options{})
	n := 1000
	if testing.Short() {
		n = 200
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	frames := func() string { return g.get("?snapshot")["frame"].(string) }
	first := frames()
	var bad []net.Conn
	for _, send := range []string{
		"GET /debug/buffs?stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"GET /debug/buffs?stream HTTP/1.1\r\nHost: 127.",
		"",
	} {
		bad = append(bad, g.flood(n, send)...)
		require.NotEqual(t, first, frames(), "the loop ticks, and a good client is served")
	}
	for range 20 {
		require.Equal(t, 50.0, g.get("?snapshot")["owners"])
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d connections, %d goroutines, %.1f MB more than before", len(bad), runtime.NumGoroutine(), (float64(after.Sys)-float64(before.Sys))/1e6)
	require.Less(t, after.HeapAlloc, before.HeapAlloc+64<<20)
	require.Less(t, runtime.NumGoroutine(), 3000)
	for _, c := range bad {
		c.Close()
	}
}

// Connections that come and go by the thousand leave nothing behind.
func TestConnects(t *testing.T) {
	g := newGame(t, inspect.Options{})
	n := 100_000
	if testing.Short() {
		n = 2000
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range n {
		for _, c := range g.flood(1, "GET /deb") {
			c.Close()
		}
		if i%5000 == 0 {
			require.Equal(t, 50.0, g.get("?snapshot")["owners"])
		}
	}
	require.Equal(t, 50.0, g.get("?snapshot")["owners"])
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d connects, %d goroutines, %.1f MB more than before", n, runtime.NumGoroutine(), (float64(after.Sys)-float64(before.Sys))/1e6)
	require.Less(t, after.HeapAlloc, before.HeapAlloc+64<<20)
}
