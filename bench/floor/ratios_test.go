package floor_test

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/bench/floor"
	"github.com/bufftick/bufftick/bench/gauge"
)

var most = flag.Int("floor.most", 1_000_000, "the most buffs of BenchmarkDue; 10000000 takes 5 GB")

// costs are the processor times of both for one thing, by turns.
type costs struct{ engine, floor []float64 }

// both measures one and then the other, in ns of the calling thread for each thing done.
func (c *costs) both(ours, theirs func() int) {
	c.engine = append(c.engine, threadTime(ours))
	c.floor = append(c.floor, threadTime(theirs))
}

func threadTime(f func() int) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := gauge.ThreadCPU()
	n := f()
	return float64(gauge.ThreadCPU()-began) / float64(max(1, n))
}

// report says the medians, and that of the ratios of each round.
func (c *costs) report(b *testing.B, prefix string) {
	ratio := make([]float64, len(c.engine))
	for k := range ratio {
		ratio[k] = c.engine[k] / c.floor[k]
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(c.engine), prefix+"engine-ns")
	b.ReportMetric(median(c.floor), prefix+"floor-ns")
	b.ReportMetric(median(ratio), prefix+"times")
}

func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x[len(x)/2]
}

// quiet keeps the collector out of a measurement.
func quiet(b *testing.B) {
	runtime.GC()
	old := debug.SetGCPercent(-1)
	b.Cleanup(func() { debug.SetGCPercent(old) })
}

// pair is the engine and the floor with the same players.
type pair struct {
	engine *ours
	floor  *theirs
}

func newPair(tb testing.TB, players, workers int) *pair {
	return &pair{newOurs(tb, players, workers), newTheirs(players)}
}

func (p *pair) do(calls []floor.Command, names []int) {
	if p.engine != nil {
		p.engine.do(calls, names)
	}
	if p.floor != nil {
		p.floor.do(calls, names)
	}
}

func (p *pair) tick() {
	if p.engine != nil {
		p.engine.tick()
	}
	if p.floor != nil {
		p.floor.tick()
	}
}

// period is in how many frames a slow pulses once.
const period = 2500 / frame

// fill gives each player two buffs that pulse, in different frames, and eight that only last: one event
// a turn.
func (p *pair) fill(players int) {
	var calls []floor.Command
	names := make([]int, 0, 16)
	for f := range 2 * period {
		calls, names = calls[:0], names[:0]
		for at := f % period; at < players; at += period {
			id := uint64(at + 1)
			if f < period {
				for n := range 8 {
					calls = append(calls, floor.Command{Spec: bless, Owner: id, Source: uint64(n + 1), Duration: 360_000_000})
				}
			}
		}
		for at := range players {
			first, second := at%period, period+(at+period/2)%period
			if f == first || f == second {
				calls = append(calls, floor.Command{Spec: beat, Owner: uint64(at + 1), Source: uint64(1 + f/period)})
			}
		}
		for len(names) < len(calls) {
			names = append(names, len(names)%4096)
		}
		p.do(calls, names)
		p.tick()
	}
	for range period {
		p.tick()
	}
}

// frames plays a period on one side and returns how many events that brought.
func (o *ours) frames() (events int) {
	for range period {
		o.tick()
		events += o.frame.Len()
	}
	return events
}

func (t *theirs) frames() (events int) {
	for range period {
		t.tick()
		events += len(t.frame)
	}
	return events
}

// BenchmarkDue is a pulse with a trivial handler, one event for each turn, with two pulsing buffs of
// ten on each player.
func BenchmarkDue(b *testing.B) {
	for live := 1_000; live <= *most; live *= 10 {
		b.Run(fmt.Sprintf("live=%d", live), func(b *testing.B) {
			p := newPair(b, live/10, 0)
			p.fill(live / 10)
			quiet(b)
			rounds := max(1, 100_000/live)
			var c costs
			for b.Loop() {
				c.both(
					func() (n int) {
						for range rounds {
							n += p.engine.frames()
						}
						return n
					},
					func() (n int) {
						for range rounds {
							n += p.floor.frames()
						}
						return n
					})
			}
			require.Equal(b, live/5*rounds, p.engine.frames()*rounds)
			require.Equal(b, p.engine.frames(), p.floor.frames())
			c.report(b, "")
			b.ReportMetric(median(c.engine)*float64(live/5/period)/1e6, "engine-ms/tick")
			b.ReportMetric(median(c.floor)*float64(live/5/period)/1e6, "floor-ms/tick")
		})
	}
}

// BenchmarkRaid is the raid of TestSameEvents with 4,000 players: what is due, and its calls, which come one by one in a frame, and all at
// once in the next: each way is held against the floor's same way.
func BenchmarkRaid(b *testing.B) {
	const players = 4000
	p, s := newPair(b, players, 0), newScript(players)
	for range 60_000 / frame {
		p.do(s.next())
		p.tick()
	}
	quiet(b)
	var calls [2]costs // one by one, and all of a frame at once: in turns
	var due costs
	const frames = 20
	for b.Loop() {
		var took [3][2]float64
		var n [3]int
		for k := range frames {
			all, names := s.next()
			how := k % 2
			n[how] += len(all)
			if how == 0 {
				took[0][0] += threadTime(func() int { p.engine.do(all, names); return 1 })
				took[0][1] += threadTime(func() int { p.floor.single(all, names); return 1 })
			} else {
				p.engine.prepare(all, names)
				took[1][0] += threadTime(func() int { p.engine.doAll(names); return 1 })
				took[1][1] += threadTime(func() int { p.floor.do(all, names); return 1 })
			}
			before := len(p.floor.Told())
			took[2][0] += threadTime(func() int { p.engine.tick(); return 1 })
			took[2][1] += threadTime(func() int { p.floor.tick(); return 1 })
			n[2] += len(p.floor.frame) - before
		}
		for k, c := range []*costs{&calls[0], &calls[1], &due} {
			c.engine, c.floor = append(c.engine, took[k][0]/float64(n[k])), append(c.floor, took[k][1]/float64(n[k]))
		}
	}
	calls[0].report(b, "call-single-")
	calls[1].report(b, "call-batch-")
	due.report(b, "due-")
}

