package inspect_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

// hall is a game with a server whose connections are pipes, in a bubble of synctest. So a client
// that does not read blocks the server at once, and waiting takes no time.
type hall struct {
	t    *testing.T
	eng  *engine.Engine
	page *inspect.Inspector
	srv  *http.Server
	in   chan net.Conn
	open atomic.Int64 // connections that the server has not closed
	last atomic.Int64 // time when the server last closed a connection
	all  []net.Conn   // the clients' ends of all connections
}

// inHall runs a test with a hall, in a bubble.
func inHall(t *testing.T, o inspect.Options, f func(h *hall)) {
	inHallOf(t, o, inspect.NewServer, f)
}

func inHallOf(t *testing.T, o inspect.Options, server func(http.Handler) *http.Server, f func(h *hall)) {
	synctest.Test(t, func(t *testing.T) {
		h := &hall{t: t, in: make(chan net.Conn)}
		cat, err := buff.NewCatalog(buff.Spec{ID: "venom", Kind: define.Infinite, Period: time.Second})
		require.NoError(t, err)
		h.eng, err = engine.New(engine.Options{Catalog: cat, Synchronous: true})
		require.NoError(t, err)
		for id := range buff.OwnerID(100) {
			require.NoError(t, h.eng.Spawn(id, nil))
			h.eng.AddBuff(id, buff.Application{Spec: cat.Spec("venom")})
		}
		h.page, err = inspect.New(h.eng, o)
		require.NoError(t, err)
		mux := http.NewServeMux()
		mux.Handle("/", h.page)
		mux.Handle("/beside", h.page.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
		})))
		mux.Handle("/late", h.page.Guard(http.HandlerFunc(late)))
		mux.Handle("/ws", h.page.Guard(http.HandlerFunc(hijack)))
		var rest, served sync.WaitGroup
		h.srv = server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			served.Add(1)
			defer served.Done()
			mux.ServeHTTP(w, r)
		}))
		rest.Go(func() { _ = h.srv.Serve(h) })
		stop := make(chan struct{})
		rest.Go(func() {
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C:
					h.eng.Tick(50 * time.Millisecond)
				}
			}
		})
		f(h)
		for _, c := range h.all {
			c.Close()
		}
		require.NoError(t, h.srv.Close())
		served.Wait() // wait until the loop has ended too
		close(stop)
		rest.Wait()
		require.NoError(t, h.eng.Close(context.Background()))
	})
}

// late is a handler that writes its response in parts with pauses in between, like a profile.
func late(w http.ResponseWriter, _ *http.Request) {
	for _, part := range []string{"a", "b"} {
		_, _ = io.WriteString(w, part)
		<-time.After(10 * time.Second)
		_ = http.NewResponseController(w).Flush()
	}
	_, _ = io.WriteString(w, "c")
	<-time.After(10 * time.Second)
}

// hijack is a handler that takes over the connection like a WebSocket, and reads until it is
// closed.
func hijack(w http.ResponseWriter, _ *http.Request) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\n\r\n")
	if rw.Flush() == nil {
		_, _ = io.Copy(io.Discard, conn)
	}
}

