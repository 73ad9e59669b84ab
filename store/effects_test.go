package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// coinEffect is an Options.Effect that returns an effect for each coin.
func coinEffect(e *buff.Event, b []byte) ([]byte, bool) {
	if e.Kind != buff.Applied && e.Kind != buff.Stacked {
		return nil, false
	}
	return fmt.Appendf(b, "coin %d", e.Stacks), true
}

// bank is the outside world, whose state survives crashes of the game.
type bank struct {
	byID   map[buff.EventID]string
	had    map[buff.OwnerID]int // number of coins, counting each ID once
	bare   int                  // number of coins, ignoring IDs
	atOnce int                  // number of coins, counted in the frame of the event
}

func (b *bank) pay(t *testing.T, x store.Effect) {
	b.bare++
	if was, had := b.byID[x.ID]; had {
		require.Equal(t, was, string(x.Data), "%v is two things", x.ID)
		return
	}
	b.byID[x.ID] = string(x.Data)
	b.had[x.ID.Owner]++
}

// TestEffects gives coins to heroes while the process crashes again and again, before and after a
// cut is on disk, and before and after Given. Counted by ID, each coin that a hero has at the end
// must have been paid exactly once, and no other coin. As a control, too many coins are paid if
// IDs are ignored, or if the bank does not wait for the commit.
func TestEffects(t *testing.T) {
	twice, early := 0, 0
	for seed := range long.Times(40) {
		b, coins, effects := playEffects(t, rand.New(rand.NewPCG(uint64(seed), 3)))
		total := 0
		for id, n := range coins {
			require.Equal(t, n, b.had[id], "seed %d: hero %d", seed, id)
			total += n
		}
		require.Len(t, b.byID, total, "seed %d", seed)
		require.LessOrEqual(t, effects, total)
		twice += b.bare - total
		early += b.atOnce - total
	}
	t.Logf("%d games: %d coins more for who does not look at the ID, %d for who does not wait", long.Times(40), twice, early)
	require.Positive(t, twice)
	require.Positive(t, early)
}

func playEffects(t *testing.T, rng *rand.Rand) (b *bank, coins map[buff.OwnerID]int, left int) {
	const heroes = 5
	m := storetest.NewMemory()
	open := func() *store.Saver {
		return play(t, m, noon, engine.Options{}, store.Options{Every: 100 * time.Millisecond, Effect: coinEffect})
	}
	b = &bank{byID: map[buff.EventID]string{}, had: map[buff.OwnerID]int{}}
	v := open()
	for id := range buff.OwnerID(heroes) {
		require.NoError(t, v.Engine().Spawn(id+1, &hero{}))
	}
	require.NoError(t, v.SaveAll(t.Context()))
	coin := func() {
		id := buff.OwnerID(rng.IntN(heroes) + 1)
		require.NoError(t, v.Engine().Do(buff.Apply(id, buff.Application{Spec: v.Engine().Catalog().Spec("coin")})).Failure)
		b.atOnce++
	}
	paid := []buff.EventID{}
	give := func() {
		for _, x := range v.Effects() {
			b.pay(t, x)
			paid = append(paid, x.ID)
		}
	}
	for range 40 {
		for range rng.IntN(4) {
			coin()
		}
		f := v.Engine().Tick(50 * time.Millisecond)
		if rng.IntN(8) == 0 {
			coin() // recorded for a cut that starts in After, and again in the next frame
		}
		v.After(f)
		if rng.IntN(4) == 0 {
			coin()
			require.NoError(t, v.SaveAll(t.Context()))
		}
		give()
		if rng.IntN(2) == 0 {
			for _, id := range paid {
				v.Given(id)
			}
			paid = paid[:0]
		}
		if rng.IntN(6) == 0 { // crash
			v.Close()
			v, paid = open(), paid[:0]
		}
	}
	for range rng.IntN(3) {
		coin()
	}
	require.NoError(t, v.Drain(t.Context()))
	give()
	for _, id := range paid[:len(paid)/2] {
		v.Given(id) // too late, so the effects are returned again
	}
	v = open()
	give()
	for _, id := range paid {
		v.Given(id)
	}
	coins = map[buff.OwnerID]int{}
	for id := range buff.OwnerID(heroes) {
		buffs, err := v.Engine().Buffs(id + 1)
		require.NoError(t, err)
		for x := range buffs.All() {
			coins[id+1] += x.Stacks
		}
	}
	require.NoError(t, v.SaveAll(t.Context()))
	w := open()
	return b, coins, len(w.Effects())
}

