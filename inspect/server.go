package inspect

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of the server that [NewServer] returns.
const (
	maxConns   = 512
	maxHeader  = 16 << 10
	sendBuffer = 64 << 10 // bytes that the system buffers for a client that does not read
)

// NewServer returns a server for a handler, with limits that a handler cannot enforce:
//
//   - 512 connections, including hijacked ones (WebSockets) until they are closed. Only HTTP/1
//     is served, so that a connection carries one request at a time.
//   - Headers of up to 16 KiB that arrive within 2 s, and whole requests within 10 s. Idle
//     connections are closed after a minute.
//   - Each write of any handler, also on a hijacked connection, must be accepted within 5 s,
//     or the connection is closed. The system buffers at most 64 KiB for a client that does
//     not read.
//
// Every new connection is accepted. If there are then too many connections, the server closes one
// of them. It closes the connection with the longest pending write, if that write has been pending
// for more than 100 ms. Otherwise it closes the oldest connection that waits for a request, that
// is, a connection that has not sent a complete request or whose response is finished. If no
// connection waits for a request, it closes the oldest connection. A connection is trusted once it
// has sent the token to an [Inspector] or its Guard. A trusted connection is never closed to make
// room, so that a flood of connections does not lock out the operator. If all other connections
// are trusted, the new connection is closed.
//
// The server does not limit the work of the handler itself. The caller chooses the listen address:
// use 127.0.0.1, unless everyone who can reach the address may see the contents.
func NewServer(h http.Handler) *http.Server {
	c := &conns{at: make(map[net.Conn]*connNode)}
	one := new(http.Protocols)
	one.SetHTTP1(true)
	return &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.serve(h, w, r) }),
		ConnContext:       c.begin,
		ConnState:         c.changed,
		ReadHeaderTimeout: 2 * time.Second,
		ReadTimeout:       10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    maxHeader,
		Protocols:         one,
	}
}

// connKey is the context key of a request's *connNode.
type connKey struct{}

// conns is the set of open connections of a server. Each connection is in the waiting list or in
// the working list. When it moves to the other list, it is added at the end.
type conns struct {
	mu      sync.Mutex
	at      map[net.Conn]*connNode
	waiting connList // connections without a complete request, or with a finished response
	working connList // all other connections, including hijacked ones

	writers atomic.Int64 // number of pending writes
}

// connNode is one connection. The fields from "in" to "trusted" are guarded by conns.mu.
type connNode struct {
	conns *conns
	conn  net.Conn

	in           *connList // the list that contains this connection; nil if closed
	older, newer *connNode
	hijacked     bool
	trusted      bool // the client has sent the token

	writing atomic.Int64 // start of a pending write, Unix time in ns; 0 if none
}

// begin adds a connection. The server calls it before any other method for the connection.
func (c *conns) begin(ctx context.Context, conn net.Conn) context.Context {
	if tcp, ok := netConn(conn).(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // if this fails, the buffer has its default size
	}
	n := &connNode{conns: c, conn: conn}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at[conn] = n
	c.waiting.add(n)
	if len(c.at) > maxConns {
		c.evict(n)
	}
	return context.WithValue(ctx, connKey{}, n)
}

// netConn returns the network connection under a TLS connection. Closing a TLS connection writes
// to the client, which may block; closing the network connection does not.
func netConn(conn net.Conn) net.Conn {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		return over.NetConn()
	}
	return conn
}

// changed handles a change of a connection's state.
func (c *conns) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.at[conn]
	if n == nil {
		return // the connection has been evicted
	}
	switch state {
	case http.StateHijacked:
		n.hijacked = true
	case http.StateClosed:
		c.forget(n)
	}
}

// serve serves one request. The connection counts as waiting again when the handler returns, even
// if the server has yet to read the rest of the request's body.
func (c *conns) serve(h http.Handler, w http.ResponseWriter, r *http.Request) {
	n, _ := r.Context().Value(connKey{}).(*connNode)
	if n == nil { // the caller has replaced the server's ConnContext
		n = &connNode{conns: c}
	}
	p := &writer{ResponseWriter: w, out: http.NewResponseController(w), node: n}
	n.move(&c.working)
	defer func() {
		n.move(&c.waiting)
		p.deadline() // for the writes of the server after the handler returns
	}()
	h.ServeHTTP(p, r)
}

// evict closes a connection to make room for a new connection. NewServer documents the choice. The
// caller holds the lock.
func (c *conns) evict(newcomer *connNode) {
	n := cmp.Or(c.slowest(), c.waiting.oldestExcept(newcomer), c.working.oldestExcept(newcomer), newcomer)
	c.forget(n)
	// an error does not matter, because the connection is no longer in a list
	_ = netConn(n.conn).Close()
}

// slowest returns the connection with the longest pending write, or nil if no write has been
// pending for too long. It ignores trusted connections.
func (c *conns) slowest() (slowest *connNode) {
	if c.writers.Load() == 0 {
		return nil
	}
	least := time.Now().Add(-every).UnixNano()
	for _, n := range c.at {
		if at := n.writing.Load(); at != 0 && at < least && !n.trusted {
			least, slowest = at, n
		}
	}
	return slowest
}

// forget removes a closed connection. The caller holds the lock.
func (c *conns) forget(n *connNode) {
	if n.in != nil {
		n.in.remove(n)
		delete(c.at, n.conn)
	}
}

// move moves a connection to another list. A hijacked connection stays in its list, because it is
// still in use after its handler has returned.
func (n *connNode) move(to *connList) {
	n.conns.mu.Lock()
	defer n.conns.mu.Unlock()
	if n.in != nil && !n.hijacked {
		n.in.remove(n)
		to.add(n)
	}
}

// trustConn marks the connection of a request as trusted. The caller has checked the token of the
// request.
func trustConn(r *http.Request) {
	if n, ok := r.Context().Value(connKey{}).(*connNode); ok {
		n.conns.mu.Lock()
		defer n.conns.mu.Unlock()
		n.trusted = true
	}
}

// connList is a list of connections.
type connList struct{ oldest, newest *connNode }

func (l *connList) add(n *connNode) {
	n.in, n.older, n.newer = l, l.newest, nil
	if l.newest != nil {
		l.newest.newer = n
	} else {
		l.oldest = n
	}
	l.newest = n
}

func (l *connList) remove(n *connNode) {
	if n.older != nil {
		n.older.newer = n.newer
	} else {
		l.oldest = n.newer
	}
	if n.newer != nil {
		n.newer.older = n.older
	} else {
		l.newest = n.older
	}
	n.in, n.older, n.newer = nil, nil, nil
}

// oldestExcept returns the oldest connection, other than newcomer, that newcomer may replace.
func (l *connList) oldestExcept(newcomer *connNode) *connNode {
	for n := l.oldest; n != nil; n = n.newer {
		if n != newcomer && !n.trusted {
			return n
		}
	}
	return nil
}
