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

// Limits of a [NewServer].
const (
	maxConns   = 512
	maxHeader  = 16 << 10
	sendBuffer = 64 << 10 // bytes that the system keeps for a client that does not read
)

// NewServer returns a server for a handler, with bounds for what a handler cannot bound:
//
//   - 512 connections, those that the handler has hijacked (WebSockets) among them until they
//     are closed. HTTP/1 alone, so that a connection is one request at a time.
//   - A header of 16 KiB that must come within 2 s, a whole request within 10 s; a connection
//     without one is closed after a minute.
//   - Each single write, of whatever the handler serves and also on a hijacked connection,
//     must be taken within 5 s, or the connection is closed; and the system keeps no more than
//     64 KiB for a client that does not read.
//
// Every new connection is accepted. If that is one too many, the one is closed whose write has waited
// longest, if that is more than 100 ms; else the oldest that has no whole request or has had its
// answer; else the oldest of all. One that has brought the token of an [Inspector], to it or
// through its Guard, does not make room for one that has not: whoever holds connections, in
// whatever way, does not keep the operator out.
//
// What is not bounded is what the handler itself does for a request, beyond what the
// Inspector bounds. Where it listens is the caller's to choose: on 127.0.0.1, unless all who
// can reach it may see what it shows.
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

// connKey is where a request's context has the *connNode of its connection.
type connKey struct{}

// conns is the open connections of a server. Each is in one of two lists, in the order in which
// it came to be there.
type conns struct {
	mu      sync.Mutex
	at      map[net.Conn]*connNode
	waiting connList // their request is not whole, or has been answered
	working connList // the others, the hijacked ones among them

	writers atomic.Int64 // how many writes are under way
}

// connNode is one connection. All but the first and the last are under the lock of conns.
type connNode struct {
	conns *conns
	conn  net.Conn

	in           *connList // nil: it is closed
	older, newer *connNode
	hijacked     bool
	known        bool // has brought the token

	writing atomic.Int64 // since when a write waits, Unix time in ns; 0: none does
}

// begin takes a connection in. It is told of each first.
func (c *conns) begin(ctx context.Context, conn net.Conn) context.Context {
	if tcp, ok := raw(conn).(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // one that cannot have it is no worse than before
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

// raw returns the connection under a TLS one, which can be closed without a word to the client.
func raw(conn net.Conn) net.Conn {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		return over.NetConn()
	}
	return conn
}

// changed is told of every change of a connection's state.
func (c *conns) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.at[conn]
	if n == nil {
		return // it has made room for another
	}
	switch state {
	case http.StateHijacked:
		n.hijacked = true
	case http.StateClosed:
		c.forget(n)
	}
}

// serve serves one request. What the server still reads of its body afterwards is no reason to
// keep others out.
func (c *conns) serve(h http.Handler, w http.ResponseWriter, r *http.Request) {
	n, _ := r.Context().Value(connKey{}).(*connNode)
	if n == nil { // somebody has put another ConnContext into the server
		n = &connNode{conns: c}
	}
	p := &writer{ResponseWriter: w, out: http.NewResponseController(w), node: n}
	n.move(&c.working)
	defer func() {
		n.move(&c.waiting)
		p.deadline() // for what the server has not written yet
	}()
	h.ServeHTTP(p, r)
}

// evict closes a connection to make room for a newcomer: the one that is stuck, or else the
// oldest of those of which least is lost. The caller holds the lock.
func (c *conns) evict(newcomer *connNode) {
	n := cmp.Or(c.stuckest(), c.waiting.oldestBut(newcomer), c.working.oldestBut(newcomer), newcomer)
	c.forget(n)
	_ = raw(n.conn).Close() // it is gone either way
}

// stuckest returns the connection whose write has waited longest, if that is long.
func (c *conns) stuckest() (stuckest *connNode) {
	if c.writers.Load() == 0 {
		return nil
	}
	least := time.Now().Add(-every).UnixNano()
	for _, n := range c.at {
		if at := n.writing.Load(); at != 0 && at < least && !n.known {
			least, stuckest = at, n
		}
	}
	return stuckest
}

// forget is told that a connection is closed. The caller holds the lock.
func (c *conns) forget(n *connNode) {
	if n.in != nil {
		n.in.remove(n)
		delete(c.at, n.conn)
	}
}

// move puts a connection into the other list. A hijacked one stays where it is: its handler
// may go on without it.
func (n *connNode) move(to *connList) {
	n.conns.mu.Lock()
	defer n.conns.mu.Unlock()
	if n.in != nil && !n.hijacked {
		n.in.remove(n)
		to.add(n)
	}
}

// vouch says that a request has brought the token: its connection does not make room for one
// that has not.
func vouch(r *http.Request) {
	if n, ok := r.Context().Value(connKey{}).(*connNode); ok {
		n.conns.mu.Lock()
		defer n.conns.mu.Unlock()
		n.known = true
	}
}

// connList is some of the connections.
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

// oldestBut returns the oldest one that may have to go and is not the newcomer.
func (l *connList) oldestBut(newcomer *connNode) *connNode {
	for n := l.oldest; n != nil; n = n.newer {
		if n != newcomer && !n.known {
			return n
		}
	}
	return nil
}
