package buff

import "github.com/bufftick/bufftick/wheel"

// In most games, most turns are one pulse of a plain buff that calls one handler, and the only
// consequence is the next pulse. The general rules make such a turn a third slower, with their
// lists of changes and queued items and their checks. This fast path is observably identical,
// apart from one visit in [Set.Looked] if a handler does not return: TestPulseOnly compares the
// two.

// pulseOnly executes the only due event of a Set, if it is such a pulse and the instance's next
// event is not due in this turn. Otherwise it has no effect and reports false. next is the
// deadline of the other slots.
//
// Like [Set.firePulse], it sets the next deadline before it calls the handler, in case the handler
// changes it or does not return.
func (s *Set) pulseOnly(t *Turn, at uint16, until, next wheel.Time) bool {
	i := s.slot(at)
	if i.flags != 0 || i.extra != noSlot || s.gates() != nil || s.timeScale() != nil {
		return false
	}
	own := i.boundary
	boundary := own.Add(int64(i.period32)) // flags is 0, so the period is here
	due := min(boundary, i.end)
	if due <= until {
		return false
	}
	p := s.programOf(i)
	if p.uses&usesOnlyCall == 0 {
		return false
	}
	t.Ran++
	s.visited += workPerDeadline
	t.begin(own, own, true)
	i.boundary = boundary
	*s.key(at) = due
	s.setOrder(at, t.Order)
	if due < next {
		s.scheduler.setEarliest(due, t.Order)
	} else {
		s.updateEarliest(t, next)
	}
	s.emitPulse(t, i, p, own, s.handle(at))
	s.callPulse(t, p.pulse[0].handler)
	if len(t.items) > 0 || s.scheduler.scratch != nil {
		s.markDirty(t, at) // the handler has caused changes: reschedule with the others
	} else {
		s.visited += workPerDeadline
	}
	return true
}

// emitPulse emits the pulse. It builds the event in the Turn, which is in the cache, and copies it
// to the event list, which is not: the handler then reads the copy in the cache. Fields that it
// does not set are always zero.
func (s *Set) emitPulse(t *Turn, i *instance, p *program, own wheel.Time, h Handle) {
	e := &t.pulseCall.event
	e.At, e.Seen, e.Seq, e.End = own, t.Now, s.Count(), wheel.Never
	e.Owner, e.Source, e.Handle = s.owner, i.source, h
	if e.Spec != &p.Spec { // skips the GC write barrier if unchanged
		e.Spec = &p.Spec
	}
	e.Stacks, e.Level, e.Magnitude, e.Kind = int32(i.stacks), i.level, i.magnitude, Pulsed
	if n := len(t.Events); n < cap(t.Events) {
		t.Events = t.Events[:n+1]
		t.Events[n] = *e
	} else {
		*t.appendEvent() = *e
	}
}

// callPulse calls the handler for the pulse just emitted.
func (s *Set) callPulse(t *Turn, handler HandlerID) {
	if t.Call == nil {
		return
	}
	c := &t.pulseCall
	c.Handler = handler
	c.makeCurrent(t)
	s.callNow(t)
}
