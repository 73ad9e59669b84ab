package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/examples/arena/game"
)

// site is an arena behind a server, in a bubble of synctest. Time is virtual, and connections are
// pipes without a buffer.
type site struct {
	*Server
	t    *testing.T
	line chan net.Conn
	ends chan struct{}

	from      net.Addr // remote address of new connections
	forwarded []string // values of X-Forwarded-For for new connections

	pass func(time.Duration) // lets the time of the bubble pass
}

func (s *site) Accept() (net.Conn, error) {
	select {
	case c := <-s.line:
		return c, nil
	case <-s.ends:
		return nil, net.ErrClosed
	}
}
func (s *site) Close() error   { return nil }
func (s *site) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// inBubble runs a test against a site.
func inBubble(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, err := game.New(game.Options{Heroes: 20, Seed: 1, Budget: -1})
		require.NoError(t, err)
		s := &site{pass: func(d time.Duration) { time.Sleep(d) }, Server: New(w), t: t, from: &net.UnixAddr{Name: "pipe"}, line: make(chan net.Conn), ends: make(chan struct{})}
		srv := NewServer(s.Handler())
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { _ = srv.Serve(s) })
		all.Go(func() { require.NoError(t, s.Run(ctx)) })
		test(t, s)
		cancel()
		close(s.ends)
		require.NoError(t, srv.Close())
		all.Wait()
		time.Sleep(time.Minute) // wait until all connections have ended
		require.NoError(t, w.Close(context.Background()))
	})
}

// dial opens a connection.
func (s *site) dial() net.Conn {
	ours, theirs := net.Pipe()
	s.line <- &line{theirs, s.from}
	return ours
}

// line is a connection with an address.
type line struct {
	net.Conn
	from net.Addr
}

func (l *line) RemoteAddr() net.Addr { return l.from }

// enter connects like a page.
func (s *site) enter(from string) (*websocket.Conn, *http.Response, error) {
	over := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return s.dial(), nil }, DisableKeepAlives: true}
	head := http.Header{"X-Forwarded-For": s.forwarded}
	if from != "" {
		head.Set("Origin", from)
	}
	return websocket.Dial(context.Background(), "ws://arena/play", &websocket.DialOptions{HTTPClient: &http.Client{Transport: over}, HTTPHeader: head})
}

// guest is a page that reads and counts its messages.
type guest struct {
	*websocket.Conn
	mu     sync.Mutex
	scenes int
	err    error // the error that ended the connection
}

func (s *site) guest() *guest {
	s.t.Helper()
	c, _, err := s.enter("http://arena")
	require.NoError(s.t, err)
	g := &guest{Conn: c}
	c.SetReadLimit(1 << 20)
	require.NoError(s.t, g.say(askPlay))
	go g.read()
	return g
}

func (g *guest) say(b ...byte) error {
	return g.Write(context.Background(), websocket.MessageBinary, b)
}

func (g *guest) read() {
	for {
		_, b, err := g.Read(context.Background())
		g.mu.Lock()
		if err != nil {
			g.err = err
			g.mu.Unlock()
			return
		}
		if b[0] == msgScene {
			g.scenes++
		}
		g.mu.Unlock()
	}
}

// seen returns the number of received scenes, and whether the guest is still connected.
func (g *guest) seen() (int, bool) {
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.scenes, g.err == nil
}

// served checks that a guest receives all scenes of a few seconds.
func (s *site) served(g *guest) {
	s.t.Helper()
	was, _ := g.seen()
	s.pass(2 * time.Second)
	now, there := g.seen()
	require.True(s.t, there)
	require.InDelta(s.t, 20, now-was, 1)
	require.NoError(s.t, g.say(askPing, 1, 2, 3, 4, 5, 6, 7, 8))
}

// TestFlood checks that the loop reads a limited number of messages from a connection per frame,
// and that a client that floods the server has to wait.
func TestFlood(t *testing.T) {
	inBubble(t, func(t *testing.T, s *site) {
		g, bad := s.guest(), s.guest()
		sent, stopped := 0, make(chan struct{})
		go func() {
			defer close(stopped)
			for bad.say(askAim, 1, 0) == nil {
				sent++
			}
		}()
		began := s.frames()
		s.served(g)
		took := s.frames() - began
		require.NoError(t, bad.CloseNow())
		<-stopped
		require.Greater(t, sent, int(took), "it is not kept out")
		require.LessOrEqual(t, sent, int(took+1)*8+20)
		s.served(g)
		require.NoError(t, g.CloseNow())
	})
}

func (s *site) frames() (n uint64) {
	s.t.Helper()
	require.NoError(s.t, s.Ask(context.Background(), func(w *game.World) { n = w.Frames() }))
	return n
}

// TestNeverReads checks that a client that does not read is disconnected after a while, and that
// messages for this client do not accumulate.
func TestNeverReads(t *testing.T) {
	inBubble(t, func(t *testing.T, s *site) {
		g := s.guest()
		bad, _, err := s.enter("")
		require.NoError(t, err)
		require.NoError(t, bad.Write(context.Background(), websocket.MessageBinary, []byte{askPlay}))
		s.pass(time.Second)
		require.Equal(t, 2, s.here())
		s.served(g)
		s.pass(6 * time.Second)
		require.Equal(t, 1, s.here())
		s.served(g)
		require.NoError(t, g.CloseNow())
		_ = bad.CloseNow() // the server has already closed the connection
	})
}

// here returns the number of connections of the loop.
func (s *site) here() (n int) {
	s.t.Helper()
	require.NoError(s.t, s.Ask(context.Background(), func(*game.World) { n = len(s.players) }))
	return n
}

