package load

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/engine"
)

// Crowd is profile L.
type Crowd struct {
	Mix    `embed:""`
	Spin   int           `help:"goroutines that do nothing but spin, for each processor"`
	Budget time.Duration `help:"what one Tick may wait for handlers; 0 is the engine's default"`
}

func newCrowd() *Crowd {
	m := newRaids().Mix
	m.For = 10 * time.Minute
	return &Crowd{m, 2, 0}
}

// Quick implements Profile.
func (p *Crowd) Quick() { p.quick(time.Second, 2*time.Second) }

// Run implements Profile.
func (p *Crowd) Run(env *Env) (*Result, error) {
	s := p.setup()
	s.budget, s.loose = p.Budget, true
	if s.budget == 0 {
		s.budget = engine.DefaultBudget
	}
	w, err := newWorld(env, s)
	if err != nil {
		return nil, err
	}
	busy, frames := 0, 0
	rest := spin(p.Spin * processors())
	p.run(w, func() {
		p.plan(w)
		if n := w.eng.Stats().Busy; n > 0 { // some owners were still busy at the end of the last frame
			busy += n
			frames++
		}
	})
	rest()
	r := result("L")
	r.Simulated = p.For
	r.figure("spinning goroutines", float64(p.Spin*processors()), "")
	r.figure("budget", s.budget.Seconds()*1000, "ms")
	r.figure("frames at whose end somebody was busy, those of the warm-up included", float64(frames), "")
	r.figure("owners that were busy, summed over those frames", float64(busy), "")
	if p.Budget == 0 {
		r.check(busy == 0, "nobody was busy with the engine's default budget")
	}
	return r, w.finish(r)
}

// spin runs n goroutines that use as much processor time as they can get. The returned function
// ends these goroutines.
func spin(n int) (rest func()) {
	var stop atomic.Bool
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for !stop.Load() {
			}
		})
	}
	return func() {
		stop.Store(true)
		all.Wait()
	}
}
