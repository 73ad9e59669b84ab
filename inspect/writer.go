package inspect

import (
	"bufio"
	"net"
	"net/http"
	"sync"
	"time"
)

// writeTime is the time limit for each write to a client.
const writeTime = 5 * time.Second

// writer is a response with a deadline for each write. Without a deadline, a client that does not
// read would occupy its connection and a goroutine forever. The server's WriteTimeout cannot be
// used, because it would end the streams.
type writer struct {
	http.ResponseWriter
	out  *http.ResponseController
	node *connNode // nil if the server was not made by NewServer
}

// withDeadlines returns w as a writer. Test servers may not support deadlines, so errors are
// ignored.
func withDeadlines(w http.ResponseWriter) *writer {
	if p, ok := w.(*writer); ok {
		return p
	}
	return &writer{ResponseWriter: w, out: http.NewResponseController(w)}
}

// Unwrap supports [http.ResponseController].
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *writer) Write(p []byte) (int, error) {
	w.deadline()
	defer w.node.startWrite()()
	return w.ResponseWriter.Write(p)
}

// FlushError supports [http.ResponseController].
func (w *writer) FlushError() error {
	w.deadline()
	defer w.node.startWrite()()
	return w.out.Flush()
}

// Flush implements [http.Flusher].
func (w *writer) Flush() { _ = w.FlushError() }

func (w *writer) deadline() { _ = w.out.SetWriteDeadline(time.Now().Add(writeTime)) }

// Hijack takes over the connection. The connection still counts towards the limit of the server,
// and its writes still have deadlines.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.out.Hijack()
	if err != nil {
		return nil, nil, err
	}
	h := &hijacked{Conn: conn, node: w.node}
	rw.Writer.Reset(h)
	return h, rw, nil
}

// startWrite records the start of a write, so that the server knows for how long it has been
// pending. It returns a function that records the end.
func (n *connNode) startWrite() (over func()) {
	if n == nil {
		return func() {}
	}
	n.conns.writers.Add(1)
	n.writing.Store(time.Now().UnixNano())
	return func() {
		n.writing.Store(0)
		n.conns.writers.Add(-1)
	}
}

// hijacked is a connection that a handler has taken over.
type hijacked struct {
	net.Conn
	node *connNode

	mu    sync.Mutex
	until time.Time // write deadline set by the handler; zero if none
}

func (h *hijacked) Write(p []byte) (int, error) {
	h.mu.Lock()
	err := h.Conn.SetWriteDeadline(sooner(h.until))
	h.mu.Unlock()
	if err != nil {
		return 0, err
	}
	defer h.node.startWrite()()
	return h.Conn.Write(p)
}

// sooner returns the deadline of a write that starts now. It is the given deadline (until), but at
// most writeTime from now.
func sooner(until time.Time) time.Time {
	if latest := time.Now().Add(writeTime); until.IsZero() || until.After(latest) {
		return latest
	}
	return until
}

// SetWriteDeadline sets the write deadline. It can only shorten the time limit of each write.
func (h *hijacked) SetWriteDeadline(t time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = t
	return h.Conn.SetWriteDeadline(sooner(t))
}

// SetDeadline sets both deadlines. It can only shorten the time limit of each write.
func (h *hijacked) SetDeadline(t time.Time) error {
	if err := h.Conn.SetReadDeadline(t); err != nil {
		return err
	}
	return h.SetWriteDeadline(t)
}

// Close closes the connection, which then no longer counts towards the limit of the server.
func (h *hijacked) Close() error {
	if h.node != nil {
		h.node.conns.mu.Lock()
		h.node.conns.forget(h.node)
		h.node.conns.mu.Unlock()
	}
	return h.Conn.Close()
}
