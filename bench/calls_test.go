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

// loopTime measures what the calling goroutine itself spends: neither what others on the
// machine do meanwhile, nor what workers do for it.
type loopTime struct{ spent, began time.Duration }

func (l *loopTime) start() {
	runtime.LockOSThread()
	l.began = gauge.ThreadCPU()
}

func (l *loopTime) stop() {
	l.spent += gauge.ThreadCPU() - l.began
	runtime.UnlockOSThread()
}

// report says the time of one of n, in a unit, and beside it what was aimed at, if anything.
func (l *loopTime) report(b *testing.B, n int, unit string, target float64) {
	b.ReportMetric(0, "ns/op") // of a batch, with what prepares it: it says nothing
	b.ReportMetric(float64(l.spent)/float64(n), "loop-ns/"+unit)
	if target > 0 {
		b.ReportMetric(target, "target")
	}
}

// BenchmarkBuffs calls one verb many times, on players with ten buffs each: drawn by dice of
// all there are, so that nothing of them is in the cache, or on the twenty of one raid. floor
// is the least that a call can do: find the player, and write down one buff, one timer and
// one event.
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

// targets are the players of one batch of calls, between two looks at the clock.
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
			handles[i] = w.bless(p, blessings+i) // a source that is new to the player
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
		name                  string
		target                float64
		before, timed, behind func()
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
				row.behind()
				w.Tick(0) // takes the events away
			}
			l.report(b, b.N*len(t.player), "call", row.target)
		})
	}
}

// benchmarkFloor does what no way of keeping buffs can do without: it finds the player by
// its id, writes in what is kept of it, in one of its buffs and in one timer, and writes
// down an event. The memory of each is as far from the others as the engine's is.
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

// BenchmarkIdle is a Tick in which nothing is due: without players, and with a million buffs
// that wait.
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
