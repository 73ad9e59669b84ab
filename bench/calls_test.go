package main_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/buff"
)

// loopTime measures the processor time of the calling goroutine. It does not include the time of
// other processes or of workers.
type loopTime struct{ spent, began time.Duration }

func (l *loopTime) start() {
	runtime.LockOSThread()
	l.began = gauge.ThreadCPU()
}

func (l *loopTime) stop() {
	l.spent += gauge.ThreadCPU() - l.began
	runtime.UnlockOSThread()
}

// report reports the time per unit, for n units, and the target time per unit, if there is one.
func (l *loopTime) report(b *testing.B, n int, unit string, target float64) {
	b.ReportMetric(0, "ns/op") // hide this metric, because it includes the preparation of each batch
	b.ReportMetric(float64(l.spent)/float64(n), "loop-ns/"+unit)
	if target > 0 {
		b.ReportMetric(target, "target")
	}
}

// BenchmarkBuffs makes one kind of call many times, on players with ten buffs each. With who=any
// the players are random, so that their data is not in the cache. With who=raid they are the twenty
// players of one raid. The row "floor" does only the minimum work of a call: it finds the player,
// and writes one buff, one timer and one event.
func BenchmarkBuffs(b *testing.B) {
	for _, players := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("live=%d", players*carried), func(b *testing.B) {
			w := newWorld(b, players, 0)
			w.fill()
			for _, who := range []string{"any", "raid"} {
				b.Run("who="+who, func(b *testing.B) {
					t := newTargets(players, who == "raid")
					w.calls(b, t)
					b.Run("call=floor", func(b *testing.B) { benchmarkFloor(b, players, t) })
				})
			}
		})
	}
}

// targets has the players for one batch of calls. The calls of a batch are measured together.
type targets struct {
	rng    *rand.Rand
	among  int
	raid   bool
	player []int
}

func newTargets(players int, raid bool) *targets {
	t := &targets{rng: rand.New(rand.NewPCG(1, 2)), among: players, raid: raid, player: make([]int, 1000)}
	if raid {
		t.among, t.player = 20, t.player[:100]
	}
	return t
}

func (t *targets) draw() {
	for i := range t.player {
		if t.raid {
			t.player[i] = 1 + i%t.among
		} else {
			t.player[i] = 1 + t.rng.IntN(t.among)
		}
	}
}

func (w *world) calls(b *testing.B, t *targets) {
	handles := make([]buff.Handle, len(t.player))
	add := func() {
		for i, p := range t.player {
			handles[i] = w.bless(p, blessings+i) // a source of which the player has no buff yet
		}
	}
	remove := func() {
		for _, h := range handles {
			w.Remove(h)
		}
	}
	refresh := func() {
		for i, p := range t.player {
			w.bless(p, i%blessings)
		}
	}
	nothing := func() {}
	for _, row := range []struct {
		name                 string
		target               float64
		before, timed, after func()
	}{
		{"new", 250, nothing, add, remove},
		{"refresh", 120, nothing, refresh, nothing},
		{"remove", 150, add, remove, nothing},
	} {
		b.Run("call="+row.name, func(b *testing.B) {
			l := &loopTime{}
			b.ReportAllocs()
			for b.Loop() {
				t.draw()
				row.before()
				l.start()
				row.timed()
				l.stop()
				row.after()
				w.Tick(0) // discard the events
			}
			l.report(b, b.N*len(t.player), "call", row.target)
		})
	}
}

// benchmarkFloor does the work that no implementation can avoid. It finds the player by id, writes
// to the player, to one buff of the player and to one timer, and appends an event. These records
// are as far apart in memory as in the engine.
func benchmarkFloor(b *testing.B, players int, t *targets) {
	type (
		slot  [96]byte
		timer [32]byte
		event [144]byte
		owner struct {
			kept  [512]byte
			slots []slot
		}
	)
	all := make(map[buff.OwnerID]*owner, players)
	for p := range players {
		all[buff.OwnerID(p+1)] = &owner{slots: make([]slot, carried)}
	}
	timers := make([]timer, players*carried)
	events := make([]event, 0, len(t.player))
	l := &loopTime{}
	for b.Loop() {
		t.draw()
		l.start()
		for i, p := range t.player {
			o, k := all[buff.OwnerID(p)], i%carried
			o.kept[0]++
			o.slots[k] = slot{byte(i)}
			timers[(p-1)*carried+k] = timer{byte(i)}
			events = append(events, event{byte(i)})
		}
		l.stop()
		events = events[:0]
	}
	l.report(b, b.N*len(t.player), "call", 0)
}

// BenchmarkIdle measures a Tick in which no event is due, without players and with a million
// waiting buffs.
func BenchmarkIdle(b *testing.B) {
	for _, row := range []struct {
		waiting int
		target  float64
	}{{0, 60}, {1_000_000, 150}} {
		b.Run(fmt.Sprintf("waiting=%d", row.waiting), func(b *testing.B) {
			w := newWorld(b, row.waiting/blessings, runtime.GOMAXPROCS(0))
			for p := range w.players {
				for source := range blessings {
					w.bless(p+1, source)
				}
			}
			w.Tick(frame)
			const ticks = 1000
			l := &loopTime{}
			b.ReportAllocs()
			for b.Loop() {
				l.start()
				for range ticks {
					w.Tick(frame)
				}
				l.stop()
			}
			l.report(b, b.N*ticks, "tick", row.target)
		})
	}
}
