package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
)

// message is a line of JSON, in both directions. Only the server sends packets.
type message struct {
	Text   string `json:",omitempty"` // a command, or an answer or event
	Packet []byte `json:",omitempty"` // encoded by package replicate
}

// conn is the connection of one player. One goroutine reads from it, and one writes to it.
type conn struct {
	out    chan message
	ctx    context.Context // cancelled when the connection ends
	close  context.CancelFunc
	viewer *replicate.Viewer // belongs to the loop; nil before the player has joined
}

func (w *world) accept(ctx context.Context, l net.Listener) {
	for {
		n, err := l.Accept()
		if err != nil {
			return // the listener is closed
		}
		c := &conn{out: make(chan message, 64)}
		c.ctx, c.close = context.WithCancel(ctx)
		context.AfterFunc(c.ctx, func() { n.Close() })
		go c.write(json.NewEncoder(n))
		go w.read(c, bufio.NewScanner(n)) // a Scanner refuses lines above 64 KB
	}
}

// read executes the messages of a player until the player leaves.
func (w *world) read(c *conn, in *bufio.Scanner) {
	defer c.close()
	for in.Scan() {
		var m message
		if json.Unmarshal(in.Bytes(), &m) != nil {
			return
		}
		err := w.inbox.Run(c.ctx, func(*engine.Engine) {
			if err := w.command(c, m); err != nil {
				c.send(message{Text: "no: " + err.Error()})
			}
		})
		if err != nil {
			return // the connection is closed, or the inbox is full
		}
	}
}

// command executes one message of a player. It runs on the loop.
func (w *world) command(c *conn, m message) error {
	var verb, name string
	var target buff.OwnerID
	n, _ := fmt.Sscan(m.Text, &verb, &name, &target)
	switch {
	case c.viewer == nil && verb == "join" && n == 2:
		return w.join(c, name)
	case c.viewer == nil:
		return errors.New("join first: join NAME")
	case verb == "use" && n == 3:
		return w.use(c.viewer.Owner(), name, target)
	case verb == "look":
		c.send(message{Text: w.look()})
		return nil
	}
	return errors.New("unknown command: want use ABILITY NUMBER, or look")
}

func (c *conn) write(out *json.Encoder) {
	defer c.close()
	for {
		select {
		case m := <-c.out:
			if out.Encode(m) != nil {
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// send queues a message. It never blocks: if the client does not read, "send" closes the
// connection.
func (c *conn) send(m message) {
	select {
	case c.out <- m:
	default:
		c.close()
	}
}
