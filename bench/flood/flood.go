package flood

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// Options configures a flood.
type Options struct {
	Producers int           `default:"8" help:"goroutines that post as fast as they can"`
	For       time.Duration `default:"60s" help:"duration, in real time"`
	Frame     time.Duration `default:"50ms" help:"from one Tick to the next"`
	Budget    time.Duration `default:"10ms" help:"engine.Options.Budget"`
	Players   int           `default:"4000" help:"players, each with ten buffs that pulse"`
	BackOff   time.Duration `help:"pause of a producer after a refused call; 0: it never stops"`
	OneLane   bool          `help:"all producers use the same lane, and the honest one too"`
}

// Flood is the result of a flood.
type Flood struct {
	Frames, Late         int
	P50, P99, P999, Most time.Duration // quantiles and maximum of the duration of a Tick
	Delivered            uint64
	Refused              uint64
	Accepted             Calls // calls of the producers that were accepted
	Turned               Calls // refused calls of the producers; a refused call yields the processor
	Nothing              Calls // empty measurements, made by the producers as a reference

	Honest        int   // number of commands of the honest producer, which posts one per frame
	HonestRefused int   // number of these commands that were refused
	HonestLate    int   // number of these commands that were delivered later than expected
	HonestLatest  int   // maximum number of Ticks by which one of these commands was late
	HonestLost    int   // number of these commands that were accepted but never delivered
	HonestCalls   Calls // durations of the calls of the honest producer
}

// Calls is a histogram of call durations.
type Calls struct {
	n       uint64
	slow    uint64         // number of calls longer than a millisecond
	sum     time.Duration  // total duration of the shorter calls
	buckets [64 * 8]uint64 // number of calls by duration; each power of two has eight buckets
	Longest time.Duration
}

// slow is the duration that no call should exceed.
const slow = time.Millisecond

func (c *Calls) add(d time.Duration) {
	v := uint64(max(d, 8))
	p := bits.Len64(v) - 1
	c.buckets[p*8+int(v>>(p-3)&7)]++
	c.n++
	if d > slow {
		c.slow++
	} else {
		c.sum += d
	}
	c.Longest = max(c.Longest, d)
}

func (c *Calls) merge(o *Calls) {
	for k := range c.buckets {
		c.buckets[k] += o.buckets[k]
	}
	c.n += o.n
	c.slow += o.slow
	c.sum += o.sum
	c.Longest = max(c.Longest, o.Longest)
}

// At returns a quantile of the durations, with a precision of an eighth.
func (c *Calls) At(part float64) time.Duration {
	left := uint64(part * float64(c.n))
	for k, n := range c.buckets {
		if left < n {
			return time.Duration(uint64(k%8+9) << max(k/8-3, 0))
		}
		left -= n
	}
	return c.Longest
}

// Slow returns the number of calls longer than a millisecond, per second spent in shorter calls.
// Even for calls that never block, the result is not 0, because a goroutine can lose its processor
// at any moment. For such calls it is about the result for [Flood.Nothing].
func (c *Calls) Slow() float64 { return float64(c.slow) / max(c.sum.Seconds(), 1e-9) }

// game is the target of the flood.
type game struct {
	Options
	eng       *engine.Engine
	hit, mark *buff.Spec
	over      atomic.Bool
	ticks     atomic.Int64 // number of Ticks started
	hits      int          // number of hits in the last Tick
}

// Run runs a flood.
func Run(o Options) (f Flood, err error) {
	g := &game{Options: o}
	if err := g.open(); err != nil {
		return f, err
	}
	all := make([]posted, o.Producers)
	var work sync.WaitGroup
	honest := g.lane("honest") // create this lane before the flood starts, as a real game would
	for n := range all {
		in := g.lane(fmt.Sprint("producer ", n))
		work.Go(func() { g.produce(n, in, &all[n]) })
	}
	var due []int64
	work.Go(func() { due = g.honest(honest, &f) })
	seen := g.loop(&f)
	g.over.Store(true)
	work.Wait()
	for g.eng.Stats().Inbox > 0 {
		g.tick(seen)
	}
	f.judge(due, seen)
	for k := range all {
		f.Accepted.merge(&all[k].accepted)
		f.Turned.merge(&all[k].refused)
		f.Nothing.merge(&all[k].nothing)
	}
	f.Refused = f.Turned.n
	return f, g.eng.Close(context.Background())
}

func (g *game) open() error {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, Stack: define.Stacking{By: define.ByKey}},
		buff.Spec{ID: "hit", Kind: define.Instant}, buff.Spec{ID: "mark", Kind: define.Instant},
	)
	if err != nil {
		return err
	}
	g.hit, g.mark = cat.Spec("hit"), cat.Spec("mark")
	if g.eng, err = engine.New(engine.Options{Catalog: cat, Budget: g.Budget}); err != nil {
		return err
	}
	for id := range buff.OwnerID(g.Players) {
		if err := g.eng.Spawn(id, nil); err != nil {
			return err
		}
		for k := range 10 {
			if r := g.eng.AddBuff(id, buff.Application{Spec: cat.Spec("beat"), Key: uint64(k)}); r.Failure != nil {
				return r.Failure
			}
		}
		if id%200 == 199 { // spread the pulses over the second
			g.eng.Tick(g.Frame)
		}
	}
	return nil
}

