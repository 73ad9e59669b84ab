package inspect_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
)

// isOpen reports whether the server has kept an idle connection open.
func isOpen(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Nanosecond))
	_, err := c.Read(make([]byte, 1))
	no, ok := err.(net.Error)
	return ok && no.Timeout()
}

// idle returns n connections that have received a response and wait for the next request.
func (h *hall) idle(n int) (out []net.Conn) {
	for range n {
		resp, err := h.ask("GET", "/", "", "")
		require.NoError(h.t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(h.t, err)
		out = append(out, h.all[len(h.all)-1])
	}
	return out
}

// TestEvictionOrder checks that connections with a blocked write are closed first, and then the
// oldest idle connection.
func TestEvictionOrder(t *testing.T) {
	inHall(t, inspect.Options{}, func(h *hall) {
		first := h.idle(1)[0]
		h.crowd(300, request("/"), false)
		stuck := h.all[1:]
		idle := h.idle(211)
		<-time.After(200 * time.Millisecond)
		h.crowd(300, "", false)
		require.EqualValues(t, 512, h.open.Load())
		require.True(t, isOpen(first))
		for _, c := range idle {
			require.True(t, isOpen(c))
		}
		for _, c := range stuck[:300] {
			_, err := io.Copy(io.Discard, c)
			require.NoError(t, err, "closed")
		}
		h.crowd(1, "", false)
		require.False(t, isOpen(first))
		require.True(t, isOpen(idle[0]))
	})
}

// TestHijackedCounts checks that a hijacked connection counts until it is closed, even if its
// handler returned long before, and that idle connections are evicted first.
func TestHijackedCounts(t *testing.T) {
	var kept []net.Conn
	inHallOf(t, inspect.Options{}, func(page http.Handler) *http.Server {
		mux := http.NewServeMux()
		mux.Handle("/", page)
		mux.HandleFunc("/keep", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			kept = append(kept, conn)
		})
		return inspect.NewServer(mux)
	}, func(h *hall) {
		h.crowd(1, request("/keep"), false)
		own := h.all[0]
		h.crowd(600, "", false)
		require.EqualValues(t, 512, h.open.Load())
		require.True(t, isOpen(own))
		<-time.After(5 * time.Second) // silent clients have been disconnected
		require.EqualValues(t, 1, h.open.Load())

		for range 600 {
			h.crowd(1, request("/keep"), false)
			require.NoError(t, kept[len(kept)-1].Close())
		}
		require.NoError(t, kept[0].Close())
		idle := h.idle(512)
		require.EqualValues(t, 512, h.open.Load(), "disconnected clients do not count")
		require.True(t, isOpen(idle[0]))
	})
}

// TestSlowOperatorStays checks that a client that has sent the token keeps its connection even if
// it stops reading for a while.
func TestSlowOperatorStays(t *testing.T) {
	inHall(t, inspect.Options{Token: token}, func(h *hall) {
		resp, err := h.ask("GET", "/?stream", "", token)
		require.NoError(t, err)
		s := &stream{t: t, resp: resp}
		s.next("view")
		<-time.After(time.Second)
		h.crowd(600, "", false)
		s.next("view")
		s.next("gap")
	})
}

// TestConnections_AllFromOperators checks that a new client without the token is refused if all
// other clients have sent the token.
func TestConnections_AllFromOperators(t *testing.T) {
	inHall(t, inspect.Options{Token: token}, func(h *hall) {
		for range 512 {
			resp, err := h.ask("GET", "/?snapshot", "", token)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, resp.StatusCode)
			_, err = io.Copy(io.Discard, resp.Body)
			require.NoError(t, err)
		}
		c := h.dial()
		synctest.Wait()
		_, err := bufio.NewReader(c).ReadByte()
		require.ErrorIs(t, err, io.EOF)
		require.EqualValues(t, 512, h.open.Load())
	})
}

// TestStreams_KnownClientsStay checks that a client with the token replaces the oldest client
// without the token, and never another client with the token.
func TestStreams_KnownClientsStay(t *testing.T) {
	inHall(t, inspect.Options{Token: token}, func(h *hall) {
		open := func(id int, auth string) *stream {
			resp, err := h.ask("GET", fmt.Sprintf("/?stream&player=%d", id), "", auth)
			require.NoError(t, err)
			if resp.StatusCode != http.StatusOK {
				require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
				return nil
			}
			return &stream{t: t, resp: resp}
		}
		first := open(0, token)
		over := []*atomic.Bool{}
		reads := func(s *stream) *atomic.Bool {
			done := new(atomic.Bool)
			go func() {
				_, _ = io.Copy(io.Discard, s.resp.Body)
				done.Store(true)
			}()
			return done
		}
		for id := range 63 {
			over = append(over, reads(open(1+id, "")))
		}
		require.Nil(t, open(70, ""))
		for id := range 63 {
			reads(open(100+id, token))
			synctest.Wait()
			for k, done := range over {
				require.Equal(t, k <= id, done.Load(), "%d of %d", k, id)
			}
		}
		require.Nil(t, open(200, token))
		require.Nil(t, open(70, ""))
		first.next("player")
	})
}
