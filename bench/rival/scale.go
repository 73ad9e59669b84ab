package rival

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// Size is the size of a world: the number of players and the number of workers. With 0 workers, the
// loop runs the handlers.
type Size struct{ Players, Workers int }

// Scaled is the cost of an event in a world.
type Scaled struct {
	Players, Buffs, Workers int

	Wall    load.Spread // duration of Tick per event, in ns
	CPU     load.Spread // processor time in Tick per event, in ns
	Frame   load.Spread // duration of a Tick in ns
	Access  load.Spread // processor time of a random access to the same amount of memory, in ns; only without workers
	Bytes   float64     // size of the heap, including the players, divided by the number of buffs
	Samples []float64   // values of Wall by round
	CPUs    []float64   // values of CPU by round
}

// Each player has ten buffs, two of which pulse every 3 s.
const (
	period       = 3000 // ms
	scaleBuffs   = 10
	scalePulsing = 2
)

// ScaleEvents is the number of events that a world plays in a round. With fewer events, the figures
// of a small world would be dominated by the cache misses after a large world.
const ScaleEvents = 200_000

// Scale measures the worlds alternately (A B A B), so that changes in the speed of the machine
// affect all of them. In each round, each world plays a multiple of 3 s that has about the given
// number of events. In 3 s every pulsing buff pulses once. Scale fails if any frame has a wrong
// number of pulses.
func Scale(sizes []Size, rounds, events int, progress func(float64)) ([]Scaled, error) {
	out := make([]Scaled, len(sizes))
	worlds := make([]*scaleWorld, len(sizes))
	most := 0
	for i, size := range sizes {
		before := gauge.LiveHeap()
		w, err := newScaleWorld(size.Players, size.Workers)
		if err != nil {
			return nil, err
		}
		bytes := float64(gauge.LiveHeap() - before)
		out[i] = Scaled{Players: size.Players, Buffs: size.Players * scaleBuffs, Workers: size.Workers}
		out[i].Bytes = bytes / float64(out[i].Buffs)
		if worlds[i] = w; size.Workers == 0 {
			most = max(most, int(bytes))
		}
	}
	floor := newMemory(most)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no garbage collection during the measurement
	rows := make([]scaleRow, len(sizes))
	for round := range rounds + 1 { // the first round is not counted
		for i, w := range worlds {
			if err := rows[i].play(w, events, round > 0); err != nil {
				return nil, fmt.Errorf("%d players, %d workers: %w", sizes[i].Players, sizes[i].Workers, err)
			}
			if sizes[i].Workers == 0 {
				rows[i].access = append(rows[i].access, floor.access(int(out[i].Bytes)*out[i].Buffs))
			}
			progress((float64(round) + float64(i+1)/float64(len(worlds))) / float64(rounds+1))
		}
	}
	for i, w := range worlds {
		r := &rows[i]
		out[i].Wall, out[i].CPU, out[i].Frame = load.SpreadOf(r.wall), load.SpreadOf(r.cpu), load.SpreadOf(r.frame)
		if len(r.access) > 0 {
			out[i].Access = load.SpreadOf(r.access[1:])
		}
		out[i].Samples, out[i].CPUs = r.wall, r.cpu
		if err := w.eng.Close(context.Background()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// scaleRow holds the samples of a world, by round.
type scaleRow struct{ wall, cpu, frame, access []float64 }

// play runs one round of a world. If counts is true, it adds the results to the samples.
func (r *scaleRow) play(w *scaleWorld, events int, counts bool) error {
	turns := max(1, events/(w.players*scalePulsing))
	var wall time.Duration
	start := gauge.CPU() // read once for all turns, because reading it takes as long as two events
	for range turns {
		t, err := w.turn()
		if err != nil {
			return err
		}
		wall += t
	}
	cpu := gauge.CPU() - start
	if seen := float64(turns * w.players * scalePulsing); counts {
		r.wall, r.cpu = append(r.wall, float64(wall)/seen), append(r.cpu, float64(cpu)/seen)
		r.frame = append(r.frame, float64(wall)/float64(turns*scaleFrames))
	}
	return nil
}

// scaleFrames is the number of frames in a period.
const scaleFrames = period / frame

type scaleWorld struct {
	eng     *engine.Engine
	players int
	health  []int64
}

func newScaleWorld(players, workers int) (*scaleWorld, error) {
	cat, err := buff.NewCatalog(
		buff.Spec{
			ID: "pulse", Kind: define.Infinite, Period: period * time.Millisecond, Stack: define.Stacking{By: define.BySource},
			On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "hurt"}}},
		},
		buff.Spec{ID: "plain", Duration: 10 * time.Hour, Stack: define.Stacking{By: define.BySource}})
	if err != nil {
		return nil, err
	}
	w := &scaleWorld{players: players, health: make([]int64, players)}
	w.eng, err = engine.New(engine.Options{
		Catalog: cat, Workers: workers, Synchronous: workers == 0, Budget: -1,
		Limits:   engine.Limits{Tick: 1 << 20}, // the largest world has 33,334 events in a frame
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
	for f := range scaleFrames { // frame f adds the players whose number % scaleFrames == f
		for p := f; p < players; p += scaleFrames {
			for n := range scaleBuffs {
				spec := specs[1]
				if n < scalePulsing {
					spec = specs[0]
				}
				if r := w.eng.AddBuff(buff.OwnerID(p+1), buff.Application{Spec: spec, Source: buff.OwnerID(n + 1)}); r.Failure != nil {
					return nil, r.Failure
				}
			}
		}
		w.eng.Tick(frame * time.Millisecond)
	}
	return w, nil
}

// turn plays 3 s and checks the number of events in each frame.
func (w *scaleWorld) turn() (wall time.Duration, err error) {
	for f := range scaleFrames {
		start := time.Now()
		got := w.eng.Tick(frame * time.Millisecond).Len()
		wall += time.Since(start)
		// Players that were added at the start of frame f+1 pulse at the end of frame f, because
		// the period is a whole number of frames.
		first := (f + 1) % scaleFrames
		if want := scalePulsing * ((w.players - first + scaleFrames - 1) / scaleFrames); got != want {
			return 0, fmt.Errorf("%d events in frame %d of a turn, want %d", got, f, want)
		}
	}
	return wall, nil
}