// BenchmarkCalls is one kind of call on players drawn by chance of all there are.
func BenchmarkCalls(b *testing.B) {
	const players, many = 100_000, 1000
	p := newPair(b, players, 0)
	p.fill(players)
	quiet(b)
	s := newScript(players)
	fresh, again, gone := make([]floor.Command, many), make([]floor.Command, many), make([]floor.Command, many)
	names := make([]int, many)
	for k := range names {
		names[k] = k
	}
	var c [3]costs
	var one [3]costs
	for b.Loop() {
		for k := range many {
			id := uint64(1 + s.rng.IntN(players))
			fresh[k] = floor.Command{Spec: bless, Owner: id, Source: uint64(100 + k)}
			again[k] = floor.Command{Spec: bless, Owner: id, Source: uint64(1 + k%8), Duration: 360_000_000}
			gone[k] = floor.Command{Verb: floor.Remove}
		}
		for k, calls := range [][]floor.Command{fresh, gone, again} {
			p.engine.prepare(calls, names)
			c[k].both(
				func() int { p.engine.doAll(names); return many },
				func() int { p.floor.do(calls, names); return many })
		}
		p.tick()
		for k, calls := range [][]floor.Command{fresh, gone, again} {
			one[k].both(
				func() int { p.engine.do(calls, names); return many },
				func() int { p.floor.single(calls, names); return many })
		}
		p.tick()
	}
	for k, name := range []string{"new-", "remove-", "refresh-"} {
		one[k].report(b, name+"single-")
		c[k].report(b, name+"batch-")
	}
}

// BenchmarkCollection is the processor time of one collection with so many buffs, and what they weigh when the world has run for a while: the lists
// that the engine needed in the frames in which all buffs were applied are given back by then.
func BenchmarkCollection(b *testing.B) {
	const players = 100_000
	empty := gauge.LiveHeap()
	floorOnly := newTheirs(players)
	noBuffs := gauge.LiveHeap()
	f := &pair{nil, floorOnly}
	f.fill(players)
	withFloor := gauge.LiveHeap()
	floorGC := collection(b)
	runtime.KeepAlive(floorOnly)
	floorOnly, f = nil, nil
	before := gauge.LiveHeap()
	o := newOurs(b, players, 0)
	spawned := gauge.LiveHeap()
	e := &pair{o, nil}
	e.fill(players)
	filled := gauge.LiveHeap()
	for range 8 {
		o.frames()
	}
	withEngine := gauge.LiveHeap()
	engineGC := collection(b)
	runtime.KeepAlive(o)
	for b.Loop() {
		runtime.KeepAlive(e)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(engineGC, "engine-GC-ms")
	b.ReportMetric(floorGC, "floor-GC-ms")
	b.ReportMetric(float64(withEngine-before)/players/10, "engine-B/buff")
	b.ReportMetric(float64(filled-before)/players/10, "engine-filled-B/buff")
	b.ReportMetric(float64(withFloor-empty)/players/10, "floor-B/buff")
	b.ReportMetric(float64(spawned-before)/players, "engine-B/player")
	b.ReportMetric(float64(noBuffs-empty)/players, "floor-B/player")
}

// collection is the least processor time of several.
func collection(b *testing.B) float64 {
	b.Helper()
	least := time.Hour
	for range 7 {
		began := gauge.CPU()
		runtime.GC()
		least = min(least, gauge.CPU()-began)
	}
	return least.Seconds() * 1e3
}

// BenchmarkEmpty is a frame in which nothing is due, and the pulses of a game that has some in every
// second frame only.
func BenchmarkEmpty(b *testing.B) {
	p := newPair(b, 10_000, 0)
	p.fill(10_000)
	quiet(b)
	var idle, each, second costs
	const n = 200
	empty := func() int {
		for range n {
			p.engine.Tick(0)
		}
		return n
	}
	emptyFloor := func() int {
		for range n {
			p.floor.Tick(0)
		}
		return n
	}
	between := func() (events int) {
		for range period {
			p.engine.Tick(0)
			p.engine.tick()
			events += p.engine.frame.Len()
		}
		return events
	}
	betweenFloor := func() (events int) {
		for range period {
			p.floor.Tick(0)
			p.floor.tick()
			events += len(p.floor.frame)
		}
		return events
	}
	for b.Loop() {
		idle.both(empty, emptyFloor)
		each.both(p.engine.frames, p.floor.frames)
		second.both(between, betweenFloor)
	}
	idle.report(b, "empty-")
	each.report(b, "each-")
	second.report(b, "second-")
}
