package main_test

import (
	"context"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// All benchmarks of the engine use the same world. In this world, each player has two poisons,
// which pulse every 3 s and call a handler, and eight blessings, which do not pulse.
const (
	poisons   = 2
	blessings = 8
	carried   = poisons + blessings
	period    = 3 * time.Second
	frame     = 50 * time.Millisecond
)

var frames = int(period / frame) // number of frames in which every poison pulses once

// world is an engine with players and definitions. The ids of the players start at 1.
type world struct {
	*engine.Engine
	players          int
	poison, blessing *buff.Spec
}

// newWorld returns a world whose players have no buffs. If workers is 0, the engine is synchronous.
func newWorld(b *testing.B, players, workers int) *world {
	b.Helper()
	return newWorldWithin(b, players, workers, -1) // every Tick waits for all handlers of its frame
}

// newWorldWithin is like newWorld, but sets the budget of a Tick.
func newWorldWithin(b *testing.B, players, workers int, budget time.Duration) *world {
	b.Helper()
	catalog, err := buff.NewCatalog(
		buff.Spec{
			ID: "poison", Kind: define.Infinite, Period: period,
			On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "hurt"}}},
		},
		buff.Spec{ID: "blessing", Duration: 100 * time.Hour, Stack: define.Stacking{By: define.BySource}},
	)
	require.NoError(b, err)
	eng, err := engine.New(engine.Options{
		Catalog:     catalog,
		Handlers:    engine.Handlers{"hurt": func(c *engine.Context, e buff.Event) { *c.Data().(*int64) -= int64(e.Stacks) }},
		Workers:     workers,
		Synchronous: workers == 0,
		Budget:      budget,
	})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, eng.Close(context.Background())) })
	health := make([]int64, players)
	for i := range health {
		require.NoError(b, eng.Spawn(buff.OwnerID(i+1), &health[i]))
	}
	return &world{Engine: eng, players: players, poison: catalog.Spec("poison"), blessing: catalog.Spec("blessing")}
}

// fill gives every player all buffs, with the poisons spread evenly over a period.
func (w *world) fill() {
	for f := range frames {
		for p := 1 + f; p <= w.players; p += frames {
			for range poisons {
				w.poisonAt(p)
			}
			for source := range blessings {
				w.bless(p, source)
			}
		}
		w.Tick(frame)
	}
	for range frames { // let the lists grow to their final size
		w.Tick(frame)
	}
}

// bless gives a player a blessing from a source, or refreshes the blessing if the player has it.
func (w *world) bless(player, source int) buff.Handle {
	h := w.AddBuff(buff.OwnerID(player), buff.Application{Spec: w.blessing, Source: buff.OwnerID(source)}).Handle
	return h
}

// poisonAt applies a poison to a player. The first pulse is due after one period.
func (w *world) poisonAt(player int) {
	w.AddBuff(buff.OwnerID(player), buff.Application{Spec: w.poison})
}
