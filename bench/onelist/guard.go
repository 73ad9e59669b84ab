package onelist

import (
	"slices"
	"sync/atomic"
)

// guard records which handler is running, so that other goroutines can read it. It also counts the
// panics of handlers.
type guard struct {
	current atomic.Uint64
	over    bool
	faults  int
}

// pulseGuarded executes a pulse if any field of Options is set.
func (w *World) pulseGuarded(place uint32, r *record, due uint32) {
	spec, o := &w.specs[r.spec], w.options
	x := &w.scratch.Event
	if !o.Wide {
		x = w.place()
	}
	*x = r.event(place, Pulsed, due, w.now)
	if o.Numbered {
		h := w.owners.at(r.owner)
		h.events++
		x.Number = uint32(h.events)
		if h.flags != 0 {
			h.faulted++
		}
	}
	if o.Wide {
		n := len(w.wide)
		if n == cap(w.wide) {
			w.wide = slices.Grow(w.wide, max(n, 64))
		}
		w.wide = w.wide[:n+1]
		w.wide[n] = w.scratch
	}
	r.pulse += r.period
	w.put(place, r, r.next())
	w.context.owner, w.context.at = r.owner, due
	switch {
	case o.Guarded:
		w.callGuarded(spec, x, r)
	case o.Wide:
		spec.OnWidePulse(&w.context, w.scratch)
	default:
		spec.OnPulse(&w.context, x)
	}
	w.runCommands(due)
}

// callGuarded calls the handler of a pulse, and recovers if the handler panics.
func (w *World) callGuarded(spec *Spec, x *Event, r *record) {
	g := &w.guard
	g.current.Store(uint64(r.owner)<<32 | uint64(r.spec))
	g.over = false
	returned := false
	defer func() {
		g.over = true
		if !returned {
			_ = recover()
			g.faults++
		}
	}()
	if w.options.Wide {
		spec.OnWidePulse(&w.context, w.scratch)
	} else {
		spec.OnPulse(&w.context, x)
	}
	returned = true
	g.current.Store(0)
}