// TestServer_IncompleteMessages checks that some clients are disconnected in time: clients that
// send a message that is too long or never ends, clients that send a request that never ends,
// clients from a page of another host, and clients that send no messages.
func TestServer_IncompleteMessages(t *testing.T) {
	inBubble(t, func(t *testing.T, s *site) {
		g := s.guest()
		for _, size := range []int{1 << 20, 49} {
			giant := s.guest()
			require.Error(t, errors.Join(giant.say(make([]byte, size)...), s.over5(giant)))
			_ = giant.CloseNow() // the server has already closed the connection
		}

		c, _, err := s.enter("")
		require.NoError(t, err)
		half := &guest{Conn: c}
		w, err := c.Writer(context.Background(), websocket.MessageBinary)
		require.NoError(t, err)
		_, _ = w.Write([]byte{askPlay}) // the message never ends
		silent := s.guest()

		line := s.dial()
		_, err = io.WriteString(line, "GET /play HTTP/1.1\r\nHost: are")
		require.NoError(t, err)
		began := time.Now()
		_, err = io.Copy(io.Discard, line)
		require.NoError(t, err)
		require.LessOrEqual(t, time.Since(began), 6*time.Second)

		_, r, err := s.enter("http://elsewhere")
		require.Error(t, err)
		require.Equal(t, http.StatusForbidden, r.StatusCode)

		for range 12 {
			s.served(g) // the guest sends a message every two seconds
		}
		_, there := silent.seen()
		require.False(t, there)
		require.Equal(t, 1, s.here())
		require.NoError(t, g.CloseNow())
		_ = half.CloseNow()
	})
}

// over5 returns the error that ended a guest within five seconds.
func (s *site) over5(g *guest) error {
	s.pass(5 * time.Second)
	_, _ = g.seen()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// TestCrowd opens a thousand connections. It checks that only MaxPlayers of them are accepted, and
// that earlier connections are not affected.
func TestCrowd(t *testing.T) {
	inBubble(t, func(t *testing.T, s *site) {
		g := s.guest()
		var in []*websocket.Conn
		full := 0
		for range 1000 {
			c, r, err := s.enter("")
			if err != nil {
				require.Equal(t, http.StatusServiceUnavailable, r.StatusCode)
				full++
				continue
			}
			in = append(in, c)
		}
		require.Len(t, in, MaxPlayers-1)
		require.Equal(t, 1001-MaxPlayers, full)
		s.served(g)
		// Wait longer than the time within which a client must send its first request.
		s.pass(12 * time.Second)
		require.Equal(t, 1, s.here())
		s.served(g)
		require.NoError(t, g.CloseNow())
		for _, c := range in {
			_ = c.CloseNow() // the server has already closed the connection
		}
	})
}

// TestOneAddress checks that one address can have a limited number of connections, and can open
// another connection when one of them ends. Other addresses and earlier connections are not
// affected. Behind a proxy, the address that the proxy reports counts, not an address that the
// client claims.
func TestOneAddress(t *testing.T) {
	inBubble(t, func(t *testing.T, s *site) {
		tcp := func(a string) net.Addr {
			return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(a), 4711))
		}
		s.Trust(netip.MustParsePrefix("10.1.0.0/16"))
		g := s.guest()
		all := []*websocket.Conn{g.Conn}
		for _, c := range []struct {
			about, from string
			forwarded   func(k int) []string
		}{
			{"from one address", "192.0.2.7", func(int) []string { return nil }},
			{"it says that it is a proxy", "192.0.2.8", func(k int) []string { return []string{fmt.Sprintf("198.51.100.%d", k)} }},
			{"the same as IPv6", "::ffff:192.0.2.9", func(int) []string { return nil }},
			{"a proxy here", "127.0.0.1", func(k int) []string { return []string{fmt.Sprintf("198.51.100.%d, 192.0.2.10", k)} }},
			{"two proxies", "::1", func(k int) []string {
				return []string{fmt.Sprintf("garbage %d", k), " 192.0.2.11 ", "10.1.2.3,10.1.2.4"}
			}},
			{"what is no address", "10.1.0.1", func(k int) []string { return []string{fmt.Sprintf("garbage %d", k)} }},
		} {
			s.from = tcp(c.from)
			enter := func(k int) bool {
				s.forwarded = c.forwarded(k)
				conn, r, err := s.enter("")
				if err != nil {
					require.Equal(t, http.StatusTooManyRequests, r.StatusCode, c.about)
					return false
				}
				all = append(all, conn)
				return true
			}
			for k := range 3 * MaxAddress {
				require.Equal(t, k < MaxAddress, enter(k), "%s: %d", c.about, k)
			}
			require.NoError(t, all[len(all)-1].CloseNow())
			synctest.Wait()
			require.True(t, enter(0), c.about)
			require.False(t, enter(0), c.about)
			s.served(g)
		}
		for k := range 3 * MaxAddress { // an IPv6 network of 64 bits also counts as one address
			s.from, s.forwarded = tcp(fmt.Sprintf("2001:db8:1:2:%x::1", k)), nil
			conn, _, err := s.enter("")
			if require.Equal(t, k < MaxAddress, err == nil); err == nil {
				all = append(all, conn)
			}
		}
		for k := range 2 * MaxAddress { // a proxy without the header, or tabs on this machine
			s.from = []net.Addr{tcp("127.0.0.1"), tcp("10.1.0.7")}[k%2]
			conn, _, err := s.enter("")
			require.NoError(t, err)
			all = append(all, conn)
		}
		s.served(g)
		for _, c := range all {
			_ = c.CloseNow()
		}
		s.pass(time.Minute)
		require.Empty(t, s.limiter.of)
	})
}
