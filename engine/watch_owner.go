package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/recovered"
)

// shownAtOnce is the largest number of followed owners that one View updates, so that the cost of a
// frame does not grow with the number of followed owners.
const shownAtOnce = 8

// following is the loop's state of a followed owner.
type following struct {
	*follower
	events ring   // recent events of the owner
	pulses uint64 // number of pulses so far
}

// follow updates the list of followed owners. It allocates only if the list has changed.
func (s *watching) follow(list *[]*follower) {
	if s.list == list {
		return
	}
	s.list = list
	s.mask = 0
	s.follows = slices.DeleteFunc(s.follows, func(f following) bool { return !slices.Contains(*list, f.follower) })
	for _, f := range *list {
		s.mask |= 1 << (f.id & 63)
		if slices.ContainsFunc(s.follows, func(g following) bool { return g.follower == f }) {
			continue
		}
		g := following{follower: f}
		for ev := range s.notable.all() {
			if ev.Owner == f.id {
				g.events.add(&ev, maxHistory)
			}
		}
		s.follows = append(s.follows, g)
	}
}

// remember keeps an event if its owner is followed.
func (s *watching) remember(ev *buff.Event) {
	for i := range s.follows {
		f := &s.follows[i]
		if f.id != ev.Owner {
			continue
		}
		f.events.add(ev, maxHistory)
		if ev.Kind == buff.Pulsed {
			f.pulses += uint64(max(ev.Count, 1))
		}
	}
}

// show returns the state of all followed owners. Each call updates only the next few owners, and
// takes the state of all others from the map `old`.
func (s *watching) show(e *Engine, old map[buff.OwnerID]*view.Owner) map[buff.OwnerID]*view.Owner {
	if len(s.follows) == 0 {
		return nil
	}
	out := make(map[buff.OwnerID]*view.Owner, len(s.follows))
	for i := range s.follows {
		f := &s.follows[i]
		if v := old[f.id]; v != nil {
			out[f.id] = v
		}
	}
	for range min(shownAtOnce, len(s.follows)) {
		s.turn = (s.turn + 1) % len(s.follows)
		f := &s.follows[s.turn]
		out[f.id] = f.show(e, old[f.id])
	}
	return out
}

func (f *following) show(e *Engine, old *view.Owner) *view.Owner {
	v := &view.Owner{Owner: f.id, Now: e.now, Events: slices.Collect(f.events.all()), Pulses: f.pulses}
	o := e.ownerOf(f.id)
	if o == nil || o.leaving() {
		return v
	}
	v.Present, v.Since, v.Area, v.Mail = true, o.since, o.area, o.box.Len()
	if !e.idle(o) {
		v.Busy = true
		if v.Unseen = old == nil || !old.Present || old.Unseen; !v.Unseen {
			v.Paused, v.Buffs, v.Carried, v.Timeouts, v.Data = old.Paused, old.Buffs, old.Carried, old.Timeouts, old.Data
			v.Attributes, v.Numbers = old.Attributes, old.Numbers
		}
		return v
	}
	v.Paused, v.Carried, v.Timeouts = o.set.Paused(), o.set.Len(), o.set.Timeouts()
	v.Buffs = make([]buff.Instance, 0, min(v.Carried, maxShown))
	for b := range o.set.All() {
		if len(v.Buffs) == maxShown {
			break
		}
		v.Buffs, v.Numbers = append(v.Buffs, b), append(v.Numbers, o.set.Numbers(b.Handle, nil))
	}
	v.Attributes = attributesOf(e, o)
	f.lookAt(e, v, o.data)
	return v
}

// attributesOf returns the attributes of an owner, which must not be busy.
func attributesOf(e *Engine, o *owner) (out []view.Attribute) {
	c, room := e.Catalog(), maxModifiers
	for a := range o.set.Attributes(c) {
		if len(out) == maxAttributes {
			break
		}
		v := view.Attribute{Name: a.Name, Base: a.Base, Value: a.Value, ModifierCount: a.Modifiers}
		for m := range o.set.Modifiers(c, a.Attr) {
			if room == 0 {
				break
			}
			room--
			b, _ := o.set.Find(buff.Handle(m.Of))
			v.Modifiers = append(v.Modifiers, view.Modifier{Spec: b.Spec, Source: b.Source, Op: m.Op, Channel: m.Channel, Value: m.Value})
		}
		out = append(out, v)
	}
	return out
}

// lookAt calls the function that was passed to Follow. If that function panics, the panic becomes
// v.Fault.
func (f *following) lookAt(e *Engine, v *view.Owner, data any) {
	if f.look == nil {
		return
	}
	if failed := e.callGame(callLook, true, &buff.Event{Owner: v.Owner}, func() { v.Data = f.look(data) }); failed != nil {
		v.Fault = recovered.Text(failed)
	}
}

// ring keeps the last events that were added, up to a limit.
type ring struct {
	events []buff.Event
	oldest int
}

func (r *ring) add(ev *buff.Event, limit int) {
	if len(r.events) < limit {
		r.events = append(r.events, *ev)
		return
	}
	r.events[r.oldest] = *ev
	r.oldest = (r.oldest + 1) % limit
}

// all yields the events, the oldest first.
func (r *ring) all() func(yield func(buff.Event) bool) {
	return func(yield func(buff.Event) bool) {
		for i := range r.events {
			if !yield(r.events[(r.oldest+i)%len(r.events)]) {
				return
			}
		}
	}
}
