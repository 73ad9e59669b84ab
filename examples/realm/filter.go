package main

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// filter is a proxy between the screens and NATS. It can drop messages with definitions. All other
// messages pass.
type filter struct {
	listener net.Listener
	target   string
	until    atomic.Int64 // Unix time in ns until which definitions are dropped
	lost     atomic.Int64 // number of definitions dropped since the last call to "lose"
	total    atomic.Int64

	mu    sync.Mutex
	conns []net.Conn
}

func newFilter(target string) (*filter, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &filter{listener: l, target: target}
	go f.serve()
	return f, nil
}

func (f *filter) port() int { return f.listener.Addr().(*net.TCPAddr).Port }

// lose drops definitions for the duration d. It returns a function that returns how many
// definitions have been dropped since the call to "lose".
func (f *filter) lose(d time.Duration) func() int64 {
	f.lost.Store(0)
	f.until.Store(time.Now().Add(d).UnixNano())
	return f.lost.Load
}

func (f *filter) serve() {
	for {
		c, err := f.listener.Accept()
		if err != nil {
			return
		}
		s, err := net.Dial("tcp", f.target)
		if err != nil {
			_ = c.Close()
			continue
		}
		f.mu.Lock()
		f.conns = append(f.conns, c, s)
		f.mu.Unlock()
		end := func() { _, _ = c.Close(), s.Close() }
		go func() {
			defer end()
			_, _ = io.Copy(s, c) // returns when the connection ends
		}()
		go func() {
			defer end()
			f.pass(c, bufio.NewReader(s))
		}()
	}
}

// pass copies messages from the server. Each message is a protocol line and a body. The protocol
// line contains the length of the body.
func (f *filter) pass(to net.Conn, from *bufio.Reader) {
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return
		}
		message := []byte(line)
		if words := strings.Fields(line); len(words) > 3 && (words[0] == "MSG" || words[0] == "HMSG") {
			n, err := strconv.Atoi(words[len(words)-1])
			if err != nil {
				return
			}
			body := make([]byte, n+2)
			if _, err := io.ReadFull(from, body); err != nil {
				return
			}
			if words[0] == "MSG" && n > 2 && body[1] == 'D' && time.Now().UnixNano() < f.until.Load() {
				f.lost.Add(1)
				f.total.Add(1)
				continue
			}
			message = append(message, body...)
		}
		if _, err := to.Write(message); err != nil {
			return
		}
	}
}

func (f *filter) close() {
	_ = f.listener.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
}
