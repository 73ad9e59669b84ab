package cluster

import (
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy forwards connections to a server. It can drop all traffic in both directions, like a broken
// network, without closing connections.
type proxy struct {
	listener net.Listener
	to       string

	mu     sync.Mutex
	open   chan struct{} // closed while traffic passes
	conns  []net.Conn
	closed bool
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: l, to: to, open: make(chan struct{})}
	close(p.open)
	t.Cleanup(p.close)
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
		p.mu.Lock()
		if err != nil || p.closed {
			client.Close()
		} else {
			p.conns = append(p.conns, client, server)
			go p.pass(client, server)
			go p.pass(server, client)
		}
		p.mu.Unlock()
	}
}

// pass copies one direction. Data that arrives while traffic is dropped waits, like data that TCP
// retransmits.
func (p *proxy) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 1<<15)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		p.mu.Lock()
		open := p.open
		p.mu.Unlock()
		<-open
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) swallow(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if on {
		p.open = make(chan struct{})
	} else {
		close(p.open)
	}
}

func (p *proxy) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	p.listener.Close()
	for _, c := range p.conns {
		c.Close()
	}
}
