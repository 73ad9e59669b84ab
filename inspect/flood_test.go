package inspect_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
	"github.com/bufftick/bufftick/internal/long"
)

// floodTime returns the time for which TestFlood continues after its first round.
func floodTime() time.Duration { return time.Duration(long.Times(1)-1) * time.Second }

// flood opens connections that each send some bytes and then nothing, and returns them.
func (g *game) flood(n int, send string) []net.Conn {
	var out []net.Conn
	for range n {
		c, err := net.Dial("tcp", g.srv.Listener.Addr().String())
		if err != nil {
			continue // refused, which has the same effect as a closed connection
		}
		_ = c.(*net.TCPConn).SetReadBuffer(4096)
		_ = c.(*net.TCPConn).SetLinger(0)
		_, _ = fmt.Fprint(c, send)
		out = append(out, c)
	}
	return out
}

// memory returns the memory of the process after a collection.
func memory() (heap, sys uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.Sys
}

// The additional memory that a server may use under attack. 512 connections with their buffers,
// 64 of which are streams, take about 20 MB.
const (
	moreHeap   = 32 << 20
	moreSystem = 128 << 20
	goroutines = 2*512 + 200
)

// TestFlood connects groups of clients that never read, send half a header, use a rebound name,
// send nothing, or post from another site. They must delay neither the loop nor a good client,
// and use little memory. TestTick_IndependentOfWatchers of package engine checks that a Tick waits
// for no watcher, and BenchmarkFlooded measures frames during a flood.
func TestFlood(t *testing.T) {
	g := newGame(t, inspect.Options{Token: token})
	n := long.Times(200)
	heap, system := memory()
	began := time.Now()
	for round := 0; round == 0 || time.Since(began) < floodTime(); round++ {
		nowHeap, nowSystem := g.floodRound(n)
		t.Logf("round %d: heap %+.1f MB, from the system %+.1f MB", round, float64(int64(nowHeap-heap))/1e6, float64(int64(nowSystem-system))/1e6)
		require.Less(t, nowHeap, heap+moreHeap)
		require.Less(t, nowSystem, system+moreSystem)
	}
}

// served checks that a new client is served. Its connection may be evicted as the oldest
// connection without a request. Then the client tries again, as the page does.
func (g *game) served() {
	g.t.Helper()
	var last any
	for range 10 {
		resp, err := http.Get(g.url("?snapshot"))
		if last = err; err != nil {
			continue
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if last = err; err == nil && resp.StatusCode == http.StatusOK {
			require.Contains(g.t, string(data), `"owners":50,`)
			return
		}
	}
	require.Fail(g.t, "a newcomer is not served", "%v", last)
}

// floodRound runs all attacks at once, and returns the memory of the process.
func (g *game) floodRound(n int) (heap, system uint64) {
	t := g.t
	good := g.stream("?stream")
	var bad []net.Conn
	for _, send := range []string{
		"GET /debug/buffs?stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"GET /debug/buffs?stream HTTP/1.1\r\nHost: 127.",
		"GET /debug/buffs?snapshot HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"",
		"POST /debug/buffs?act HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\nContent-Length: 60000\r\n\r\n{",
	} {
		bad = append(bad, g.flood(n, send)...)
		// The loop continues, with a hundred frames without a gap in their numbers.
		for from := g.ticks.Load(); g.ticks.Load() < from+100; {
			good.next("view")
		}
		g.served()
	}
	require.Less(t, runtime.NumGoroutine(), goroutines)
	heap, system = memory()
	good.next("view") // a client from before the flood is still served
	good.resp.Body.Close()
	for _, c := range bad {
		c.Close()
	}
	g.served()
	resp := g.request("POST", "?act", `{"act":"pause","player":"7"}`, "Content-Type: application/json", "Authorization: Bearer "+token)
	require.Equal(t, http.StatusAccepted, resp.StatusCode)
	return heap, system
}

// TestPartialHeaders checks that no client is locked out by more connections with half a header
// than the limit, not even for the two seconds within which the rest of the header may arrive.
func TestPartialHeaders(t *testing.T) {
	g := newGame(t, inspect.Options{})
	for _, c := range g.flood(600, "GET /debug/buffs?snapshot HTTP/1.1\r\nHost: 127.") {
		defer c.Close()
	}
	for range 20 {
		g.served()
	}
}

// TestManyConnections checks that thousands of closed connections leave no memory in use.
func TestManyConnections(t *testing.T) {
	g := newGame(t, inspect.Options{})
	n := long.Times(2000)
	heap, system := memory()
	for i := range n {
		for _, c := range g.flood(1, "GET /deb") {
			c.Close()
		}
		if i%5000 == 0 {
			g.served()
		}
	}
	g.served()
	nowHeap, nowSystem := memory()
	t.Logf("%d connects, %d goroutines, heap %+.1f MB, from the system %+.1f MB", n, runtime.NumGoroutine(), float64(int64(nowHeap-heap))/1e6, float64(int64(nowSystem-system))/1e6)
	require.Less(t, nowHeap, heap+moreHeap)
	require.Less(t, nowSystem, system+moreSystem)
	require.Less(t, runtime.NumGoroutine(), goroutines)
}
