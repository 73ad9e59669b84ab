package main

import (
	"io"
	"net"
	"sync"
	"time"
)

// proxy forwards connections from one node to one server. While the proxy is cut, it holds bytes
// back and keeps connections open, like a network cable that is unplugged and plugged in again
// before TCP times out.
type proxy struct {
	listener net.Listener
	network  string

	mu     sync.Mutex
	target string
	until  time.Time // traffic is held back until this time
	conns  map[net.Conn]bool
	shut   chan struct{} // closed by the method "close"
}

// newProxy returns a proxy that listens on the given host and forwards to the given target. A
// target that starts with "/" is a Unix socket.
func newProxy(host, target string) (*proxy, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, network: "tcp", target: target, conns: map[net.Conn]bool{}, shut: make(chan struct{})}
	if target[0] == '/' {
		p.network = "unix"
	}
	go p.serve()
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) serve() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.join(c)
	}
}

// join connects the connection c to the server.
func (p *proxy) join(c net.Conn) {
	p.wait()
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	s, err := net.Dial(p.network, target)
	if err != nil {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	p.conns[c], p.conns[s] = true, true
	p.mu.Unlock()
	select {
	case <-p.shut: // close may have missed these two connections
		_, _ = c.Close(), s.Close()
	default:
	}
	go p.carry(s, c)
	p.carry(c, s)
	p.mu.Lock()
	delete(p.conns, c)
	delete(p.conns, s)
	p.mu.Unlock()
}

// carry copies bytes from one connection to the other. While the proxy is cut, it holds bytes back.
func (p *proxy) carry(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		if n > 0 {
			p.wait()
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil && err != io.EOF || n == 0 {
			return
		}
	}
}

// wait waits until the proxy is no longer cut, or is closed.
func (p *proxy) wait() {
	for {
		p.mu.Lock()
		left := time.Until(p.until)
		p.mu.Unlock()
		if left <= 0 {
			return
		}
		select {
		case <-time.After(left):
		case <-p.shut:
			return
		}
	}
}

// cut holds back traffic for the duration d.
func (p *proxy) cut(d time.Duration) {
	p.mu.Lock()
	p.until = time.Now().Add(d)
	p.mu.Unlock()
}

// lead directs new connections to another address. If breaks is true, it closes the existing
// connections.
func (p *proxy) lead(to string, breaks bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = to
	if breaks {
		for c := range p.conns {
			_ = c.Close()
		}
	}
}

func (p *proxy) close() {
	_ = p.listener.Close()
	close(p.shut)
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}
