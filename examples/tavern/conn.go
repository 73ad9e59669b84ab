package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
)

// A message consists of its kind in one byte, the length of its body in four bytes, and its body.
const (
	text   = 't' // a line: a command for the server, or an answer or event for the client
	packet = 'p' // changes of buffs, encoded by package replicate
	missed = 'm' // sent by the client: which packets it has missed

	fromClient = 1 << 12 // maximum length of a message body from the client, in bytes
	fromServer = 1 << 20
)

func writeMessage(w io.Writer, kind byte, body []byte) error {
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)))
	_, err := w.Write(append(head, body...))
	return err
}

func readMessage(r io.Reader, limit uint32) (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > limit {
		return 0, nil, fmt.Errorf("a message of %d bytes", n)
	}
	body = make([]byte, n)
	_, err = io.ReadFull(r, body)
	return head[0], body, err
}

type message struct {
	kind byte
	body []byte
}

// conn is the connection of one player. One goroutine reads from it, and one writes to it.
type conn struct {
	net    net.Conn
	out    chan message
	ctx    context.Context // cancelled when the connection ends
	close  context.CancelFunc
	id     buff.OwnerID      // id and viewer belong to the loop
	viewer *replicate.Viewer // nil before the player has joined
}

func (w *world) accept(ctx context.Context, l net.Listener) {
	for {
		n, err := l.Accept()
		if err != nil {
			return // the listener is closed
		}
		c := &conn{net: n, out: make(chan message, 64)}
		c.ctx, c.close = context.WithCancel(ctx)
		context.AfterFunc(c.ctx, func() { n.Close() })
		go c.write()
		go w.read(c)
	}
}

// read runs the commands of a player until the player leaves.
func (w *world) read(c *conn) {
	defer c.close()
	r := bufio.NewReader(c.net)
	for {
		kind, body, err := readMessage(r, fromClient)
		if err != nil {
			return
		}
		var answer string
		asked := w.inbox.Run(c.ctx, func(*engine.Engine) { answer, err = w.command(c, kind, body) })
		if asked != nil {
			return // the connection is closed, or the inbox is full
		}
		if err != nil {
			answer = "no: " + err.Error()
		}
		if answer != "" {
			c.text(answer)
		}
	}
}

// command executes one message of a player. It runs on the loop.
func (w *world) command(c *conn, kind byte, body []byte) (string, error) {
	if kind == missed && c.viewer != nil {
		return "", c.viewer.Receive(body)
	}
	words := strings.Fields(string(body))
	switch {
	case kind != text || len(words) == 0:
		return "", errors.New("not a command")
	case words[0] == "join" && len(words) == 2 && c.viewer == nil:
		return "", w.join(c, words[1])
	case c.viewer == nil:
		return "", errors.New("join first: join NAME")
	case words[0] == "look":
		return w.look(), nil
	case words[0] == "use" && len(words) == 3:
		var target buff.OwnerID
		if _, err := fmt.Sscan(words[2], &target); err != nil {
			return "", err
		}
		return "", w.use(c.id, words[1], target)
	}
	return "", errors.New("unknown command: want use ABILITY NUMBER, or look")
}

func (c *conn) write() {
	defer c.close()
	for {
		select {
		case m := <-c.out:
			if writeMessage(c.net, m.kind, m.body) != nil {
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// send queues a message. It never blocks: if the client does not read, "send" closes the
// connection.
func (c *conn) send(kind byte, body []byte) {
	select {
	case c.out <- message{kind, body}:
	default:
		c.close()
	}
}

func (c *conn) text(s string) { c.send(text, []byte(s)) }
func (c *conn) free() bool    { return len(c.out) < cap(c.out)/2 }
