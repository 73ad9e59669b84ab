package load

import (
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Cancel is profile G.
type Cancel struct {
	Players int `help:"players"`
	Buffs   int `help:"live buffs, over all players"`
	Cancels int `help:"buffs that are removed before their end; 100000000, as many as on the wheel, take some 8 minutes"`
	Frame   int `help:"buffs that are removed in one frame, and as many added; half as many are moved"`
	Wheel   int `help:"timers that are cancelled on the wheel alone, without the engine around it"`
}

func newCancel() *Cancel {
	return &Cancel{Players: 10_000, Buffs: 200_000, Cancels: 10_000_000, Frame: 2000, Wheel: 100_000_000}
}

// Quick implements Profile. The heap is even once as many entries of cancelled buffs as of live
// buffs wait on the wheel, which must be before the second quarter of the run.
func (p *Cancel) Quick() { p.Cancels, p.Wheel = 1_000_000, 3_000_000 }

// Run implements Profile.
func (p *Cancel) Run(env *Env) (*Result, error) {
	w, err := newWorld(env, setup{players: p.Players, raid: 1, buffs: p.Buffs + p.Frame})
	if err != nil {
		return nil, err
	}
	each := p.Buffs / p.Players
	slots := make([]slot, 0, p.Buffs)
	for n := range each {
		w.frame(frameTime, func() {
			for owner := range p.Players {
				p.add(w, int32(owner), n)
				slots = append(slots, slot{int32(owner), int32(n)})
			}
		})
	}
	var heap heapLine
	frames := max(1, p.Cancels/p.Frame)
	ended := func() int { return int(w.books.counts[buff.Removed] - w.books.ends) }
	w.meter.begin(w.now(), frameTime, uint64(frames))
	for i := range frames {
		if i%max(1, frames/20) == 0 {
			heap.note(float64(ended())/1e6, heapOf(w))
		}
		p.churn(w, slots)
		if env.Progress != nil && i%16 == 0 {
			env.Progress(float64(i) / float64(frames))
		}
	}
	w.meter.end()
	heap.note(float64(ended())/1e6, heapOf(w))
	done := ended()
	r := result("G")
	r.Simulated = time.Duration(frames) * frameTime
	r.figure("cancelled", float64(done), "")
	fired := float64(w.books.ends)
	r.figure("deadlines that came", 100*fired/(fired+float64(done)), "%")
	r.check(fired < float64(done), "most deadlines never came: %.0f ends, %d cancelled", fired, done)
	heap.report(r)
	if err := w.finish(r); err != nil {
		return nil, err
	}
	p.turnWheel(env, r)
	return r, nil
}

// turnWheel cancels timers on a wheel without an engine, which is much faster.
func (p *Cancel) turnWheel(env *Env, r *Result) {
	const rounds = 10
	rng := rand.New(rand.NewPCG(env.Seed, 7))
	before := gauge.LiveHeap()
	w := wheel.New(0)
	handles := make([]wheel.Handle, p.Buffs)
	for i := range handles {
		handles[i] = w.Add(w.Now().Add(1000+rng.Int64N(12*hour)), uint64(i))
	}
	var heap heapLine
	var took time.Duration
	var fired []wheel.Fired
	cancelled, lost := 0, 0
	for round := range rounds {
		start := time.Now()
		for n := range p.Wheel / rounds {
			i := rng.IntN(len(handles))
			if w.Remove(handles[i]) {
				cancelled++
			}
			handles[i] = w.Add(w.Now().Add(1000+rng.Int64N(12*hour)), uint64(i))
			if n%p.Frame == 0 {
				fired = w.Advance(w.Now().After(frameTime), fired[:0])
				// Move adds the timer again, so that a later Remove can remove it.
				for _, f := range fired {
					lost++
					w.Move(handles[f.ID], w.Now().Add(1000+rng.Int64N(12*hour)))
				}
			}
		}
		took += time.Since(start)
		heap.note(float64((round+1)*p.Wheel/rounds)/1e6, gauge.LiveHeap()-before)
	}
	r.Series["heap of the wheel"] = heap.points
	middle, end := heap.points[rounds/2-1].Y, heap.points[rounds-1].Y
	r.figure("cancelled and added on the wheel alone", float64(cancelled), "")
	r.figure("one Remove and one Add there", float64(took)/float64(cancelled), "ns")
	r.check(end <= middle*(1+heapTolerance)+heapGrain, "the wheel is flat: %.2f MB in the middle of %d cancels, %.2f MB at their end", middle, cancelled, end)
	r.check(w.Len() == len(handles) && cancelled == p.Wheel/rounds*rounds, "%d timers wait, %d were cancelled, %d came due", w.Len(), cancelled, lost)
}

// slot identifies the n-th initial buff of a player. At any moment, the player may be without this
// buff.
type slot struct{ owner, n int32 }

// add casts a buff that lasts 5 s to 2 min.
func (p *Cancel) add(w *world, owner int32, n int) {
	kind := int16(slowKind)
	if n%4 == 0 {
		kind = bleedKind
	}
	w.ask(command{owner: owner, kind: kind, source: buff.OwnerID(100 + n), duration: 5000 + w.rng.Int64N(115_000)})
}

// churn runs one frame. In this frame it replaces p.Frame random buffs, and refreshes half as many
// other buffs.
func (p *Cancel) churn(w *world, slots []slot) {
	w.frame(frameTime, func() {
		b := w.books
		for range p.Frame {
			s := slots[w.rng.IntN(len(slots))]
			kind := int16(slowKind)
			if s.n%4 == 0 {
				kind = bleedKind
			}
			if i := b.find(s.owner, kind, buff.OwnerID(100+s.n)); i != 0 && b.records[i].handle != 0 {
				w.ask(command{verb: cancel, owner: s.owner, kind: kind, handle: b.records[i].handle})
			}
			p.add(w, s.owner, int(s.n))
		}
		for range p.Frame / 2 {
			s := slots[w.rng.IntN(len(slots))]
			p.add(w, s.owner, int(s.n))
		}
	})
}
