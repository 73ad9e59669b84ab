package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Most turns of most games are one pulse of a plain buff, whose definition calls one handler, and nothing comes of it but the next
// pulse. What the rules say for all others costs such a turn a third of its time: lists of what has changed, of what waits, and the
// question, for each rule, whether it has anything to say. So it has a fast path. Nobody can tell the two apart, but by the time that they take
// (and [Set.Looked] by one look, after a handler that has not come back): TestPulseOnly plays both.

// onlyCalls reports whether a pulse of the definition, of an instance without anything that is not plain, does nothing but to call one handler.
func (s *program) onlyCalls(u uses) bool {
	return len(s.pulse) == 1 && s.pulse[0].do == define.DoCall && s.Align == define.AlignStart && u&(usesExtra|usesCatchup) == 0
}

// pulseOnly does what is due of an instance, if nothing else is, where that is such a pulse and what comes next of it is not due in this turn: its end
// is not, then. Otherwise it reports that it has done nothing. next is when the first of all others is due.
//
// As in [Set.firePulse], what comes next is set before the handler is called: what the handler does finds it, and if it does not come back it is set.
func (s *Set) pulseOnly(t *Turn, at uint16, until, next wheel.Time) bool {
	i := s.slot(at)
	if i.flags != 0 || i.extra != noSlot || s.gates() != nil || s.timeScale() != nil {
		return false
	}
	own := i.boundary
	beat := own.Add(int64(i.period32)) // without a flag that is the period
	due := min(beat, i.end)
	if due <= until || s.specOf(i).uses&usesOnlyCall == 0 {
		return false
	}
	t.Ran++
	s.visited += workPerDeadline
	t.begin(own, own, true)
	i.boundary = beat
	*s.key(at) = due
	s.setOrder(at, t.Order)
	if due < next {
		s.scheduler.setEarliest(due, t.Order)
	} else {
		s.updateEarliest(t, next)
	}
	s.emitPulse(t, i, own, s.handle(at))
	s.callPulse(t)
	if len(t.items) > 0 || s.scheduler.scratch != nil {
		s.markDirty(t, at) // something has come of it: it is looked at again with the rest
	} else {
		s.visited += workPerDeadline
	}
	return true
}

// emitPulse tells the pulse. Its event is made in a place of the Turn's, which is in the cache, and then copied to the list, which is not: to read it there
// again, for the handler, would be to wait for that. What it does not set is what it has never set.
func (s *Set) emitPulse(t *Turn, i *instance, own wheel.Time, h Handle) {
	e := &t.pulseCall.event
	e.At, e.Seen, e.Seq, e.End = own, t.Now, s.Count(), wheel.Never
	e.Owner, e.Source, e.Handle = s.owner, i.source, h
	if spec := &s.specOf(i).Spec; e.Spec != spec { // while the collector marks, a pointer that is written costs more than to ask
		e.Spec = spec
	}
	e.Stacks, e.Level, e.Magnitude, e.Kind = int32(i.stacks), i.level, i.magnitude, Pulsed
	if n := len(t.Events); n < cap(t.Events) {
		t.Events = t.Events[:n+1]
		t.Events[n] = *e
	} else {
		*t.appendEvent() = *e
	}
}

// callPulse calls the handler of the pulse that tellOnly has told. Its buff is there.
func (s *Set) callPulse(t *Turn) {
	if t.Call == nil {
		return
	}
	c := &t.pulseCall
	c.Handler = c.event.Spec.program.pulse[0].handler
	c.makeCurrent(t)
	s.callNow(t)
}
