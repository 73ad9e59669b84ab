package load

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/engine"
)

// Fight is profile B, for callers that play it frame by frame and take their own measurements.
type Fight struct {
	mix   *Mix
	world *world
}

// NewFight returns the raids after the game time "warm". After a minute, the number of buffs stays
// roughly constant.
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

// Engine returns the engine of the raids. The data of an owner of this engine can be passed to
// [Fight.Calls].
func (f *Fight) Engine() *engine.Engine { return f.world.eng }

// Calls returns the number of handlers that have run for the owner with the given data.
func (f *Fight) Calls(data any) uint64 { return data.(*seat).calls }

// Buffs returns the number of active buffs.
func (f *Fight) Buffs() int { return f.world.books.live }

// Frame runs one frame and then calls the given function. It returns the total duration of the
// frame's calls, of its Tick, and of the function.
func (f *Fight) Frame(after func(*engine.Frame)) time.Duration {
	f.world.after = after
	f.world.frame(frameTime, func() { f.mix.plan(f.world) })
	return f.world.took
}

// End closes the books and the engine. It returns an error if any event was wrong.
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
