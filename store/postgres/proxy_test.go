package postgres

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy is a TCP proxy between a store and its server. It executes an action after a given number
// of bytes in one direction.
type proxy struct {
	listener net.Listener
	to       string

	mu         sync.Mutex
	conns      []net.Conn
	left       int // remaining bytes; negative for never
	fromServer bool
	then       func()
	passed     int
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: l, to: to, left: -1}
	t.Cleanup(func() {
		l.Close()
		p.cut()
	})
	go p.serve()
	return p
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.to)
		if err != nil {
			client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		go p.pass(client, server, false)
		go p.pass(server, client, true)
	}
}

// pass copies the data of one direction.
func (p *proxy) pass(from, to net.Conn, fromServer bool) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		n, then := p.count(n, fromServer)
		if then != nil && fromServer {
			then() // before the receiver of the answer can continue
		}
		if _, err := to.Write(b[:n]); err != nil && err != io.EOF {
			return
		}
		if then != nil && !fromServer {
			then()
		}
		if then != nil {
			return
		}
	}
}

// count returns how many of the next n bytes may pass, and the action to execute after them.
func (p *proxy) count(n int, fromServer bool) (int, func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left < 0 || fromServer != p.fromServer {
		return n, nil
	}
	if p.passed += n; p.passed < p.left {
		return n, nil
	}
	n -= p.passed - p.left
	p.left = -1
	return n, p.then
}

// arm schedules an action after left more bytes. No bytes after these pass.
func (p *proxy) arm(left int, fromServer bool, then func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left, p.fromServer, p.then, p.passed = left, fromServer, then, 0
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}
