package rival

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Scaled is what an event costs at one size, with so many workers; 0 is the loop itself.
type Scaled struct {
	Players, Buffs, Workers int

	Wall    load.Spread // ns of Tick for each event
	CPU     load.Spread // ns of processor time in Tick for each event
	Frame   load.Spread // ns of a Tick
	Bytes   float64     // of the heap for each buff, players included
	Samples []float64   // Wall of each turn
}

// Each player has so many buffs, of which two pulse every 3 s.
const (
	period       = 3000 // ms
	scaleBuffs   = 10
	scalePulsing = 2
)

// Scale measures worlds of that size, one for each number of workers, in turn; a turn is 3 s
// of the game, in which everything that pulses does so once. It fails if one pulse too few
// or too many is seen in any frame.
func Scale(players, turns int, workers []int, progress func(float64)) ([]Scaled, error) {
	out := make([]Scaled, len(workers))
	worlds := make([]*scaleWorld, len(workers))
	wall, cpu, one := make([][]float64, len(workers)), make([][]float64, len(workers)), make([][]float64, len(workers))
	for i, n := range workers {
		before := gauge.LiveHeap()
		w, err := newScaleWorld(players, n)
		if err != nil {
			return nil, err
		}
		out[i] = Scaled{Players: players, Buffs: players * scaleBuffs, Workers: n}
		out[i].Bytes = float64(gauge.LiveHeap()-before) / float64(players*scaleBuffs)
		worlds[i] = w
	}
	for turn := range turns + 1 { // the first is not counted
		for i, w := range worlds {
			t, c, err := w.turn()
			if err != nil {
				return nil, fmt.Errorf("%d players, %d workers: %w", players, workers[i], err)
			}
			if events := float64(players * scalePulsing); turn > 0 {
				wall[i], cpu[i] = append(wall[i], float64(t)/events), append(cpu[i], float64(c)/events)
				one[i] = append(one[i], float64(t)/scaleFrames)
			}
		}
		progress(float64(turn+1) / float64(turns+1))
	}
	for i, w := range worlds {
		out[i].Wall, out[i].CPU, out[i].Frame = load.SpreadOf(wall[i]), load.SpreadOf(cpu[i]), load.SpreadOf(one[i])
		out[i].Samples = wall[i]
		if err := w.eng.Close(context.Background()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// scaleFrames is how many frames a period has.
const scaleFrames = period / frame

type scaleWorld struct {
	eng     *engine.Engine
	players int
	health  []int64
}

func newScaleWorld(players, workers int) (*scaleWorld, error) {
	cat, err := buff.NewCatalog(
		buff.Spec{
			ID: "pulse", Kind: buff.Infinite, Period: period * time.Millisecond, Stack: buff.Stacking{By: buff.BySource},
			On: buff.Hooks{Pulse: []buff.Action{{Do: buff.DoCall, Name: "hurt"}}},
		},
		buff.Spec{ID: "plain", Duration: 10 * time.Hour, Stack: buff.Stacking{By: buff.BySource}})
	if err != nil {
		return nil, err
	}
	w := &scaleWorld{players: players, health: make([]int64, players)}
	w.eng, err = engine.New(engine.Options{
		Catalog: cat, Workers: workers, Synchronous: workers == 0, Budget: -1,
		Handlers: engine.Handlers{"hurt": func(c *engine.Context, _ buff.Event) { *c.Data().(*int64)-- }},
	})
	if err != nil {
		return nil, err
	}
	for i := range players {
		if err := w.eng.Spawn(buff.OwnerID(i+1), &w.health[i]); err != nil {
			return nil, err
		}
	}
	specs := [2]*buff.Spec{cat.Spec("pulse"), cat.Spec("plain")}
	for f := range scaleFrames { // the players whose number leaves f pulse in frame f
		for p := f; p < players; p += scaleFrames {
			for n := range scaleBuffs {
				spec := specs[1]
				if n < scalePulsing {
					spec = specs[0]
				}
				if _, r := w.eng.AddBuff(buff.OwnerID(p+1), buff.Application{Spec: spec, Source: buff.OwnerID(n + 1)}); r.Err != nil {
					return nil, r.Err
				}
			}
		}
		w.eng.Tick(frame * time.Millisecond)
	}
	return w, nil
}

// turn plays 3 s.
func (w *scaleWorld) turn() (wall, cpu time.Duration, err error) {
	for f := range scaleFrames {
		c, start := gauge.CPU(), time.Now()
		got := w.eng.Tick(frame * time.Millisecond).Len()
		wall += time.Since(start)
		cpu += gauge.CPU() - c
		// Who was filled in frame f pulses 3 s later, which is the frame before that of this turn.
		first := (f + 1) % scaleFrames
		if want := scalePulsing * ((w.players - first + scaleFrames - 1) / scaleFrames); got != want {
			return 0, 0, fmt.Errorf("%d events in frame %d of a turn, want %d", got, f, want)
		}
	}
	return wall, cpu, nil
}
