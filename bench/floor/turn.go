package floor

import (
	"cmp"
	"slices"
)

// file writes down when an instance is due next, and tells the ring if its owner is due earlier.
func (w *World) file(o uint32, h *header, place uint32, i *instance) {
	l := w.lines.at(place >> 3)
	l.due[place&7] = when(min(i.beat, i.end))
	w.refile(o, h, place>>3, l)
}

// when is an instant in a line.
func when(at int64) uint32 {
	if at >= far {
		return far
	}
	return uint32(at)
}

// refile works out a block's earliest deadline.
func (w *World) refile(o uint32, h *header, number uint32, l *line) {
	least := uint32(far)
	for _, due := range &l.due {
		least = min(least, due)
	}
	for b := range h.used {
		if h.number[b] == number {
			h.due[b] = least
			break
		}
	}
	if least < h.filed {
		h.filed = least
		w.ring.add(o, least)
	}
}

// free takes an instance out.
func (w *World) free(o uint32, place uint32, i *instance) {
	h, l := w.owners.at(o), w.lines.at(place>>3)
	i.live = false
	h.live--
	l.key[place&7], l.due[place&7] = 0, far
	w.refile(o, h, place>>3, l)
}

// earliest returns when the owner is due next.
func (h *header) earliest() uint32 {
	least := uint32(far)
	for _, due := range &h.due {
		least = min(least, due)
	}
	return least
}

// batch is how many owners are looked at ahead.
const batch = 64

// Tick moves the time on by ms and does all that is due. The events are good until the next Tick.
func (w *World) Tick(ms int64) []Event {
	w.now += ms
	if w.now >= far {
		panic("floor: 49 days are over")
	}
	w.ready = w.ring.advance(w, uint32(w.now), w.ready[:0])
	for from := 0; from < len(w.ready); from += batch {
		some := w.ready[from:min(from+batch, len(w.ready))]
		w.fetch(some)
		for _, o := range some {
			w.turn(o)
		}
	}
	if len(w.cross) > 0 {
		w.deliver()
	}
	w.given, w.events = w.events, w.given[:0]
	return w.given
}

// fetch reads what the turns of some owners will need, one level after the other.
func (w *World) fetch(some []uint32) {
	seen := uint64(0)
	for _, o := range some {
		h := w.owners.at(o)
		seen += h.id + uint64(h.number[blocks-1])
	}
	for _, o := range some {
		h := w.owners.at(o)
		for b := range h.used {
			if h.due[b] <= uint32(w.now) {
				seen += uint64(w.lines.at(h.number[b]).key[0])
			}
		}
	}
	for _, o := range some {
		h := w.owners.at(o)
		for b := range h.used {
			if h.due[b] > uint32(w.now) {
				continue
			}
			l := w.lines.at(h.number[b])
			for k, due := range &l.due {
				if due <= uint32(w.now) {
					seen += uint64(w.instances.at(h.number[b])[k].age)
				}
			}
		}
	}
	w.seen += seen
}

// turn does all that an owner has due, in order, and files it anew.
func (w *World) turn(o uint32) {
	h := w.owners.at(o)
	now := uint32(w.now)
	for at := h.earliest(); at <= now; at = h.earliest() {
		w.fire(o, h, w.first(h, at), int64(at))
	}
	h.filed = h.earliest()
	w.ring.add(o, h.filed)
}

// first returns which of those that are due at an instant comes first: by rank, then by age.
func (w *World) first(h *header, at uint32) uint32 {
	best, place := uint64(1<<63), uint32(0)
	for b := range h.used {
		if h.due[b] != at {
			continue
		}
		l := w.lines.at(h.number[b])
		for k, due := range &l.due {
			if due != at {
				continue
			}
			i := &w.instances.at(h.number[b])[k]
			key := uint64(i.age)
			if i.beat != int64(at) {
				key |= 1 << 40 // an end comes behind all pulses
			}
			if key < best {
				best, place = key, h.number[b]<<3|uint32(k)
			}
		}
	}
	return place
}

// fire does one thing that is due.
func (w *World) fire(o uint32, h *header, place uint32, at int64) {
	i := &w.instances.at(place >> 3)[place&7]
	spec := &w.specs[i.spec]
	handle := Handle(i.generation)<<32 | Handle(place)
	call := spec.Pulse
	var e *Event
	if i.beat == at {
		e = w.tell(Pulsed, at, h.id, handle, i)
		i.beat += int64(i.period)
		w.file(o, h, place, i)
	} else {
		e = w.tell(Removed, at, h.id, handle, i)
		e.Why = Expired
		w.free(o, place, i)
		call = spec.End
	}
	if call != nil {
		w.ctx.owner, w.ctx.at = o, at
		call(&w.ctx, e)
		if len(w.own) > 0 {
			w.follow(o, at)
		}
	}
}

// follow does what a handler has asked for.
func (w *World) follow(o uint32, at int64) {
	for k := 0; k < len(w.own); k++ {
		w.do(o, &w.own[k].Command, at)
	}
	w.own = w.own[:0]
}

// deliver does the commands for others, by time of the cause, owner, and number of issue.
func (w *World) deliver() {
	slices.SortStableFunc(w.cross, func(a, b outgoing) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from))
	})
	for k := range w.cross {
		if o, ok := w.whose1(&w.cross[k].cmd); ok {
			w.do(o, &w.cross[k].cmd, w.now)
		}
	}
	w.cross = w.cross[:0]
}
