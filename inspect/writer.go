package inspect

import (
	"bufio"
	"net"
	"net/http"
	"sync"
	"time"
)

// writeTime is how long a client may take for one write.
const writeTime = 5 * time.Second

// writer is a response of which each write has a deadline of its own: a WriteTimeout of the
// server would end the streams, and without one a client that does not read holds its
// connection, and a goroutine, for ever.
type writer struct {
	http.ResponseWriter
	out  *http.ResponseController
	node *connNode // nil: the connection is not one of a NewServer
}

// patiently returns w with deadlines. A server that knows none, in a test, is good enough
// without.
func patiently(w http.ResponseWriter) *writer {
	if p, ok := w.(*writer); ok {
		return p
	}
	return &writer{ResponseWriter: w, out: http.NewResponseController(w)}
}

// Unwrap is for [http.ResponseController].
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *writer) Write(p []byte) (int, error) {
	w.deadline()
	defer w.node.writes()()
	return w.ResponseWriter.Write(p)
}

// FlushError is for [http.ResponseController].
func (w *writer) FlushError() error {
	w.deadline()
	defer w.node.writes()()
	return w.out.Flush()
}

// Flush makes a writer an [http.Flusher].
func (w *writer) Flush() { _ = w.FlushError() }

func (w *writer) deadline() { _ = w.out.SetWriteDeadline(time.Now().Add(writeTime)) }

// Hijack gives the connection away, which still counts and still has deadlines.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.out.Hijack()
	if err != nil {
		return nil, nil, err
	}
	h := &hijacked{Conn: conn, node: w.node}
	rw.Writer.Reset(h)
	return h, rw, nil
}

// writes notes that a write begins, and returns what notes that it is over.
func (n *connNode) writes() (over func()) {
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
	until time.Time // what its owner has set for writes; zero: nothing
}

func (h *hijacked) Write(p []byte) (int, error) {
	h.mu.Lock()
	err := h.Conn.SetWriteDeadline(sooner(h.until))
	h.mu.Unlock()
	if err != nil {
		return 0, err
	}
	defer h.node.writes()()
	return h.Conn.Write(p)
}

// sooner is a deadline for a write that begins now.
func sooner(until time.Time) time.Time {
	if latest := time.Now().Add(writeTime); until.IsZero() || until.After(latest) {
		return latest
	}
	return until
}

// SetWriteDeadline bounds writes further.
func (h *hijacked) SetWriteDeadline(t time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = t
	return h.Conn.SetWriteDeadline(sooner(t))
}

// SetDeadline bounds reads, and writes further.
func (h *hijacked) SetDeadline(t time.Time) error {
	if err := h.Conn.SetReadDeadline(t); err != nil {
		return err
	}
	return h.SetWriteDeadline(t)
}

// Close closes the connection, and makes room for another.
func (h *hijacked) Close() error {
	if h.node != nil {
		h.node.conns.mu.Lock()
		h.node.conns.forget(h.node)
		h.node.conns.mu.Unlock()
	}
	return h.Conn.Close()
}
