package nakama_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/contrib/nakama"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate/client"
	"github.com/bufftick/bufftick/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// player is a client: its presence, and its screen.
type player struct {
	runtime.Presence
	name   string
	screen *client.Client
	denied []string
}

func (p *player) GetSessionId() string { return p.name }
func (p *player) GetUserId() string    { return p.name }

// message is a message from a player.
type message struct {
	*player
	op   int64
	body []byte
}

func (m message) GetOpCode() int64      { return m.op }
func (m message) GetData() []byte       { return m.body }
func (m message) GetReliable() bool     { return true }
func (m message) GetReceiveTime() int64 { return 0 }

// wire delivers the match's messages to the players' screens.
type wire struct {
	runtime.MatchDispatcher
	t *testing.T
}

func (w wire) BroadcastMessage(op int64, body []byte, to []runtime.Presence, _ runtime.Presence, _ bool) error {
	for _, p := range to {
		p := p.(*player)
		if op == nakama.OpDenied {
			p.denied = append(p.denied, string(body))
			continue
		}
		require.NoError(w.t, p.screen.Receive(body))
	}
	return nil
}

// quiet is a Logger that fails the test on a warning or an error.
type quiet struct {
	runtime.Logger
	t *testing.T
}

func (q quiet) Error(format string, v ...any) { q.t.Errorf(format, v...) }
func (q quiet) Warn(format string, v ...any)  { q.t.Errorf(format, v...) }

// TestMatch plays a match like Nakama: one call after another, each with the state returned by
// the previous one.
func TestMatch(t *testing.T) {
	cat, err := catalog.Parse("buffs.yaml", []byte(`buffs: {poison: {duration: 10s, stack: {by: source, limit: 5}}}`))
	require.NoError(t, err)
	ctx, log, d := context.Background(), quiet{t: t}, wire{t: t}
	m, err := nakama.Register(engine.Options{Catalog: cat})(ctx, log, nil, nil)
	require.NoError(t, err)
	state, rate, _ := m.MatchInit(ctx, log, nil, nil, nil)
	loop := func(messages ...runtime.MatchData) {
		t.Helper()
		state = m.MatchLoop(ctx, log, nil, nil, d, 0, state, messages)
	}
	anna, ben := &player{name: "anna", screen: client.New(client.Options{})}, &player{name: "ben", screen: client.New(client.Options{})}
	for _, p := range []*player{anna, ben} {
		var in bool
		state, in, _ = m.MatchJoinAttempt(ctx, log, nil, nil, d, 0, state, p, nil)
		require.True(t, in)
		state = m.MatchJoin(ctx, log, nil, nil, d, 0, state, []runtime.Presence{p})
		loop()
	}
	use := func(p *player, u nakama.Use) message {
		body, err := json.Marshal(u)
		require.NoError(t, err)
		return message{p, nakama.OpUse, body}
	}
	loop(use(anna, nakama.Use{Buff: "poison", Target: 2}), use(anna, nakama.Use{Buff: "poison", Target: 2}), use(anna, nakama.Use{Buff: "poisn", Target: 2}))
	require.Len(t, anna.denied, 1)
	require.Contains(t, anna.denied[0], `did you mean "poison"?`)
	for _, p := range []*player{anna, ben} {
		buffs := p.screen.Owner(2).Buffs()
		require.Len(t, buffs, 1)
		require.Equal(t, "poison", p.screen.Spec(buffs[0].Spec).ID)
		require.Equal(t, 2, buffs[0].Stacks)
	}
	for range 10 * rate {
		loop()
	}
	require.Empty(t, ben.screen.Owner(2).Buffs())
	_, said := m.MatchSignal(ctx, log, nil, nil, d, 0, state, "")
	require.Equal(t, "2 owners, 0 busy, 0 faults", said)

	state = m.MatchLeave(ctx, log, nil, nil, d, 0, state, []runtime.Presence{ben})
	loop()
	loop()
	require.NotNil(t, state)
	require.Nil(t, anna.screen.Owner(2))
	state = m.MatchLeave(ctx, log, nil, nil, d, 0, state, []runtime.Presence{anna})
	loop()
	require.Nil(t, state, "everybody has left")
}