// Accept, Close and Addr implement net.Listener.
func (h *hall) Accept() (net.Conn, error) {
	if c, ok := <-h.in; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (h *hall) Close() error   { close(h.in); return nil }
func (h *hall) Addr() net.Addr { return here{} }

type here struct{}

func (here) Network() string { return "tcp" }
func (here) String() string  { return "127.0.0.1:1" }

// end is the server's end of a connection.
type end struct {
	net.Conn
	once sync.Once
	gone func()
}

func (e *end) RemoteAddr() net.Addr { return here{} }
func (e *end) Close() error         { e.once.Do(e.gone); return e.Conn.Close() }

// dial opens a connection to the server.
func (h *hall) dial() net.Conn {
	client, server := net.Pipe()
	h.open.Add(1)
	h.in <- &end{Conn: server, gone: func() { h.last.Store(time.Now().UnixNano()); h.open.Add(-1) }}
	h.all = append(h.all, client)
	return client
}

// crowd connects n clients that send a text. If reads is true, they read the response.
func (h *hall) crowd(n int, send string, reads bool) {
	for range n {
		c := h.dial()
		go func() { _, _ = io.WriteString(c, send) }()
		if reads {
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
	}
	synctest.Wait()
}

// ask sends a request on a new connection, and returns the response.
func (h *hall) ask(method, path, body, auth string) (*http.Response, error) {
	c := h.dial()
	r, err := http.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
	require.NoError(h.t, err)
	r.Header.Set("Content-Type", "application/json")
	if auth != "" {
		r.Header.Set("Authorization", "Bearer "+auth)
	}
	go func() { _ = r.Write(c) }()
	return http.ReadResponse(bufio.NewReader(c), r)
}

func request(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" }

// crowds lists attacks that try to lock out other clients.
var crowds = []struct {
	name  string
	send  string
	reads bool
}{
	{"say nothing", "", false},
	{"send half a header", "GET / HTTP/1.1\r\nHost: 127.", false},
	{"ask for the page, and do not read it", strings.Repeat(request("/"), 20), false},
	{"ask for a view, and do not read it", strings.Repeat(request("/?snapshot"), 20), false},
	{"ask for what stands beside, and do not read it", strings.Repeat(request("/beside"), 20), false},
	{"are refused, and do not read it", strings.Repeat("GET /?snapshot HTTP/1.1\r\nHost: evil.example\r\n\r\n", 20), false},
	{"stream, and do not read", request("/?stream"), false},
	{"stream, and read", request("/?stream"), true},
	{"follow somebody, and read", "follow", true},
	{"search, and read", strings.Repeat(request("/?search=x"), 20), true},
	{"ask for views all the time, and read", strings.Repeat(request("/?snapshot"), 10), true},
	{"open WebSockets", request("/ws"), true},
	{"open WebSockets, and do not read", request("/ws"), false},
}

// TestNoLockout checks that whatever 520 clients do, there are at most 512 connections. An
// operator with the token can do everything, and a new client that has not sent the token yet
// gets the page.
func TestNoLockout(t *testing.T) {
	t.Parallel()
	for _, c := range crowds {
		t.Run(c.name, func(t *testing.T) {
			inHall(t, inspect.Options{Token: token, Name: func(id buff.OwnerID) string { return fmt.Sprint("P", id) }}, func(h *hall) {
				if c.send == "follow" {
					for id := range 520 {
						h.crowd(1, request(fmt.Sprintf("/?stream&player=%d", id+1000)), c.reads)
					}
				} else {
					h.crowd(520, c.send, c.reads)
				}
				require.LessOrEqual(t, h.open.Load(), int64(512))
				for _, path := range []string{"/", "/?snapshot", "/?player=7", "/?search=P7", "/beside"} {
					resp, err := h.ask("GET", path, "", token)
					require.NoError(t, err, path)
					require.Equal(t, http.StatusOK, resp.StatusCode, path)
					data, err := io.ReadAll(resp.Body)
					require.NoError(t, err, path)
					if path == "/?search=P7" {
						require.Contains(t, string(data), `"name":"P7"`)
					}
				}
				resp, err := h.ask("POST", "/?act", `{"act":"pause","player":"7"}`, token)
				require.NoError(t, err)
				require.Equal(t, http.StatusAccepted, resp.StatusCode)
				for range 80 { // more than the limit, with the operator's connections as the newest
					resp, err := h.ask("GET", "/?stream&player=8", "", token)
					require.NoError(t, err)
					require.Equal(t, http.StatusOK, resp.StatusCode)
					s := &stream{t: t, resp: resp}
					s.next("player")
					h.all[len(h.all)-1].Close()
				}
				resp, err = h.ask("GET", "/", "", "")
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, resp.StatusCode)
				require.LessOrEqual(t, h.open.Load(), int64(512))
			})
		})
	}
}

// TestOperatorStays checks that a client with the token, which reads its stream, is never
// disconnected to make room for others.
func TestOperatorStays(t *testing.T) {
	t.Parallel()
	inHall(t, inspect.Options{Token: token}, func(h *hall) {
		resp, err := h.ask("GET", "/?stream&player=7", "", token)
		require.NoError(t, err)
		s := &stream{t: t, resp: resp}
		s.next("player")
		for _, c := range crowds {
			if c.send != "follow" {
				h.crowd(600, c.send, c.reads)
			}
			s.next("view")
			s.next("view")
		}
		require.LessOrEqual(t, h.open.Load(), int64(512))
	})
}

// TestDeadlines checks that an inactive connection is closed after exactly the documented time,
// whatever it waits for. This also applies to connections of a server that is not from NewServer.
func TestDeadlines(t *testing.T) {
	for _, c := range []struct {
		name, send string
		reads      bool
		foreign    bool
		want       time.Duration
	}{
		{"nothing", "", false, false, 2 * time.Second},
		{"half a header", "GET / HTTP/1.1\r\nHost: 127.", false, false, 2 * time.Second},
		{"half a body", "POST /?act HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", true, false, 10 * time.Second},
		{"idle", request("/"), true, false, time.Minute},
		{"the page", request("/"), false, false, 5 * time.Second},
		// the view is made in the next Tick
		{"a view", request("/?snapshot"), false, false, 5*time.Second + 50*time.Millisecond},
		{"a refusal", request("/?nothing"), false, false, 5 * time.Second},
		{"what stands beside", request("/beside"), false, false, 5 * time.Second},
		{"a stream", request("/?stream"), false, false, 5 * time.Second},
		{"a hijacked one", request("/ws"), false, false, 5 * time.Second},
		{"the page of another server", request("/"), false, true, 5 * time.Second},
		{"a view of another server", request("/?snapshot"), false, true, 5*time.Second + 50*time.Millisecond},
		{"a refusal of another server", request("/?nothing"), false, true, 5 * time.Second},
		{"what stands beside in another server", request("/beside"), false, true, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := inspect.NewServer
			if c.foreign {
				server = plainServer
			}
			inHallOf(t, inspect.Options{Token: token}, server, func(h *hall) {
				began := time.Now()
				h.crowd(1, c.send, c.reads)
				<-time.After(2 * time.Minute)
				require.Zero(t, h.open.Load())
				require.Equal(t, c.want, time.Duration(h.last.Load()-began.UnixNano()))
			})
		})
	}
}

// TestFollowersReleased checks that the state of a followed player is released when its last
// follower leaves, even if other clients stay connected.
func TestFollowersReleased(t *testing.T) {
	inHall(t, inspect.Options{}, func(h *hall) {
		resp, err := h.ask("GET", "/?stream", "", "")
		require.NoError(t, err)
		other := &stream{t: t, resp: resp}
		for id := range 100 {
			resp, err := h.ask("GET", fmt.Sprintf("/?stream&player=%d", id), "", "")
			require.NoError(t, err)
			follower := h.all[len(h.all)-1]
			(&stream{t: t, resp: resp}).next("player")
			require.NotZero(t, inspect.Players(h.page))
			follower.Close()
			other.next("view")
		}
		other.next("view")
		other.next("view")
		require.Zero(t, inspect.Players(h.page))
	})
}

// TestDeadlines_SlowWriter checks that the deadline limits each write, not the whole response.
func TestDeadlines_SlowWriter(t *testing.T) {
	for _, server := range []func(http.Handler) *http.Server{inspect.NewServer, plainServer} {
		inHallOf(t, inspect.Options{}, server, func(h *hall) {
			resp, err := h.ask("GET", "/late", "", "")
			require.NoError(t, err)
			data, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, "abc", string(data))
		})
	}
}