// TestEffects_TooMany checks that effects beyond the limits are reported, and that a panic in a
// callback loses only one effect.
func TestEffects_TooMany(t *testing.T) {
	calls := 0
	v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: -1, Effect: func(e *buff.Event, b []byte) ([]byte, bool) {
		switch calls++; calls {
		case 1:
			panic("no such bank")
		case 2:
			return make([]byte, store.MostEffectBytes), true
		}
		return []byte{1}, true
	}})
	require.NoError(t, v.Engine().Spawn(1, &hero{}))
	for range 3 {
		require.NoError(t, v.Engine().Do(buff.Apply(1, buff.Application{Spec: v.Engine().Catalog().Spec("coin")})).Failure)
	}
	pass(v, 50*time.Millisecond)
	require.EqualValues(t, 2, v.Stats().Refused)
	require.ErrorIs(t, v.Stats().Last, store.ErrTooLarge)
	require.ErrorContains(t, v.Stats().Last, "event 1:3 is lost")
	require.Empty(t, v.Effects(), "it is not on disk")
	require.NoError(t, v.SaveAll(t.Context()))
	list := v.Effects()
	require.Len(t, list, 1)
	require.Equal(t, buff.EventID{Owner: 1, Seq: 2}, list[0].ID)
	v.Given(list[0].ID)
	require.NoError(t, v.SaveAll(t.Context()))
	require.Empty(t, v.Effects())
}

// TestEffects_Once checks that each effect is returned once in a run, in order, regardless of
// which effects were given before. Effects given before a cut are not returned in the next run,
// and no longer count towards the limits.
func TestEffects_Once(t *testing.T) {
	m := storetest.NewMemory()
	size := store.MostEffectBytes / 3
	open := func() *store.Saver {
		return play(t, m, noon, engine.Options{}, store.Options{Every: -1, Effect: func(e *buff.Event, b []byte) ([]byte, bool) {
			return append(b, make([]byte, size)...), e.Kind == buff.Applied || e.Kind == buff.Stacked
		}})
	}
	v := open()
	require.NoError(t, v.Engine().Spawn(1, &hero{}))
	coin := func() {
		t.Helper()
		require.NoError(t, v.Engine().Do(buff.Apply(1, buff.Application{Spec: v.Engine().Catalog().Spec("coin")})).Failure)
		// The effect is recorded before its frame, and the event is also part of the next frame.
		require.NoError(t, v.SaveAll(t.Context()))
		pass(v, 50*time.Millisecond)
		require.Zero(t, v.Stats().Refused)
	}
	effects := func() (seqs []uint64) {
		require.NoError(t, v.SaveAll(t.Context()))
		for _, x := range v.Effects() {
			seqs = append(seqs, x.ID.Seq)
		}
		return seqs
	}
	give := func(seq uint64) { v.Given(buff.EventID{Owner: 1, Seq: seq}) }
	coin()
	coin()
	require.Equal(t, []uint64{1, 2}, effects())
	give(1)
	coin()
	coin() // the first effect was removed, so there is room
	require.Equal(t, []uint64{3, 4}, effects())
	give(3)
	give(4)
	require.Empty(t, effects())
	coin()
	require.Equal(t, []uint64{5}, effects())
	v.Close() // crash

	v = open()
	give(5) // the effect has not been returned yet
	require.Equal(t, []uint64{2}, effects())
	give(2)
	require.Empty(t, effects())
	v = open()
	require.Empty(t, effects())
	require.Zero(t, v.Stats().Refused)
}

// TestStateDamaged checks that truncated effects and commands in a zone's state are reported,
// and that the owners are restored.
func TestStateDamaged(t *testing.T) {
	for text, state := range map[string][]byte{
		"how many":  {2},
		"whose":     {2, 1, 0x80},
		"how long":  {2, 1, 7, 1},
		"its bytes": {2, 1, 7, 1, 3, 'a', 'b'},
	} {
		m := storetest.NewMemory()
		v := play(t, m, noon, engine.Options{}, store.Options{Every: -1})
		require.NoError(t, v.Engine().Spawn(1, &hero{}))
		require.NoError(t, v.SaveAll(t.Context()))
		cut, err := m.Open(t.Context(), "arena")
		require.NoError(t, err)
		b := &store.Batch{Head: cut.Head, Since: cut.Frame}
		b.Frame, b.State = cut.Frame+1, state
		require.NoError(t, m.Commit(t.Context(), b))
		r := play(t, m, noon, engine.Options{}, store.Options{}).Restored()
		require.Equal(t, 1, r.Owners)
		require.Len(t, r.Failed, 1, text)
		require.EqualError(t, r.Failed[0], "a waiting command: store: damaged: the state: truncated effect"+
			"; nothing has been changed: restore a copy, or list the intact records with: bufftick cut -verify", text)
	}
}
