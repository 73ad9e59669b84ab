package rules

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/deadline"
	"github.com/bufftick/bufftick/wheel"
)

// The next event of a buff is a pulse, the end of some of its stacks, or its end. When it may have
// moved, the buff is dirty; at the end of a command or turn, its deadline is computed again.

// nextEvent returns the next event of an instance: its instant in owner time (due) and in buff
// time (own), its rank and its age.
func (i instance) nextEvent() (due clock.OwnerTime, own clock.BuffTime, r deadline.Rank, age uint64) {
	own, r, age = i.nextOwnEvent()
	return i.timeScale().ToOuter(own), own, r, age
}

// nextOwnEvent returns the instance's next event: its instant in buff time, its rank and its age.
func (i instance) nextOwnEvent() (clock.BuffTime, deadline.Rank, uint64) {
	end, r, age := i.end, deadline.End, i.age()
	switch st := &i.program().Stack; {
	case st.Timers == define.TimersEach:
		if async := i.extra().async; len(async) > 1 {
			end, r, age = async[0].end, deadline.StackEnd, async[0].age
		}
	case st.Timers == define.TimersQueue || st.Expire != define.ExpireAll:
		if i.continues() {
			r = deadline.StackEnd
		}
	}
	if i.flags&member != 0 {
		if k := i.firstLeaving(); k >= 0 {
			h := &i.extra().async[k]
			end, r, age = h.end, deadline.StackEnd, h.age
		}
	}
	if i.flags&recharging != 0 && i.extra().nextCharge <= end {
		end, r, age = i.extra().nextCharge, deadline.StackEnd, i.age()
	}
	if at := i.nextPulse(); at <= end && at != clock.Never {
		return at, deadline.Pulse, i.age()
	}
	return end, r, age
}

// nextPulse returns the instant of the next pulse in buff time, or Never if there is none up to
// the end. A partial tail pulses at the end, unless the end is a boundary or the buff continues
// after it.
func (i instance) nextPulse() clock.BuffTime {
	switch {
	case i.boundary <= i.end:
		return i.boundary
	case i.program().Tail == define.TailPartial && i.period() > 0 && i.elapsed(i.end) > 0 && !i.continues():
		return i.end
	}
	return clock.Never
}

// continues reports whether the instance goes on after the end of its duration: either only some
// of its stacks expire, or the next application in its queue starts.
func (i instance) continues() bool {
	switch st := &i.program().Stack; {
	case st.Timers == define.TimersQueue:
		return len(i.extra().async) > 0
	case st.Timers == define.TimersShared && st.Expire != define.ExpireAll && i.flags&leaving == 0:
		return int(i.stacks) > i.program().ExpiringStacks(int(i.stacks))
	}
	return false
}

// nextEnd returns the next end of the instance, of an async stack or of a holder, in buff time.
func (i instance) nextEnd() clock.BuffTime {
	if i.program().Stack.Timers == define.TimersEach {
		return i.extra().async[0].end
	}
	if i.flags&member != 0 {
		if k := i.firstLeaving(); k >= 0 {
			return i.extra().async[k].end
		}
	}
	return i.end
}

// Place and Deadline are in the interface of Owner: see package deadline.
type (
	Place    = deadline.Place
	Deadline = deadline.Deadline
)

// NoPlace stands for no place. It differs from every place.
const NoPlace = deadline.NoPlace

// Waits reports whether the Owner still waits for a deadline. It does not if an earlier deadline
// has replaced this deadline, if the buff or timeout has ended, or if a Run has reached the
// instant.
func (s *Owner) Waits(d Deadline) bool {
	at := d.Place.Slot()
	if d.Place.IsTimeout() {
		l := s.timeouts().all()
		return int(at) < len(l) && l[at].filed == d.Due
	}
	return at < s.records.Used() && *s.records.Key(at) == d.Due
}

// WaitsBy reports whether the Owner has a deadline at or before the given instant. It costs
// O(slots).
func (s *Owner) WaitsBy(until wheel.Time) bool {
	for _, due := range s.records.Keys() {
		if due <= until {
			return true
		}
	}
	for k := range s.timeouts().all() {
		if s.rare.timeouts.list[k].filed <= until {
			return true
		}
	}
	return false
}

