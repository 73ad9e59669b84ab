package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bufftick/bufftick/examples/arena/game"
	"github.com/bufftick/bufftick/replicate/client"
)

// TestMain ignores the goroutines that the imported package ants starts.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// newServer returns a Server of a small arena. The test must advance the time.
func newServer(t *testing.T, o game.Options) *Server {
	t.Helper()
	o.Budget = -1
	w, err := game.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close(context.Background())) })
	return New(w)
}

// tab is a page without a browser and without a socket.
type tab struct {
	*player
	t       *testing.T
	screen  *client.Client
	hellos  []hello
	kinds   map[byte]int
	answers [][]byte
}

func enter(t *testing.T, s *Server, first ...byte) *tab {
	t.Helper()
	p := &tab{player: newPlayer(), t: t, screen: client.New(client.Options{}), kinds: map[byte]int{}}
	s.arrivals <- p.player
	p.say(first...)
	return p
}

func (p *tab) say(b ...byte) {
	var m message
	m.size = uint8(copy(m.bytes[:], b))
	p.in <- m
}

// read reads all messages that wait for the tab.
func (p *tab) read() {
	p.t.Helper()
	for len(p.out) > 0 {
		b := <-p.out
		p.kinds[b[0]]++
		switch {
		case b[0]>>4 == 1:
			require.NoError(p.t, p.screen.Receive(b))
		case b[0] == msgHello:
			var h hello
			require.NoError(p.t, json.Unmarshal(b[1:], &h))
			p.hellos = append(p.hellos, h)
			p.screen = client.New(client.Options{})
		case b[0] == msgAnswer:
			p.answers = append(p.answers, b)
		}
	}
}

func (s *Server) run(n int, tabs ...*tab) {
	for range n {
		s.Frame()
		for _, p := range tabs {
			p.read()
		}
	}
}

// TestTabs checks that two tabs have different heroes, that each tab shows the buffs of both heroes
// as the engine has them, and that a spectator sees no cooldowns.
func TestTabs(t *testing.T) {
	s := newServer(t, game.Options{Heroes: 20, Seed: 5})
	anna, ben, on := enter(t, s, askPlay), enter(t, s, askPlay), enter(t, s, askWatch, 0, 0)
	s.run(60, anna, ben, on)
	a, b := anna.hellos[0], ben.hellos[0]
	require.NotZero(t, a.You)
	require.NotZero(t, b.You)
	require.NotEqual(t, a.You, b.You)
	require.Zero(t, on.hellos[0].You)
	anna.say(askCast, byte(game.Haste), 1, 0)
	s.run(2, anna, ben, on)
	anna.say(askCast, byte(game.Haste), 2, 1)
	s.run(20, anna, ben, on)
	require.Len(t, anna.answers, 2)
	require.Equal(t, []byte{msgAnswer, byte(game.Haste), byte(game.Done), 1, 0}, anna.answers[0][:5])
	require.Equal(t, []byte{msgAnswer, byte(game.Haste), byte(game.NotReady), 2, 1}, anna.answers[1][:5])
	for _, p := range []*tab{anna, ben, on} {
		require.Positive(t, p.kinds[msgScene])
		require.Positive(t, p.kinds[msgTruth])
		cooldown := false
		for _, b := range p.screen.Owner(a.You).Buffs() {
			cooldown = cooldown || p.screen.Spec(b.Spec).ID == "haste_cooldown"
		}
		require.Equal(t, p == anna, cooldown)
	}
}

// TestServer_ReturningPlayer checks that a player who returns with the token gets the same hero,
// which a bot has played in the meantime. After a long absence the hero is no longer reserved.
func TestServer_ReturningPlayer(t *testing.T) {
	s := newServer(t, game.Options{Heroes: 10})
	p := enter(t, s, askPlay)
	s.run(3, p)
	was := p.hellos[0]
	close(p.gone)
	s.run(200)
	require.Empty(t, s.players)
	require.False(t, s.world.Unit(was.You).Played)
	require.True(t, s.world.Unit(was.You).Taken)
	q := enter(t, s, append([]byte{askPlay}, was.Token...)...)
	s.run(3, q)
	require.Equal(t, was.You, q.hellos[0].You)
	require.True(t, s.world.Unit(was.You).Played)

	other := enter(t, s, append([]byte{askPlay}, was.Token...)...) // the same page in another tab
	s.run(3, q, other)
	require.Equal(t, was.You, other.hellos[0].You)
	require.True(t, q.over)

	close(other.gone)
	s.run(kept + 2)
	require.False(t, s.world.Unit(was.You).Taken)
	require.Empty(t, s.heroes)
}

// TestFull checks that a new player becomes a spectator when all heroes are taken.
func TestFull(t *testing.T) {
	s := newServer(t, game.Options{Heroes: 10})
	for range 10 {
		p := enter(t, s, askPlay)
		s.run(2, p)
		require.NotZero(t, p.hellos[0].You)
	}
	p := enter(t, s, askPlay)
	s.run(2, p)
	require.Zero(t, p.hellos[0].You)
}

// TestPause checks that any player may pause the game, and that the game resumes after a while.
func TestPause(t *testing.T) {
	s := newServer(t, game.Options{Heroes: 10})
	p := enter(t, s, askPlay)
	s.run(3, p)
	p.say(askPause, 1)
	s.run(3, p)
	require.True(t, s.world.Paused(0))
	s.run(stillMost, p)
	require.False(t, s.world.Paused(0))
}

// TestForeign checks that an invalid message ends the connection of its sender.
func TestForeign(t *testing.T) {
	s := newServer(t, game.Options{Heroes: 10})
	for _, m := range [][]byte{{}, {askWalk, 1}, {askGo, 1, 2, 3, 4, 5}, {0x77}, {0x10, 1, 1}, {replicateLost}, {askPing}} {
		p := enter(t, s, askPlay)
		s.run(2, p)
		p.say(m...)
		s.run(2, p)
		require.True(t, p.over, "%x", m)
		close(p.gone)
	}
	p := enter(t, s, askWalk, 1, 1) // before the first request
	s.run(1)
	require.True(t, p.over)
	quiet := &tab{player: newPlayer(), t: t, kinds: map[byte]int{}}
	s.arrivals <- quiet.player
	s.run(patienceTo + 2)
	require.True(t, quiet.over)
}

const replicateLost = 0x20

// TestLoad checks that a load test prints its results, and that its viewers receive the state of
// the engine.
func TestLoad(t *testing.T) {
	w, err := game.New(game.Options{Heroes: 20})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	require.NoError(t, Load(ctx, w, 20, &out))
	require.Contains(t, out.String(), "viewers 20")
	require.NoError(t, w.Close(context.Background()))
}

// TestAsk checks that Ask calls a function on the loop, and fails when the loop has ended.
func TestAsk(t *testing.T) {
	s := newServer(t, game.Options{Heroes: 10})
	done := make(chan error)
	go func() { done <- s.Ask(t.Context(), func(w *game.World) { w.Pause(0, true) }) }()
	f := <-s.asks
	s.asks <- f
	s.Frame()
	require.NoError(t, <-done)
	require.True(t, s.world.Paused(0))
	s.end()
	require.ErrorIs(t, s.Ask(t.Context(), func(*game.World) {}), errOver)
}
