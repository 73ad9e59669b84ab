package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/deadline"
	"github.com/bufftick/bufftick/wheel"
)

// In most games, most turns consist of one pulse of a plain buff. The pulse calls one handler, and
// its only consequence is the next pulse. The general code checks many rules for such a turn and
// uses lists of changes and of queued items, which makes it a third slower. The fast path in this
// file has the same observable results, with one exception: if a handler does not return,
// [Owner.Looked] counts one visit less. TestPulseOnly compares the two.

// pulseOnly executes the only due event of an Owner if that event is a pulse for the fast path and
// the next event of the same instance is not due in this turn. Otherwise it has no effect and
// returns false.
//
// Like firePulse, it sets the next deadline of the instance before it calls the handler,
// because the handler may change the deadline or not return.
func pulseOnly(t *Turn, i instance, until wheel.Time) bool {
	s := i.owner
	if i.flags != 0 || i.extraIndex != noSlot || s.gates() != nil || s.timeScale() != nil {
		return false
	}
	own := i.boundary                      // no time is scaled, so it is also owner time and world time
	boundary := own.Add(int64(i.period32)) // flags is 0, so the period is not in an extra: see instance.period
	due := min(boundary, i.end)
	if wheel.Time(due) <= until || own > min(clock.BuffTime(until), i.end) { // the pulse is not the only due event, or is not due yet: see deadline.List.File
		return false
	}
	p := i.program()
	if p.Uses&compile.UsesOnlyCall == 0 {
		return false
	}
	t.Ran++
	s.visited += workPerDeadline
	t.begin(wheel.Time(own), clock.OwnerTime(own), true)
	i.boundary = boundary
	t.File(s.records.Key(i.slot), deadline.PlaceOf(s.number, deadline.BuffRef(i.slot)), wheel.Time(due), t.at)
	emitPulse(t, i, p, i.handle())
	callPulse(t, s, p.Pulse[0].Handler)
	if len(t.items) > 0 || !s.agenda.Empty() {
		i.markDirty(t) // the handler has caused changes, so compute this deadline again, with the others
	} else {
		s.visited += workPerDeadline
	}
	return true
}

// emitPulse emits the pulse. It builds the event in the Turn, which is in the cache, and copies the
// event to the event list, which is not in the cache. So the handler reads the event from the
// cache. Fields of the event that emitPulse does not set are always zero.
func emitPulse(t *Turn, i instance, p *compile.Program, h buff.Handle) {
	e := &t.pulseCall.event
	e.At, e.Seen, e.Seq, e.End = t.at, t.Now, i.owner.Count(), wheel.Never
	e.Owner, e.Source, e.Handle = i.owner.id, i.source, h
	if e.Spec != &p.Spec { // skips the GC write barrier if unchanged
		e.Spec = &p.Spec
	}
	e.Stacks, e.Level, e.Magnitude, e.Kind = int32(i.stacks), i.level, i.magnitude, buff.Pulsed
	if n := len(t.Events); n < cap(t.Events) {
		t.Events = t.Events[:n+1]
		t.Events[n] = *e
	} else {
		*t.appendEvent() = *e
	}
}

// callPulse calls the handler for the pulse just emitted.
func callPulse(t *Turn, s *Owner, handler define.HandlerID) {
	if t.Call == nil {
		return
	}
	c := &t.pulseCall
	c.Handler = handler
	c.makeCurrent(t)
	callNow(t, s)
}
