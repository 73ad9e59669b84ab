package inspect_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

// TestStreamOutlivesWriteTimeout checks that a stream lasts longer than the WriteTimeout of its
// server, and ends when its client disconnects.
func TestStreamOutlivesWriteTimeout(t *testing.T) {
	t.Parallel()
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

// TestTooManyStreams checks that there are at most 64 streams. Further clients can request
// snapshots, and get a stream when another ends.
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
	for resp.StatusCode != http.StatusOK { // until the server has noticed that the stream has ended
		resp = g.request("GET", "?stream", "")
	}
}

// stuckWriter is a client that reads nothing after its first event.
type stuckWriter struct {
	head  http.Header
	once  sync.Once
	stuck chan struct{} // closed when a write blocks
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

// TestStuckStreamIsReplaced checks that if all streams belong to clients that do not read, one of
// them is closed for a new client.
func TestStuckStreamIsReplaced(t *testing.T) {
	t.Parallel()
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
		for s == nil { // their writes must have been pending for a while
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

// TestStalled checks that a stalled loop is reported.
func TestStalled(t *testing.T) {
	t.Parallel()
	eng, err := engine.New(engine.Options{Synchronous: true})
	require.NoError(t, err)
	srv := httptest.NewServer(inspect.Handler(eng))
	t.Cleanup(srv.Close)
	resp, err := http.Get(srv.URL + "?stream")
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	s := &stream{t: t, resp: resp}
	require.Contains(t, s.next("stalled"), "The loop has not ticked for ")
	snapshot, err := http.Get(srv.URL + "?snapshot")
	require.NoError(t, err)
	defer snapshot.Body.Close()
	require.Equal(t, http.StatusServiceUnavailable, snapshot.StatusCode)
}

// heldWriter is a client that reads some events, then no events until it is released, and then
// all events.
type heldWriter struct {
	head       http.Header
	takes      int
	held, goes chan struct{}

	mu   sync.Mutex
	data []byte
}

func (w *heldWriter) Header() http.Header { return w.head }
func (w *heldWriter) WriteHeader(int)     {}
func (w *heldWriter) Flush()              {}

func (w *heldWriter) Write(p []byte) (int, error) {
	if w.takes--; w.takes == 0 {
		close(w.held)
		<-w.goes
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.data = append(w.data, p...)
	return len(p), nil
}

// events returns the received events of a kind, from an index on.
func (w *heldWriter) events(kind string) (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ev := range strings.SplitSeq(string(w.data), "\n\n") {
		if data, ok := strings.CutPrefix(ev, "event: "+kind+"\ndata: "); ok {
			out = append(out, data)
		}
	}
	return out
}

// TestStream_Gap checks that a slow client gets the latest view and the number of missed views.
// Other clients get every view, which contains only the changes.
func TestStream_Gap(t *testing.T) {
	g := newGame(t, inspect.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	w := &heldWriter{head: http.Header{}, takes: 4, held: make(chan struct{}), goes: make(chan struct{})}
	var slow sync.WaitGroup
	slow.Go(func() {
		r := httptest.NewRequest("GET", "http://127.0.0.1/debug/buffs?stream", nil).WithContext(ctx)
		r.RemoteAddr = "127.0.0.1:1"
		g.page.ServeHTTP(w, r)
	})
	<-w.held // the third view blocks
	good := g.stream("?stream")
	good.next("view") // the first view contains all frames
	type view struct {
		First  string
		Frames []int64
	}
	var last view
	for range 8 {
		var v view
		require.NoError(t, json.Unmarshal([]byte(good.next("view")), &v))
		if last.First != "" {
			require.Equal(t, number(last.First)+uint64(len(last.Frames)), number(v.First), "frame follows frame")
		}
		last = v
	}
	close(w.goes)
	for len(w.events("view")) < 6 {
		good.next("view")
	}
	cancel()
	slow.Wait()
	gaps := w.events("gap")
	require.Len(t, gaps, 1)
	var gap struct{ Skipped, Sum string }
	require.NoError(t, json.Unmarshal([]byte(gaps[0]), &gap))
	require.GreaterOrEqual(t, number(gap.Skipped), uint64(7))
	require.Equal(t, gap.Skipped, gap.Sum)
	var views []view
	for _, data := range w.events("view") {
		var v view
		require.NoError(t, json.Unmarshal([]byte(data), &v))
		views = append(views, v)
	}
	// The fourth view is the first view after the gap.
	require.LessOrEqual(t, number(views[3].First), number(views[2].First)+uint64(len(views[2].Frames)), "no frame is missing behind a gap")
	require.Equal(t, number(views[3].First)+uint64(len(views[3].Frames)), number(views[4].First))
}

func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}