// collectDue removes all deadlines at or before the instant `until` of world time, and marks their
// slots and timeouts as dirty. In the usual case there is only one such deadline, it is the
// deadline of an instance, and the Turn has no other work. Then collectDue returns the slot of the
// instance without marking the slot. Otherwise it returns noSlot.
func collectDue(t *Turn, s *Owner, until wheel.Time) (only uint16) {
	only, n, filed := noSlot, 0, s.records.Keys()
	for at, due := range filed {
		if due <= until {
			filed[at] = wheel.Never
			if n++; n == 1 {
				only = uint16(at)
			} else {
				markOnlyDirty(t, s, &only)
				s.slot(uint16(at)).markDirty(t)
			}
		}
	}
	t.Waiting -= n
	for k := range s.timeouts().all() {
		if x := &s.rare.timeouts.list[k]; x.filed <= until {
			t.Unfile(&x.filed)
			markOnlyDirty(t, s, &only)
			markTimeoutDirty(t, s, uint16(k))
		}
	}
	if !s.agenda.Empty() || s.deferredCalls() > 0 || t.head < len(t.items) {
		markOnlyDirty(t, s, &only)
	}
	return only
}

// collectOne does the same as collectDue, for a caller that knows that only the deadline of the
// given slot may have been reached.
func collectOne(t *Turn, s *Owner, at uint16, until wheel.Time) (only uint16) {
	only = noSlot
	if filed := s.records.Key(at); *filed <= until {
		t.Unfile(filed)
		only = at
	}
	if !s.agenda.Empty() || s.deferredCalls() > 0 || t.head < len(t.items) {
		markOnlyDirty(t, s, &only)
	}
	return only
}

// markOnlyDirty marks the slot *only as dirty and sets *only to noSlot.
func markOnlyDirty(t *Turn, s *Owner, only *uint16) {
	if *only != noSlot {
		s.slot(*only).markDirty(t)
		*only = noSlot
	}
}

// markDirty marks an instance for rescheduling because its next event may have moved.
func (i instance) markDirty(t *Turn) {
	if i.flags&dirty == 0 {
		i.flags |= dirty
		i.owner.agenda.Mark(&t.List, deadline.BuffRef(i.slot))
	}
}

func markTimeoutDirty(t *Turn, s *Owner, at uint16) {
	if x := &s.rare.timeouts.list[at]; !x.dirty {
		x.dirty = true
		s.agenda.Mark(&t.List, deadline.TimeoutRef(at))
	}
}

// markAllDirty marks every deadline for rescheduling after the owner's clock has changed.
func markAllDirty(t *Turn, s *Owner) {
	s.visited += uint32(s.records.Len()) + uint32(len(s.timeouts().all()))
	for i := s.first(); i.exists(); i = i.next() {
		i.markDirty(t)
	}
	for k := range s.timeouts().all() {
		if s.rare.timeouts.list[k].live {
			markTimeoutDirty(t, s, uint16(k))
		}
	}
	s.agenda.DropDue()
}

// reschedule computes the deadlines of all dirty slots. Events due at `until` or earlier become due
// events of the agenda; later ones get a deadline. It runs once at the end of a command or a turn,
// because an application can move one deadline several times.
func reschedule(t *Turn, s *Owner, until wheel.Time) {
	reached := s.timeScale().Reached(until)
	for _, r := range s.agenda.Marked() {
		at := r.Slot()
		if r.IsTimeout() {
			s.visited += workPerDeadline
			x := &s.rare.timeouts.list[at]
			x.dirty = false
			if x.live {
				schedule(t, s, reached, deadline.Event{At: x.at, Key: deadline.KeyOf(deadline.Timeout, x.age), Ref: r}, &x.filed, until)
			}
			continue
		}
		i := s.slot(at)
		i.countReschedule()
		i.flags &^= dirty
		if i.def != 0 {
			due, _, rank, age := i.nextEvent()
			schedule(t, s, reached, deadline.Event{At: due, Key: deadline.KeyOf(rank, age), Ref: r}, s.records.Key(at), until)
		}
	}
	s.agenda.Settle(&t.List)
}

// countReschedule adds the cost of rescheduling an instance to the work count.
func (i instance) countReschedule() {
	i.owner.visited += workPerDeadline
	if i.def != 0 && i.program().Stack.Timers != define.TimersShared {
		i.owner.visited += uint32(len(i.extra().async))
	}
}

// schedule adds e to the due events if its instant has been reached. Otherwise it files a deadline
// at this instant.
func schedule(t *Turn, s *Owner, reached clock.OwnerTime, e deadline.Event, filed *wheel.Time, now wheel.Time) {
	if e.At <= reached {
		s.agenda.Push(&t.List, e)
		return
	}
	t.File(filed, deadline.PlaceOf(s.number, e.Ref), s.timeScale().ToOuter(e.At), now)
}