// lane returns the lane of a producer.
func (g *game) lane(name string) *engine.Inbox {
	if g.OneLane {
		return g.eng.Inbox()
	}
	return g.eng.Inbox().For(name)
}

// posted is the result of one producer.
type posted struct{ accepted, refused, nothing Calls }

// produce posts until the end of the flood. After each call it also measures the time between two
// reads of the clock, as a measurement without a call.
func (g *game) produce(n int, in *engine.Inbox, p *posted) {
	for k := n; !g.over.Load(); k++ {
		start := time.Now()
		err := in.AddBuff(buff.OwnerID(k%g.Players), buff.Application{Spec: g.hit, Source: 1})
		end := time.Now()
		p.nothing.add(time.Since(end))
		if err == nil {
			p.accepted.add(end.Sub(start))
			continue
		}
		p.refused.add(end.Sub(start))
		if g.BackOff > 0 {
			time.Sleep(g.BackOff)
		}
	}
}

// honest posts one command per frame. For each accepted command it returns the expected Tick, which
// is the first Tick that starts after AddBuff has returned.
func (g *game) honest(in *engine.Inbox, f *Flood) (due []int64) {
	pace := time.NewTicker(g.Frame)
	defer pace.Stop()
	for !g.over.Load() {
		<-pace.C
		start := time.Now()
		err := in.AddBuff(1, buff.Application{Spec: g.mark, Source: 2, Magnitude: int64(len(due))})
		f.HonestCalls.add(time.Since(start))
		f.Honest++
		if err != nil {
			f.HonestRefused++
			continue
		}
		due = append(due, g.ticks.Load()+1)
	}
	return due
}

// loop calls Tick at a fixed rate. It returns, for each command of the honest producer, the number
// of the Tick in which the command arrived.
func (g *game) loop(f *Flood) map[int64]int64 {
	seen := map[int64]int64{}
	var spans []time.Duration
	next := time.Now()
	for end := next.Add(g.For); next.Before(end); {
		next = next.Add(g.Frame)
		if wait := time.Until(next); wait > 0 {
			time.Sleep(wait)
		}
		if spans = append(spans, g.tick(seen)); time.Since(next) > g.Frame {
			f.Late++
			next = time.Now()
		}
		f.Delivered += uint64(g.hits)
	}
	slices.Sort(spans)
	at := func(part float64) time.Duration { return spans[min(int(part*float64(len(spans))), len(spans)-1)] }
	f.Frames, f.P50, f.P99, f.P999, f.Most = len(spans), at(0.5), at(0.99), at(0.999), at(1)
	return seen
}

// tick runs a Tick. In the map "seen", it records the number of the Tick for each command of the
// honest producer that has arrived.
func (g *game) tick(seen map[int64]int64) time.Duration {
	n := g.ticks.Add(1)
	start := time.Now()
	frame := g.eng.Tick(g.Frame)
	span := time.Since(start)
	g.hits = 0
	for e := range frame.Events() {
		switch e.Spec {
		case g.mark:
			seen[e.Magnitude] = n
		case g.hit:
			g.hits++
		}
	}
	return span
}

// judge compares the Ticks in which the honest producer's commands arrived with the expected Ticks.
// The arrivals are in "seen", and the expected Ticks are in "due".
func (f *Flood) judge(due []int64, seen map[int64]int64) {
	for k, want := range due {
		came, ok := seen[int64(k)]
		switch {
		case !ok:
			f.HonestLost++
		case came > want:
			f.HonestLate++
			f.HonestLatest = max(f.HonestLatest, int(came-want))
		}
	}
}

// Print writes a table.
func (f *Flood) Print(w io.Writer) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "| %s | %s |\n", name, fmt.Sprintf(format, args...))
	}
	short := func(d time.Duration) time.Duration {
		if d < 10*time.Microsecond {
			return d
		}
		return d.Round(d / 100 * 2)
	}
	fmt.Fprintf(w, "| flood | |\n|---|---|\n")
	row("frames, of them late", "%d, %d", f.Frames, f.Late)
	row("Tick p50, p99, p99.9, longest", "%v, %v, %v, %v", short(f.P50), short(f.P99), short(f.P999), short(f.Most))
	row("commands delivered, refused", "%d, %d", f.Delivered, f.Refused)
	for _, c := range []struct {
		name  string
		calls *Calls
	}{{"an accepted call", &f.Accepted}, {"a refused call, which yields", &f.Turned}, {"nothing, between two looks at the clock", &f.Nothing}} {
		row(c.name+": p50, p99, p99.9, p99.99, longest", "%v, %v, %v, %v, %v", c.calls.At(0.5), c.calls.At(0.99), c.calls.At(0.999), c.calls.At(0.9999), short(c.calls.Longest))
		row(c.name+": number, above 1 ms, those for each second of the others", "%d, %d, %.3g", c.calls.n, c.calls.slow, c.calls.Slow())
	}
	row("the honest one: posted, refused, lost", "%d, %d, %d", f.Honest, f.HonestRefused, f.HonestLost)
	row("of its commands late, by how many Ticks at most", "%d, %d", f.HonestLate, f.HonestLatest)
	row("its calls p50, longest", "%v, %v", f.HonestCalls.At(0.5), short(f.HonestCalls.Longest))
}
