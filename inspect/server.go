package inspect

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of a [NewServer].
const (
	maxConns   = 512
	maxHeader  = 16 << 10
	sendBuffer = 64 << 10 // bytes that the system keeps for a client that does not read
)

// NewServer returns a server for a handler that has bounds: 512 connections, headers of
// 16 KiB that must come within 2 s, and no more than 64 KiB in the system's hands for a
// client that does not read. Of one connection too many, the oldest that has no whole
// request is closed, so that whoever holds connections without asking for something, or
// without coming to an end of it, does not keep others out. Where it listens is the caller's to choose: on 127.0.0.1, unless
// all who can reach it may see what it shows.
func NewServer(h http.Handler) *http.Server {
	c := &conns{at: make(map[net.Conn]*connNode)}
	return &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, _ := r.Context().Value(connKey{}).(net.Conn)
			c.serves(conn, true)
			defer c.serves(conn, false)
			h.ServeHTTP(w, r)
		}),
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn)
		},
		ReadHeaderTimeout: 2 * time.Second,
		ReadTimeout:       10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    maxHeader,
		ConnState:         c.changed,
	}
}

// connKey is where a request's context has its connection.
type connKey struct{}

// conns is the open connections of a server. Those whose request is not whole, or answered,
// are in the order in which they began to wait for one.
type conns struct {
	mu             sync.Mutex
	at             map[net.Conn]*connNode
	oldest, newest *connNode // of those who wait
}

type connNode struct {
	conn         net.Conn
	older, newer *connNode
	waits        bool
}

// changed is told of every change of a connection's state.
func (c *conns) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.at[conn]
	switch state {
	case http.StateNew:
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(sendBuffer) // one that cannot have it is no worse than before
		}
		c.at[conn] = &connNode{conn: conn}
		c.wait(c.at[conn])
		if len(c.at) > maxConns {
			c.evict()
		}
	case http.StateIdle:
		if n != nil {
			c.wait(n)
		}
	case http.StateClosed, http.StateHijacked:
		if n != nil {
			c.unwait(n)
			delete(c.at, conn)
		}
	}
}

// serves is told when the header of a request is there, and when it has been answered; what
// the server still reads of its body then is no reason to keep others out.
func (c *conns) serves(conn net.Conn, begins bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch n := c.at[conn]; {
	case n == nil: // evicted
	case begins:
		c.unwait(n)
	default:
		c.wait(n)
	}
}

// evict closes the oldest connection that waits; there is one, since that of the caller
// does.
func (c *conns) evict() {
	n := c.oldest
	c.unwait(n)
	delete(c.at, n.conn)
	_ = n.conn.Close() // it is gone either way
}

func (c *conns) wait(n *connNode) {
	c.unwait(n)
	n.waits, n.older = true, c.newest
	if c.newest != nil {
		c.newest.newer = n
	} else {
		c.oldest = n
	}
	c.newest = n
}

func (c *conns) unwait(n *connNode) {
	if !n.waits {
		return
	}
	if n.older != nil {
		n.older.newer = n.newer
	} else {
		c.oldest = n.newer
	}
	if n.newer != nil {
		n.newer.older = n.older
	} else {
		c.newest = n.older
	}
	*n = connNode{conn: n.conn}
}
