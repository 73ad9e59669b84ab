package buff

import (
	"fmt"

	"github.com/bufftick/bufftick/wheel"
)

// about returns an event about the instance in the slot at.
func (s *Set) about(kind EventKind, at uint16) Event {
	i := &s.slots[at]
	return Event{
		Kind: kind, Spec: i.spec, Source: i.source, Handle: s.handle(at),
		Stacks: int32(i.stacks), Magnitude: i.magnitude, End: wheel.Never,
	}
}

// pulse does the periodic effect; elapsed is zero for a whole one, otherwise the
// ms of the period that it stands for.
func (s *Set) pulse(t *Turn, at uint16, elapsed int64) {
	e := s.about(Pulsed, at)
	if elapsed != 0 {
		e.Elapsed, e.Period = elapsed, s.slots[at].period
	}
	t.emit(s, e)
	s.follow(t, e.Spec.pulse)
}

// end removes the instance.
func (s *Set) end(t *Turn, at uint16, why Reason) {
	e := s.about(Removed, at)
	e.Why = why
	s.drop(at)
	t.emit(s, e)
	s.follow(t, e.Spec.remove[why])
}

// drop frees the slot and has its timer taken off the wheel.
func (s *Set) drop(at uint16) {
	i := &s.slots[at]
	if i.timer != 0 {
		s.orders = append(s.orders, Order{Due: wheel.Never, Timer: i.timer})
	}
	wasTouched := i.flags & touched
	s.release(at)
	s.slots[at].flags = wasTouched // it is still in the list
}

// lose takes n stacks off the instance, or ends it if it has no more. The timers
// of what is left stay as they are.
func (s *Set) lose(t *Turn, at uint16, n int, why Reason) Result {
	i := &s.slots[at]
	if n <= 0 || n >= int(i.stacks) {
		s.end(t, at, why)
		return Result{Kind: Removed, Why: why}
	}
	i.stacks -= int16(n)
	s.touch(at)
	e := s.about(StackEnded, at)
	e.Why = why
	t.emit(s, e)
	return Result{Handle: e.Handle, Kind: StackEnded, Why: why}
}

// expireOne ends one stack at the end of the duration; the others begin it anew.
func (s *Set) expireOne(t *Turn, at uint16) {
	i := &s.slots[at]
	i.stacks--
	i.end = lasting(t.at, i.duration)
	s.touch(at)
	e := s.about(StackEnded, at)
	e.Why, e.End = Expired, i.end
	t.emit(s, e)
}

// extend moves the end. A buff whose end would not be after now expires at once,
// without a pulse.
func (s *Set) extend(t *Turn, c *Command) Result {
	i := s.lookup(c.Handle)
	if i == nil {
		return Result{Err: fmt.Errorf("%w: %v", ErrStale, c.Handle)}
	}
	if i.end == wheel.Never {
		return Result{Handle: c.Handle, Err: fmt.Errorf("%w: %q", ErrInfinite, i.spec.ID)}
	}
	at := c.Handle.slot()
	i.end = i.end.Add(c.By.Milliseconds())
	if i.end <= t.at {
		s.end(t, at, Expired)
		return Result{Kind: Removed, Why: Expired}
	}
	s.touch(at)
	e := s.about(Refreshed, at)
	e.End = i.end
	t.emit(s, e)
	return Result{Handle: c.Handle, Kind: Refreshed}
}

// removeIf ends every instance of which fate says so, the oldest first.
func (s *Set) removeIf(t *Turn, why Reason, goes func(*instance) bool) {
	for at := s.oldest; at != noSlot; {
		next := s.slots[at].newer
		if goes(&s.slots[at]) {
			s.end(t, at, why)
		}
		at = next
	}
}

// carryOut does one command at the running instant.
func (s *Set) carryOut(t *Turn, c *Command) Result {
	why := c.Reason
	if why == NoReason {
		why = Cancelled
	}
	if !why.Removes() {
		panic(fmt.Sprintf("buff: a Command with the reason %v, which does not end a buff", why))
	}
	switch c.Verb {
	case Apply:
		return s.apply(t, &c.Application)
	case Remove:
		if s.lookup(c.Handle) == nil {
			return Result{Err: fmt.Errorf("%w: %v", ErrStale, c.Handle)}
		}
		return s.lose(t, c.Handle.slot(), c.Stacks, why)
	case RemoveSpec:
		if at := s.find(c.Application.Spec, ByTarget, 0); at != noSlot {
			return s.lose(t, at, c.Stacks, why)
		}
	case Extend:
		return s.extend(t, c)
	case Kill:
		s.removeIf(t, Death, func(i *instance) bool { return i.spec.OnDeath == FateRemove })
	case LoseSource:
		source := c.Application.Source
		s.removeIf(t, SourceGone, func(i *instance) bool { return i.source == source && i.spec.OnSourceGone == FateRemove })
	case AddTimeout:
		return s.addTimeout(t, c)
	case Cancel:
		return s.cancel(c.Timeout)
	default:
		panic(fmt.Sprintf("buff: a Command with the verb %d", c.Verb))
	}
	return Result{}
}

// fire does what an entry of the agenda stands for, unless it is no longer so.
func (s *Set) fire(t *Turn, e entry) {
	at := e.ref.slot()
	if e.ref.isTimeout() {
		s.fireTimeout(t, at, e)
		return
	}
	i := &s.slots[at]
	if i.spec == nil {
		t.Dropped++
		return
	}
	due, r := i.due()
	if due != e.at || entryKey(r, i.age) != e.key {
		t.Dropped++
		return
	}
	t.begin(e.at, true)
	s.touch(at)
	switch r {
	case rankPulse:
		elapsed := int64(0)
		if e.at == i.beat {
			i.beat = i.beat.Add(i.period)
		} else {
			elapsed = i.elapsed(e.at)
			i.beat = e.at.Add(i.period)
		}
		s.pulse(t, at, elapsed)
	case rankStackEnd:
		s.expireOne(t, at)
	default:
		s.end(t, at, Expired)
	}
}

// Clear ends everything that the owner carries, the oldest first, for one reason:
// it leaves. No action of a definition follows, timeouts are dropped, and so are
// handlers that were put off; Clear returns how many of both. Orders then has
// what is to be taken off the wheel.
func (s *Set) Clear(t *Turn, at wheel.Time, why Reason) (dropped int) {
	t.begin(at, false)
	for s.oldest != noSlot {
		slot := s.oldest
		e := s.about(Removed, slot)
		e.Why = why
		s.drop(slot)
		t.emit(s, e)
	}
	for i := range s.timeouts {
		if s.timeouts[i].live {
			s.releaseTimeout(uint16(i))
			dropped++
		}
	}
	dropped += s.Pending()
	clear(s.calls)
	s.calls, s.called = s.calls[:0], 0
	s.agenda = s.agenda[:0]
	return dropped
}
