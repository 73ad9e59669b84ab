package rival

import (
	"fmt"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// Allocated is the number of objects that a step allocates after its lists have grown to their
// final size.
type Allocated struct {
	Step    string
	Objects float64
}

// Allocations measures the allocations of the steps of a frame, with handlers on the loop and with
// handlers on a pool.
func Allocations() []Allocated {
	var out []Allocated
	for _, workers := range []int{0, 2} {
		out = append(out, engineAllocations(workers)...)
	}
	w := wheel.New(0)
	h := w.Add(1000, 1)
	var fired []wheel.Fired
	return append(
		out,
		Allocated{"wheel: Move", testing.AllocsPerRun(1000, func() { w.Move(h, w.Now().Add(5000)) })},
		Allocated{"wheel: Add and Remove", testing.AllocsPerRun(1000, func() { w.Remove(w.Add(w.Now().Add(60_000), 2)) })},
		Allocated{"wheel: Advance, and what fires moved", testing.AllocsPerRun(1000, func() {
			fired = w.Advance(w.Now().Add(frame), fired[:0])
			for range fired {
				w.Move(h, w.Now().Add(20))
			}
		})},
	)
}

func engineAllocations(workers int) []Allocated {
	const players = 60 // in each frame one player has a pulse
	g := &Game{load: Fight, buffs: players * each}
	o := newOurs(g, workers)
	defer o.close()
	refreshed := make([]buff.Handle, players)
	for p := range players {
		id := buff.OwnerID(p + 1)
		o.eng.AddBuff(id, buff.Application{Spec: o.pulse, Source: 1, Duration: buff.Lasting(100 * time.Hour)})
		refreshed[p] = o.eng.AddBuff(id, buff.Application{Spec: o.plain, Source: 2, Duration: buff.Lasting(100 * time.Hour)}).Handle
		o.eng.Tick(frame * time.Millisecond)
	}
	called := func(*engine.Context) {}
	next := func() { o.eng.Tick(frame * time.Millisecond) }
	step := func(name string, f func()) Allocated {
		for range 3 * players { // let the lists grow to their final size
			f()
			next()
		}
		return Allocated{fmt.Sprintf("engine, %d workers: %s", workers, name), testing.AllocsPerRun(3*players, func() { f(); next() })}
	}
	blessing := buff.Application{Spec: o.plain, Source: 3, Duration: buff.Lasting(time.Hour)}
	again := buff.Application{Spec: o.plain, Source: 2, Duration: buff.Lasting(100 * time.Hour)}
	return []Allocated{
		step("Tick with a pulse", func() {}),
		step("AddBuff and Remove", func() {
			h := o.eng.AddBuff(7, blessing).Handle
			o.eng.Remove(h)
		}),
		step("AddBuff, a refresh", func() { o.eng.AddBuff(7, again) }),
		step("Extend", func() { o.eng.Do(buff.Extend(refreshed[6], time.Second)) }),
		step("AddTimeout and Cancel", func() {
			t, _ := o.eng.AddTimeout(7, time.Hour, called)
			o.eng.Cancel(t)
		}),
		step("AddBuff by the Inbox", func() {
			if err := o.eng.Inbox().AddBuff(8, again); err != nil {
				panic(fmt.Sprintf("rival: %v", err))
			}
		}),
	}
}
