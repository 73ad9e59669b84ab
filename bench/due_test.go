package main_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// due is the number of pulses that are due in each frame of BenchmarkDue.
const due = 4096

// duePlayers is the number of players that are needed for 4,096 due pulses in each frame.
var duePlayers = due * frames / poisons

// BenchmarkDue measures a frame of 50 ms in which 4,096 pulses with a trivial handler are due.
// There are 122,880 players, each with two pulsing buffs. The row by=engine is the whole engine.
// The row by=inline does the same work with only a wheel, and calls the handler for each fired
// timer on the loop. It has no order among events of one instant, no handles, no events and no
// isolation. The row by=submits is like by=inline, but runs one task of a pool for each event, and
// has a lock for each player. With stuck=1 the engine has one more player, whose handler never
// returns.
//
// The metric loop-ns/event is the processor time of the loop's own goroutine, without the workers.
// The row by=submits does not have this metric: measuring it requires that the goroutine is bound
// to its thread, and such a goroutine waits for the pool at a far higher cost. The row "ratios"
// runs the engine, inline and submits in turn, three seconds of game time each:
//
//	times-inline                loop time of the engine / loop time of inline
//	below-submits               wall time of submits / loop time of the engine
//	below-submits-wall, -cpu    wall time, and CPU time of all processors: submits / engine
func BenchmarkDue(b *testing.B) {
	workers := runtime.GOMAXPROCS(0)
	rows := []struct {
		name string
		make func(b *testing.B) func() int
	}{
		{"by=engine/workers=0", func(b *testing.B) func() int { return dueEngine(b, 0) }},
		{fmt.Sprintf("by=engine/workers=%d", workers), func(b *testing.B) func() int { return dueEngine(b, workers) }},
		{fmt.Sprintf("by=engine/workers=%d+1/stuck=1", workers), func(b *testing.B) func() int { return dueStuck(b, workers) }},
		{"by=inline", dueInline},
		{"by=submits", dueSubmits},
	}
	for _, row := range rows {
		b.Run(row.name, func(b *testing.B) {
			turn := row.make(b)
			var l loopTime
			events := 0
			b.ReportAllocs()
			for b.Loop() {
				if row.name == "by=submits" {
					events += turn()
					continue
				}
				l.start()
				events += turn()
				l.stop()
			}
			require.Equal(b, b.N*due, events)
			wall := float64(b.Elapsed().Nanoseconds()) / float64(events)
			if l.spent > 0 {
				l.report(b, events, "event", 0)
			}
			b.ReportMetric(wall, "ns/event")
		})
	}
	b.Run("ratios", func(b *testing.B) { dueRatios(b, workers) })
}

func dueRatios(b *testing.B, workers int) {
	engine, inline, submits := dueEngine(b, workers), dueInline(b), dueSubmits(b)
	var loop, place loopTime
	var wall, cpu [2]time.Duration
	clocked := func(i int, f func()) {
		began, used := time.Now(), gauge.CPU()
		for range frames {
			f()
		}
		wall[i] += time.Since(began)
		cpu[i] += gauge.CPU() - used
	}
	for b.Loop() {
		clocked(0, func() { loop.frame(engine) })
		for range frames {
			place.frame(inline)
		}
		clocked(1, func() { submits() })
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(loop.spent)/float64(place.spent), "times-inline")
	b.ReportMetric(1.3, "target-times-inline")
	b.ReportMetric(float64(wall[1])/float64(loop.spent), "below-submits")
	b.ReportMetric(10, "target-below-submits")
	b.ReportMetric(float64(wall[1])/float64(wall[0]), "below-submits-wall")
	b.ReportMetric(float64(cpu[1])/float64(cpu[0]), "below-submits-cpu")
}

// frame measures one frame.
func (l *loopTime) frame(turn func() int) {
	l.start()
	turn()
	l.stop()
}

func dueEngine(b *testing.B, workers int) (turn func() int) {
	w := newWorld(b, duePlayers, workers)
	w.beat()
	return func() int { return w.Tick(frame).Len() }
}

// dueStuck is like dueEngine, but adds a player whose handler does not return, and a worker for
// this handler.
func dueStuck(b *testing.B, workers int) (turn func() int) {
	w := newWorldWithin(b, duePlayers, workers+1, time.Second)
	w.beat()
	require.NoError(b, w.Spawn(buff.OwnerID(duePlayers+1), nil))
	gate := make(chan struct{})
	_, err := w.AddTimeout(buff.OwnerID(duePlayers+1), 0, func(*engine.Context) { <-gate })
	require.NoError(b, err)
	b.Cleanup(func() { close(gate) })
	for range frames { // the first Tick waits until its budget is used up
		w.Tick(frame)
	}
	return func() int { return w.Tick(frame).Len() }
}

// beat gives each player poisons, spread over a period, and then plays another period.
func (w *world) beat() {
	for f := range frames {
		for p := 1 + f; p <= w.players; p += frames {
			for range poisons {
				w.poisonAt(p)
			}
		}
		w.Tick(frame)
	}
	for range frames {
		w.Tick(frame)
	}
}

// duePlayer is a player in the rows without the engine.
type duePlayer struct {
	mu     sync.Mutex
	health int64
}

// duePlain returns a function that runs one frame without the engine. The parameter "each" must
// handle one event and then call its argument "done".
func duePlain(each func(p *duePlayer, done func())) (turn func() int) {
	all := make([]duePlayer, duePlayers)
	timers := make([]wheel.Handle, duePlayers*poisons)
	w := wheel.New(0)
	for f := range frames { // use the order of dueEngine, so that the memory layout is the same
		for p := f; p < duePlayers; p += frames {
			for i := p * poisons; i < (p+1)*poisons; i++ {
				timers[i] = w.Add(wheel.Time(frame.Milliseconds()*int64(1+f)), uint64(i))
			}
		}
	}
	var fired []wheel.Fired
	var wg sync.WaitGroup
	now, done := wheel.Time(0), wg.Done
	turn = func() int {
		now = now.After(frame)
		fired = w.Advance(now, fired[:0])
		wg.Add(len(fired))
		for _, f := range fired {
			each(&all[f.ID/poisons], done)
			w.Move(timers[f.ID], f.Due.After(period))
		}
		wg.Wait()
		return len(fired)
	}
	for range frames {
		turn()
	}
	return turn
}

func dueInline(*testing.B) (turn func() int) {
	return duePlain(func(p *duePlayer, done func()) { p.health--; done() })
}

func dueSubmits(b *testing.B) (turn func() int) {
	pool, err := ants.NewPool(2*runtime.GOMAXPROCS(0), ants.WithDisablePurge(true))
	require.NoError(b, err)
	b.Cleanup(pool.Release)
	return duePlain(func(p *duePlayer, done func()) {
		if err := pool.Submit(func() {
			p.mu.Lock()
			p.health--
			p.mu.Unlock()
			done()
		}); err != nil {
			b.Fatal(err)
		}
	})
}
