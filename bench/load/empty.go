package load

import (
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Empty is profile I.
type Empty struct {
	Frames int `help:"frames of 1 ms for each row"`
}

func newEmpty() *Empty { return &Empty{Frames: 5_000_000} }

// Quick implements Profile.
func (p *Empty) Quick() { p.Frames = 200_000 }

// emptyMost limits the duration of a Tick with idle players. It is the largest permitted multiple
// of the duration of a Tick without players.
const emptyMost = 2

// Run implements Profile.
func (p *Empty) Run(env *Env) (*Result, error) {
	r := result("I")
	began := time.Now()
	var last *world
	var least []float64
	for _, players := range []int{0, 1, 10} {
		w, err := newWorld(env, setup{players: players, raid: 1, buffs: 10 * players})
		if err != nil {
			return nil, err
		}
		w.frame(frameTime, func() {
			for owner := range players {
				for n := range 10 {
					w.ask(command{owner: int32(owner), kind: blessingKind, source: buff.OwnerID(100 + n)})
				}
			}
		})
		cost, shortest := p.tick(w)
		least = append(least, shortest)
		name := fmt.Sprintf("Tick, %d players, %d buffs", players, 10*players)
		r.figure(name, cost.Mean, "ns")
		r.figure(name+", ±", cost.PlusMinus, "ns")
		for i := range w.meter.samples {
			r.Samples = append(r.Samples, Sample{Tick: w.meter.samples[i].Tick})
		}
		if last != nil {
			err = last.finish(result("I"))
			last.addFaults(r)
		}
		if err != nil {
			return nil, err
		}
		last = w
	}
	r.check(least[2] <= emptyMost*least[0], "100 buffs that wait cost no Tick anything: %.0f ns, and %.0f ns without them", least[2], least[0])
	mine := *r
	if err := last.finish(r); err != nil {
		return nil, err
	}
	// The frames were measured in groups, so clear those values that finish has set but that do not
	// apply.
	r.P50, r.P99, r.P999, r.Max, r.Rows, r.CDF = 0, 0, 0, 0, nil, nil
	r.PartP50, r.PartP99 = Spread{}, Spread{}
	r.Utilisation, r.Heap, r.BytesPer, r.Tick = 0, 0, 0, Spread{}
	r.Samples, r.Wall = mine.Samples, time.Since(began)
	r.Simulated, r.Frames = 3*time.Duration(p.Frames)*time.Millisecond, 3*uint64(p.Frames)
	return r, nil
}

func (w *world) addFaults(r *Result) { r.check(w.books.faults.none(), "%v", &w.books.faults) }

// tick measures empty Ticks in groups, because reading a clock takes as long as one Tick. From the
// groups it computes the duration of one Tick in ns, and returns the mean and the minimum.
func (p *Empty) tick(w *world) (Spread, float64) {
	var costs []float64
	events := 0
	w.meter.begin(w.now(), time.Millisecond, parts)
	for range parts {
		start := time.Now()
		for range p.Frames / parts {
			events += w.eng.Tick(time.Millisecond).Len()
		}
		cost := float64(time.Since(start)) / float64(p.Frames/parts)
		costs = append(costs, cost)
		w.meter.samples = append(w.meter.samples, Sample{Tick: cost})
	}
	w.meter.end()
	if events > 0 {
		w.books.faults.note(&w.books.faults.Doubled, "%d events of buffs that have none", events)
	}
	return SpreadOf(costs), slices.Min(costs)
}
