package main

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
)

const frames = 60 // number of frames of 50 ms in one period

// mix says which buffs pulse.
type mix string

const (
	fight mix = "fight" // all buffs pulse
	city  mix = "city"  // 6 of 100 buffs pulse
)

// play describes how a world is filled with buffs and how its frames run.
type play struct {
	mix     mix
	uneven  bool // if set, frames advance by 47 to 53 ms instead of 50 ms
	shuffle bool // if set, owners get their buffs in random order
}

// pulses reports whether the k-th buff of a player pulses.
func (p play) pulses(player, k int) bool {
	return p.mix == fight || k == 0 && player%5 < 3
}

func (p play) length(frame int) int64 {
	if !p.uneven {
		return 50
	}
	return 50 + []int64{-3, 2, 1, -1, 3, -2, 0, 2, -2, 0}[frame%10]
}

// fill creates the given number of buffs, ten for each player. It adds the buffs during one period,
// spread over the frames of the period, and then plays two more periods.
func (p play) fill(w world, buffs int) {
	players := buffs / 10
	data := make([]int64, players)
	order := make([]int, players)
	for k := range players {
		w.spawn(k+1, &data[k])
		order[k] = k
	}
	random := rand.New(rand.NewPCG(3, 4))
	for f := range frames {
		if p.shuffle {
			random.Shuffle(players, func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for _, player := range order {
			for k := range 10 {
				if int(scatter(player, k)%frames) != f {
					continue
				}
				spec := plain
				if p.pulses(player, k) {
					spec = dot
				}
				w.add(player+1, spec, k+1, 0)
			}
		}
		w.tick(p.length(f))
	}
	p.periods(w, 2)
}

// periods plays n periods and returns the number of events.
func (p play) periods(w world, n int) (events int) {
	for range n {
		for f := range frames {
			events += w.tick(p.length(f))
		}
	}
	return events
}

// scatter returns a hash of two numbers.
func scatter(a, b int) uint64 {
	h := uint64(a)*0x9e3779b97f4a7c15 ^ uint64(b)*0xbf58476d1ce4e5b9
	h ^= h >> 29
	h *= 0x94d049bb133111eb
	return h ^ h>>32
}

// times holds the wall-clock time and the processor time of one unit of work in ns, by round.
type times struct{ wall, processor []float64 }

// lap measures one call of f. It divides the times by the result of f, which is the number of units
// of work.
func (t *times) lap(f func() (units int)) {
	c, began := gauge.CPU(), time.Now()
	units := float64(f())
	t.wall = append(t.wall, float64(time.Since(began))/units)
	t.processor = append(t.processor, float64(gauge.CPU()-c)/units)
}

func median(x []float64) float64 { return quantile(x, 0.5) }

func quantile(x []float64, q float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[min(len(x)-1, int(q*float64(len(x))))]
}

// ratios returns the ratio of a to b as the median over all rounds.
func ratios(a, b []float64) float64 {
	r := make([]float64, len(a))
	for k := range a {
		r[k] = a[k] / b[k]
	}
	return median(r)
}

// spin keeps the processor busy for the given number of steps. The function "calibrated" finds a
// suitable number.
func spin(steps int) uint64 {
	x := uint64(1)
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

func calibrated(d time.Duration) func() {
	if d == 0 {
		return func() {}
	}
	const many = 1_000_000
	best := time.Hour
	for range 20 {
		began := time.Now()
		runtime.KeepAlive(spin(many))
		best = min(best, time.Since(began))
	}
	steps := int(float64(d) / float64(best) * many)
	return func() {
		if spin(steps) == 42 { // never true, but the compiler must not remove the call
			panic("yardstick: unreachable")
		}
	}
}