// plainServer returns a server without limits, which a game might use instead of NewServer.
func plainServer(h http.Handler) *http.Server { return &http.Server{Handler: h} }

// TestHijackedDeadlines checks that a handler that has hijacked a connection can set shorter
// deadlines, but not longer ones.
func TestHijackedDeadlines(t *testing.T) {
	const set = "SetWriteDeadline"
	for _, c := range []struct {
		call string
		d    time.Duration
		want time.Duration
	}{
		{set, 0, 5 * time.Second},
		{set, time.Second, time.Second},
		{set, time.Hour, 5 * time.Second},
		{"SetDeadline", time.Second, time.Second},
		{"SetDeadline", time.Hour, 5 * time.Second},
	} {
		inHallOf(t, inspect.Options{}, func(http.Handler) *http.Server {
			return inspect.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					panic(err)
				}
				defer conn.Close()
				var until time.Time
				if c.d != 0 {
					until = time.Now().Add(c.d)
				}
				if c.call == set {
					err = conn.SetWriteDeadline(until)
				} else {
					err = conn.SetDeadline(until)
				}
				if err == nil {
					_, _ = conn.Write([]byte("nobody reads that"))
				}
			}))
		}, func(h *hall) {
			began := time.Now()
			h.crowd(1, request("/"), false)
			<-time.After(time.Minute)
			require.Zero(t, h.open.Load())
			require.Equal(t, c.want, time.Duration(h.last.Load()-began.UnixNano()), "%s %v", c.call, c.d)
		})
	}
}
