package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// Patience of a connection, in real time.
const (
	silence   = 20 * time.Second // the page says something every two
	writeTime = 5 * time.Second
)

// accept makes a WebSocket of a request, and is done when it ends.
func (s *Server) accept(w http.ResponseWriter, r *http.Request) {
	leave, ok := s.doors.enter(r)
	if !ok {
		http.Error(w, "your address has as many connections as it may have", http.StatusTooManyRequests)
		return
	}
	defer leave()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		http.Error(w, "the arena is full", http.StatusServiceUnavailable)
		return
	}
	c, err := websocket.Accept(w, r, nil) // of this host alone: it compares the Origin
	if err != nil {
		return // and has answered
	}
	c.SetReadLimit(maxMessage)
	s.attend(r.Context(), c)
}

// attend moves messages between a connection and the loop until one of them has enough.
func (s *Server) attend(ctx context.Context, c *websocket.Conn) {
	p := newPlayer()
	defer close(p.gone)
	select {
	case s.arrivals <- p:
	case <-s.over:
		_ = c.CloseNow()
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	written := make(chan struct{})
	go func() {
		defer close(written)
		defer cancel() // the reader ends with it
		p.write(ctx, c)
	}()
	p.read(ctx, c)
	cancel()
	_ = c.CloseNow() // whoever is still there has been told nothing that matters
	<-written
}

// read passes on what the client says. While the loop has not taken what came before, it reads no more:
// whoever floods waits.
func (p *player) read(ctx context.Context, c *websocket.Conn) {
	for {
		var m message
		size, err := readInto(ctx, c, m.bytes[:])
		if err != nil {
			return
		}
		m.size = uint8(size)
		select {
		case p.in <- m:
		case <-p.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// readInto reads one message.
func readInto(ctx context.Context, c *websocket.Conn, b []byte) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	_, data, err := c.Read(ctx)
	return copy(b, data), err
}

// write sends what the loop has for the client.
func (p *player) write(ctx context.Context, c *websocket.Conn) {
	for {
		select {
		case b := <-p.out:
			if err := writeOne(ctx, c, b); err != nil {
				return
			}
			select {
			case p.free <- b:
			default:
			}
		case <-p.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

func writeOne(ctx context.Context, c *websocket.Conn, b []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return c.Write(ctx, websocket.MessageBinary, b)
}
