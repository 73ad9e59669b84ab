package load

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/engine"
)

// Fight is profile B played by somebody else, frame by frame, who measures something beside it.
type Fight struct {
	mix   *Mix
	world *world
}

// NewFight returns the raids after so much of the game; from a minute on as many buffs end as begin.
func NewFight(seed uint64, warm time.Duration) (*Fight, error) {
	m := &newRaids().Mix
	w, err := newWorld(&Env{Seed: seed}, m.setup())
	if err != nil {
		return nil, err
	}
	m.fill(w)
	w.play(warm, func() { m.plan(w) })
	return &Fight{m, w}, nil
}

// Engine returns that of the raids. Its owners have data of [Fight.Calls].
func (f *Fight) Engine() *engine.Engine { return f.world.eng }

// Calls returns how many handlers have run for an owner, by its data.
func (f *Fight) Calls(data any) uint64 { return data.(*seat).calls }

// Buffs returns how many there are.
func (f *Fight) Buffs() int { return f.world.books.live }

// Frame plays one frame and returns what its calls, its Tick and what follows on it took.
func (f *Fight) Frame(after func(*engine.Frame)) time.Duration {
	f.world.after = after
	f.world.frame(frameTime, func() { f.mix.plan(f.world) })
	return f.world.took
}

// End closes the books and the engine. It fails if the books found something.
func (f *Fight) End() error {
	f.world.after = nil
	r := result("B")
	if err := f.world.finish(r); err != nil {
		return err
	}
	if !r.Faults.none() {
		return fmt.Errorf("the books of the raids: %v", &r.Faults)
	}
	return nil
}