// TestTerminate checks that the engine is closed when the server ends.
func TestTerminate(t *testing.T) {
	cat, err := catalog.Parse("buffs.yaml", []byte(`buffs: {poison: {duration: 10s}}`))
	require.NoError(t, err)
	ctx, log := context.Background(), quiet{t: t}
	m, err := nakama.Register(engine.Options{Catalog: cat})(ctx, log, nil, nil)
	require.NoError(t, err)
	state, _, _ := m.MatchInit(ctx, log, nil, nil, nil)
	require.Nil(t, m.MatchTerminate(ctx, log, nil, nil, wire{t: t}, 0, state, 5))
	require.ErrorIs(t, m.(*nakama.Match).Engine.Spawn(1, nil), engine.ErrClosed)
}

// TestKeep checks that a Nakama user gets the same owner and its buffs in the next match, whether
// the server has ended the match or crashed, and that a different user gets a different owner.
func TestKeep(t *testing.T) {
	cat, err := catalog.Parse("buffs.yaml", []byte(`buffs: {poison: {duration: 1h, stack: {by: target, limit: 5}}}`))
	require.NoError(t, err)
	disk := storetest.NewMemory()
	ctx, log, d := context.Background(), quiet{t: t}, wire{t: t}
	var state any
	begin := func() *nakama.Match {
		m, err := nakama.Keep(disk, "arena", engine.Options{Catalog: cat})(ctx, log, nil, nil)
		require.NoError(t, err)
		state, _, _ = m.MatchInit(ctx, log, nil, nil, nil)
		return m.(*nakama.Match)
	}
	join := func(m *nakama.Match, uuid string) *player {
		p := &player{name: uuid, screen: client.New(client.Options{})}
		state = m.MatchJoin(ctx, log, nil, nil, d, 0, state, []runtime.Presence{p})
		return p
	}
	loop := func(m *nakama.Match, messages ...runtime.MatchData) {
		state = m.MatchLoop(ctx, log, nil, nil, d, 0, state, messages)
	}
	poison := func(p *player, target buff.OwnerID) message {
		body, err := json.Marshal(nakama.Use{Buff: "poison", Target: target})
		require.NoError(t, err)
		return message{p, nakama.OpUse, body}
	}
	stacks := func(p *player, id buff.OwnerID) int {
		o := p.screen.Owner(id)
		require.NotNil(t, o)
		if len(o.Buffs()) == 0 {
			return 0
		}
		return o.Buffs()[0].Stacks
	}
	m := begin()
	anna := join(m, "4bba8b7e-anna")
	ben := join(m, "90cc12fd-ben")
	loop(m, poison(anna, 2), poison(anna, 2), poison(ben, 1))
	state = m.MatchLeave(ctx, log, nil, nil, d, 0, state, []runtime.Presence{anna})
	loop(m)
	require.Nil(t, m.MatchTerminate(ctx, log, nil, nil, d, 0, state, 5))

	m = begin()
	ben = join(m, "90cc12fd-ben")
	cleo := join(m, "1f00aa21-cleo")
	loop(m)
	require.Equal(t, 2, stacks(ben, 2))
	require.Zero(t, stacks(cleo, 3), "she is new")
	anna = join(m, "4bba8b7e-anna")
	loop(m, poison(anna, 3))
	require.Equal(t, 1, stacks(anna, 1), "she was away when the match ended")
	require.NoError(t, m.Save(ctx))
	loop(m, poison(anna, 3))
	crashed := m // as after a crash, without MatchTerminate

	m = begin()
	cleo = join(m, "1f00aa21-cleo")
	anna = join(m, "4bba8b7e-anna")
	loop(m)
	require.Equal(t, 1, stacks(cleo, 3), "as it was on disk")
	require.Equal(t, 1, stacks(anna, 1))
	require.Nil(t, m.MatchTerminate(ctx, log, nil, nil, d, 0, state, 5))
	crashed.Abandon(ctx)
}
