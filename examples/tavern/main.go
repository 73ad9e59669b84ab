// Command tavern is a complete small game server. Players connect over TCP, use abilities on other
// players, see the active buffs on their screens, and find the world unchanged after a restart.
//
//	go run ./examples/tavern                 # serves, and keeps the world in world.db
//	go run ./examples/tavern -join anna      # plays: "use poison 1", "look"
//
// The loop and the network are in main.go, the game in world.go, the client in client.go, and the
// rules in buffs.yaml. Chapters 8 to 10 of the guide explain the calls of the library.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/store/bolt"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:7777", "where players connect")
	file := flag.String("world", "world.db", "the file that the world is kept in")
	name := flag.String("join", "", "play under this name, instead of serving")
	flag.Parse()
	if err := run(*addr, *file, *name); err != nil {
		log.Fatal("tavern: ", err)
	}
}

func run(addr, file, name string) error {
	if name != "" {
		return play(addr, name, os.Stdin)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return serve(ctx, l, file)
}

// serve runs the game until ctx ends, and then saves the world.
func serve(ctx context.Context, l net.Listener, file string) error {
	defer l.Close()
	disk, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		return err
	}
	defer disk.Close()
	w, err := open(ctx, disk)
	if err != nil {
		return err
	}
	log.Printf("%d known players, listening on %v", len(w.ids), l.Addr())
	go w.accept(ctx, l)
	ticks := time.Tick(frame)
	for last := time.Now(); ; {
		select {
		case now := <-ticks:
			w.frame(now.Sub(last))
			last = now
		case <-ctx.Done():
			end, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			return w.zone.Drain(end)
		}
	}
}

// message is a line of JSON from the server. A line from a client is a command.
type message struct {
	Text   string `json:",omitempty"` // answers and events
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

// read executes the commands of a player until the player leaves.
func (w *world) read(c *conn, in *bufio.Scanner) {
	defer c.close()
	inbox := w.eng.Inbox().For("network")
	for in.Scan() {
		err := inbox.Run(c.ctx, func(*engine.Engine) {
			if err := w.command(c, in.Text()); err != nil {
				c.send(message{Text: fmt.Sprintln("no:", err)})
			}
		})
		if err != nil {
			return // the connection is closed, or the inbox is full
		}
	}
}

func (c *conn) write(out *json.Encoder) {
	for {
		select {
		case m := <-c.out:
			if out.Encode(m) != nil {
				c.close()
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// send queues a message. If the client does not read, it closes the connection and never blocks.
func (c *conn) send(m message) {
	select {
	case c.out <- m:
	default:
		c.close()
	}
}
