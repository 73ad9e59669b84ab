package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/replicate/client"
	"github.com/bufftick/bufftick/wheel"
)

// pipes is a listener whose connections need no network, so the whole server can run in a bubble of
// synctest.
type pipes struct {
	come   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.come:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "a pipe"} }

// evening is a test in which several processes serve the same world, one after the other.
type evening struct {
	*testing.T
	file string
	pass func(time.Duration)
	door *pipes
}

// bubble runs a test in a bubble of synctest.
func bubble(t *testing.T, f func(e *evening)) {
	file := filepath.Join(t.TempDir(), "world.db")
	synctest.Test(t, func(t *testing.T) {
		f(&evening{T: t, file: file, pass: func(d time.Duration) { time.Sleep(d); synctest.Wait() }})
	})
}

// life runs one process from its start to its end.
func (e *evening) life(f func()) {
	e.door = &pipes{come: make(chan net.Conn), closed: make(chan struct{})}
	ctx, stop := context.WithCancel(e.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, e.door, e.file) }()
	f()
	stop()
	require.NoError(e, <-ended)
	synctest.Wait()
}

// guest is a player in a test.
type guest struct {
	*evening
	net    net.Conn
	mu     sync.Mutex
	screen *client.Client
	at     time.Time // when the last packet arrived
	unread string    // messages since the last call to heard
	gone   bool
}

func (e *evening) enter(name string) *guest {
	ours, theirs := net.Pipe()
	e.door.come <- theirs
	g := &guest{evening: e, net: ours, screen: client.New(client.Options{})}
	go g.listen()
	g.do("join " + name)
	return g
}

func (g *guest) listen() {
	for in := json.NewDecoder(g.net); ; {
		var m message
		err := in.Decode(&m)
		g.mu.Lock()
		if g.gone = err != nil; g.gone {
			g.mu.Unlock()
			return
		}
		g.unread += m.Text
		if m.Packet != nil {
			g.at = time.Now()
			require.NoError(g, g.screen.Receive(m.Packet))
		}
		g.mu.Unlock()
	}
}

// do sends a line and waits a few frames for the effects of the line.
func (g *guest) do(line string) {
	_, err := fmt.Fprintln(g.net, line)
	require.NoError(g, err)
	g.pass(3 * frame)
}

// heard returns the messages since the last call to heard.
func (g *guest) heard() (messages string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	messages, g.unread = g.unread, ""
	return messages
}

// sees returns the buffs of a player on the guest's screen.
func (g *guest) sees(id buff.OwnerID) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	o := g.screen.Owner(id)
	if o == nil {
		return "nobody"
	}
	var all []string
	for _, b := range o.Buffs() {
		left, _ := b.Left(g.screen.Now() + wheel.Time(time.Since(g.at).Milliseconds()))
		all = append(all, fmt.Sprintf("%s x%d %.1fs", g.screen.Spec(b.Spec).ID, b.Stacks, float64(left)/1000))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// health returns the health of a player on the guest's screen.
func (g *guest) health(id buff.OwnerID) float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	health, _ := g.screen.Owner(id).Attribute("health")
	return health
}

// TestRestart checks that the buffs of players continue after a restart, according to the clock of
// each buff.
func TestRestart(t *testing.T) {
	bubble(t, func(e *evening) {
		e.life(func() {
			anna, ben := e.enter("anna"), e.enter("ben")
			anna.do("use bash 2")
			ben.do("use fireball 1")
			// The cooldown's requirement fails, because ben is stunned.
			require.Contains(e, ben.heard(), "no: buff: denied: requirement")
			anna.do("use poison 2")
			anna.do("use feast 1")
			e.pass(7 * time.Second)
			require.Equal(e, "poison x1 4.8s", anna.sees(2))
			require.Equal(e, "bash_cooldown x1 0.5s, feast x1 3592.9s", anna.sees(1))
			require.Equal(e, "feast x1 3592.9s", ben.sees(1)) // a cooldown is sent only to its owner
			ben.do("look")
			require.Contains(e, ben.heard(), "1 anna\n2 ben\n")
			require.Equal(e, 92., anna.health(2))
			require.NoError(e, anna.net.Close())
			e.pass(2 * frame)
			require.Equal(e, "nobody", ben.sees(1))
		})
		e.pass(10 * time.Minute)
		e.life(func() {
			ben := e.enter("ben")
			require.Equal(e, "poison x1 4.4s", ben.sees(2)) // the time of the poison was stopped
			e.pass(time.Minute)
			e.enter("anna")
			require.Equal(e, "feast x1 2932.3s", ben.sees(1)) // the time of the feast continued
			require.Equal(e, 84., ben.health(2))
		})
	})
}

// TestDeath checks that a dead player revives after five seconds, even if the server was restarted
// in the meantime.
func TestDeath(t *testing.T) {
	bubble(t, func(e *evening) {
		e.life(func() {
			anna := e.enter("anna")
			for range 3 {
				anna.do("use fireball 1") // 25 points of damage, then four pulses of 1
				e.pass(6 * time.Second)
			}
			anna.do("use fireball 1")
			anna.do("use might 1")
			require.Contains(e, anna.heard(), "no: buff: denied: dead")
		})
		e.pass(10 * time.Minute)
		e.life(func() {
			anna := e.enter("anna")
			anna.do("use might 1")
			require.Contains(e, anna.heard(), "no: buff: denied: dead")
			e.pass(5 * time.Second)
			require.Contains(e, anna.heard(), "value=100")
			anna.do("use might 1")
			require.Contains(e, anna.heard(), "apply might")
		})
	})
}

// TestServer_InvalidMessages checks that invalid messages get an answer or end the connection, and
// do not affect other players.
func TestServer_InvalidMessages(t *testing.T) {
	bubble(t, func(e *evening) {
		e.life(func() {
			anna := e.enter("anna")
			for line, want := range map[string]string{
				"use poisn 1":   `no: buff: no such definition: "poisn": did you mean "poison"?`,
				"use respawn 1": "no: respawn is not an ability",
				"use poison x":  "no: ",
				"use poison 77": "no: engine: unknown owner: 77",
				"join ben":      "no: unknown command",
				"":              "no: unknown command",
			} {
				anna.do(line)
				require.Contains(e, anna.heard(), want, "%q", line)
			}
			for name, want := range map[string]string{
				"anna":                  "no: engine: owner already exists",
				strings.Repeat("x", 21): "no: the tavern is full",
			} {
				require.Contains(e, e.enter(name).heard(), want)
			}
			flood := e.enter("ben")
			_, _ = flood.net.Write(make([]byte, 1<<20)) // a line without an end
			e.pass(2 * frame)
			flood.mu.Lock()
			require.True(e, flood.gone)
			flood.mu.Unlock()
			anna.do("use renew 1")
			require.Contains(e, anna.heard(), "apply renew")
		})
	})
}

// TestSilentClient checks that a client that does not read is disconnected, and that other players
// are not affected.
func TestSilentClient(t *testing.T) {
	bubble(t, func(e *evening) {
		e.life(func() {
			ours, theirs := net.Pipe()
			e.door.come <- theirs
			_, err := fmt.Fprintln(ours, "join deaf")
			require.NoError(e, err)
			e.pass(2 * frame)
			anna := e.enter("anna")
			require.Contains(e, anna.heard(), "you are 2")
			for range 80 {
				anna.do("use might 2")
			}
			require.Equal(e, "nobody", anna.sees(1))
			anna.do("look")
			require.NotContains(e, anna.heard(), "deaf")
		})
	})
}
