package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// Timeouts of a connection.
const (
	silence   = 20 * time.Second // longest pause between messages; the page pings every 2 s
	writeTime = 5 * time.Second
)

// accept upgrades a request to a WebSocket, and returns when the WebSocket has ended.
func (s *Server) accept(w http.ResponseWriter, r *http.Request) {
	leave, ok := s.limiter.enter(r)
	if !ok {
		http.Error(w, "too many connections from your address", http.StatusTooManyRequests)
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
	c, err := websocket.Accept(w, r, nil) // also checks that the Origin of the request is this host
	if err != nil {
		return // Accept has responded
	}
	c.SetReadLimit(maxMessage)
	s.attend(r.Context(), c)
}

// attend moves messages between a connection and the loop until the client or the loop ends the
// connection.
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
		defer cancel() // also end the reading goroutine
		p.write(ctx, c)
	}()
	p.read(ctx, c)
	cancel()
	_ = c.CloseNow() // unsent messages are not important
	<-written
}

// read passes the client's messages to the loop. It blocks while the queue is full, so a client
// that floods the server has to wait.
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

// write sends the queued messages to the client.
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
