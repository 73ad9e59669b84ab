package rival

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// ours is the engine.
type ours struct {
	game         *Game
	eng          *engine.Engine
	plain, pulse *buff.Spec
	health       []int64
}

// newOurs returns the engine with the given number of workers. With 0 workers, the loop runs the
// handlers.
func newOurs(g *Game, workers int) *ours {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "plain", Duration: time.Minute, Stack: define.Stacking{By: define.BySource}},
		buff.Spec{
			ID: "pulse", Duration: time.Minute, Period: time.Duration(g.load.Period) * time.Millisecond, Stack: define.Stacking{By: define.BySource},
			On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "hurt"}}},
		})
	if err != nil {
		panic(fmt.Sprintf("rival: %v", err)) // cannot happen: the definitions are in this file
	}
	eng, err := engine.New(engine.Options{
		Catalog: cat, Workers: workers, Synchronous: workers == 0, Budget: -1,
		Handlers: engine.Handlers{"hurt": func(c *engine.Context, _ buff.Event) { *c.Data().(*int64)-- }},
	})
	if err != nil {
		panic(fmt.Sprintf("rival: %v", err))
	}
	o := &ours{game: g, eng: eng, plain: cat.Spec("plain"), pulse: cat.Spec("pulse"), health: make([]int64, g.buffs/each+1)}
	for i := range o.health {
		if err := eng.Spawn(buff.OwnerID(i+1), &o.health[i]); err != nil {
			panic(fmt.Sprintf("rival: %v", err))
		}
	}
	return o
}

func (o *ours) close() {
	if err := o.eng.Close(context.Background()); err != nil {
		panic(fmt.Sprintf("rival: %v", err)) // cannot happen: no handler blocks
	}
}

// add does the same as "refresh", because the engine uses one call for both.
func (o *ours) add(slot int32, _, life int64) { o.cast(slot, life) }

// again refreshes the buff in the slot, and returns the kind of the event.
func (o *ours) again(slot int32) buff.EventKind { return o.cast(slot, 36_000_000) }

func (o *ours) cast(slot int32, life int64) buff.EventKind {
	spec := o.plain
	if o.game.pulses(slot) {
		spec = o.pulse
	}
	r := o.eng.AddBuff(buff.OwnerID(slot/each+1), buff.Application{
		Spec: spec, Source: buff.OwnerID(slot%each + 1), Duration: buff.Lasting(time.Duration(life) * time.Millisecond),
	})
	if r.Failure != nil {
		panic(fmt.Sprintf("rival: %v", r.Failure))
	}
	return r.Kind
}

func (o *ours) refresh(slot int32, now, life int64) { o.add(slot, now, life) }

func (o *ours) tick(int64) {
	f := o.eng.Tick(frame * time.Millisecond)
	for e := range f.Events() {
		slot := int32(e.Owner-1)*each + int32(e.Source) - 1
		switch e.Kind {
		case buff.Pulsed:
			o.game.pulse(slot, int64(e.At))
		case buff.Removed:
			o.game.end(slot, int64(e.At))
		}
	}
}
