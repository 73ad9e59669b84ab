package store_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

var effectSeeds = flag.Int("effect.seeds", 200, "games of TestEffects")

// coinEffect gives out something for each coin.
func coinEffect(e *buff.Event, b []byte) ([]byte, bool) {
	if e.Kind != buff.Applied && e.Kind != buff.Stacked {
		return nil, false
	}
	return fmt.Appendf(b, "coin %d", e.Stacks), true
}

// bank is the world outside: it has had what it has had, whatever becomes of the game.
type bank struct {
	byID   map[buff.EventID]string
	had    map[buff.OwnerID]int // by who looks at the ID
	bare   int                  // by who does not
	atOnce int                  // by who is given what happens in a frame in that frame
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

// TestEffects: heroes get coins while the process dies again and again, before and after what it has given out is on disk, and
// before and after it is known to have been given. By its ID each coin that a hero has in the end has been paid
// once, and no other one. The controls: who does not look at the ID, and who does not wait for the commit, pays too often.
func TestEffects(t *testing.T) {
	twice, early := 0, 0
	for seed := range *effectSeeds {
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
	t.Logf("%d games: %d coins more for who does not look at the ID, %d for who does not wait", *effectSeeds, twice, early)
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
		require.NoError(t, v.Engine().Do(buff.Apply(id, buff.Application{Spec: v.Engine().Catalog().Spec("coin")})).Err)
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
			coin() // is in a cut that begins in After, and in the next frame
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
		if rng.IntN(6) == 0 { // it dies
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
		v.Given(id) // too late: they come again
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

// TestEffectsTooMany: what has no room is said, and a function of the game that panics costs one effect.
func TestEffectsTooMany(t *testing.T) {
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
		require.NoError(t, v.Engine().Do(buff.Apply(1, buff.Application{Spec: v.Engine().Catalog().Spec("coin")})).Err)
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
