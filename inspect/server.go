package inspect

import (
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
// client that does not read. Of one connection too many, the oldest that waits for a
// request is closed, so that whoever holds connections without asking for something does
// not keep others out. Where it listens is the caller's to choose: on 127.0.0.1, unless
// all who can reach it may see what it shows.
func NewServer(h http.Handler) *http.Server {
	c := &conns{at: make(map[net.Conn]*connNode)}
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 2 * time.Second,
		ReadTimeout:       10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    maxHeader,
		ConnState:         c.changed,
	}
}

// conns is the open connections of a server, in the order in which they began to wait for
// a request.
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
	case http.StateActive:
		// The first bytes of a request have come, or all of its header. One that stops in
		// the middle of it is closed by ReadHeaderTimeout.
		if n != nil {
			c.unwait(n)
		}
	case http.StateClosed, http.StateHijacked:
		if n != nil {
			c.unwait(n)
			delete(c.at, conn)
		}
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
