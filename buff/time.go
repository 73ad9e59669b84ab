package buff

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// The time of an owner is that of the world unless something held it or changed its rate;
// the time of a buff is that of its owner, in the same way. All that a Set keeps is in the
// owner's time, and of a buff with a time of its own in that; all that it tells is in the
// world's.

// world returns the first instant of the world at which an instant of the owner's time has
// been reached.
func (s *Set) world(at wheel.Time) wheel.Time {
	if s.own == nil {
		return at
	}
	return s.own.outer(at)
}

// reached returns the last instant of the owner's time that has been reached at one of the
// world's.
func (s *Set) reached(at wheel.Time) wheel.Time {
	if s.own == nil {
		return at
	}
	return s.own.floor(at)
}

// started returns the instant of the owner's time from which what starts at one of the
// world's is counted.
func (s *Set) started(at wheel.Time) wheel.Time {
	if s.own == nil {
		return at
	}
	return s.own.ceil(at)
}

// worldOf returns the world's instant for one of the instance's own time.
func (s *Set) worldOf(i *instance, at wheel.Time) wheel.Time {
	if i.flags&paced != 0 {
		at = s.extraOf(i).pace.outer(at)
	}
	return s.world(at)
}

// endTold returns the end that events tell: of a buff whose time stands still the one that
// it would have if its time went on now.
func (s *Set) endTold(t *Turn, i *instance) wheel.Time {
	if s.own == nil && i.flags&paced == 0 {
		return i.end
	}
	return s.told(t, i, i.end)
}

// told is endTold for the end of a part.
func (s *Set) told(t *Turn, i *instance, end wheel.Time) wheel.Time {
	if at := s.worldOf(i, end); at != wheel.Never || end == wheel.Never {
		return at
	}
	return t.at.Add(int64(end - s.nowOf(t, i)))
}

// left returns the ms until an instant to come. Where two rates are rounded up, now may be
// behind what is due in this very millisecond: then nothing is left.
func left(now, at wheel.Time) int64 { return max(int64(at-now), 0) }

// nowOf returns the running instant in the instance's own time.
func (s *Set) nowOf(t *Turn, i *instance) wheel.Time {
	if i.flags&paced != 0 {
		return s.pacedNow(t, i)
	}
	return t.now
}

func (s *Set) pacedNow(t *Turn, i *instance) wheel.Time { return s.extraOf(i).pace.ceil(t.now) }

// extend moves the end of a buff. If it would not be after now, the buff expires at once,
// without a pulse.
func (s *Set) extend(t *Turn, at uint16, by time.Duration, most Span) Result {
	i := &s.slots[at]
	if i.end == wheel.Never {
		return Result{Handle: s.handle(at), Err: fmt.Errorf("%w: %q", ErrInfinite, i.spec.ID)}
	}
	end := i.end.Add(by.Milliseconds())
	if most.given {
		end = min(end, max(i.end, s.nowOf(t, i).Add(wait(most.d))))
	}
	s.flush(t, at)
	s.shiftLayers(i, int64(end-i.end))
	return s.endAt(t, at, end)
}

// setRemaining makes the buff end after by.
func (s *Set) setRemaining(t *Turn, at uint16, by time.Duration) Result {
	i := &s.slots[at]
	end := s.nowOf(t, i)
	if by > 0 {
		end = end.Add(wait(by))
	}
	s.flush(t, at)
	s.setLayers(i, end)
	return s.endAt(t, at, end)
}

// endAt gives the buff another end.
func (s *Set) endAt(t *Turn, at uint16, end wheel.Time) Result {
	i := &s.slots[at]
	i.end = end
	now := s.nowOf(t, i)
	if i.end <= now {
		s.end(t, at, Expired)
		return Result{Kind: Removed, Why: Expired}
	}
	s.touch(at)
	e := s.about(Refreshed, at)
	e.End = s.endTold(t, i)
	t.emit(s, &e)
	for s.layersOver(i, now) { // with a timer for each, a part may be over
		s.endLayer(t, at, Expired)
	}
	return Result{Handle: s.handle(at), Kind: Refreshed}
}

// extendAll moves the ends of all that the query finds and that have one.
func (s *Set) extendAll(t *Turn, c *Command) Result {
	var r Result
	s.found(t, c.Query, func(at uint16) bool {
		if s.slots[at].end != wheel.Never {
			s.extend(t, at, c.By, c.Application.Duration)
			r.Amount++
		}
		return true
	})
	return r
}

// setPace holds the time of a buff or of the owner, lets it go on, or changes its rate.
func (s *Set) setPace(t *Turn, c *Command) Result {
	if c.Verb == SetRate && (!c.Rate.within(MaxRate) || c.Rate.orOne().Num == 0) {
		return Result{Err: fmt.Errorf("%w: %v, want parts from 1 to %d", ErrRate, c.Rate, MaxRate)}
	}
	if c.Whose == OfBuff {
		i := s.lookup(c.Handle)
		if i == nil {
			return stale(c.Handle)
		}
		s.flush(t, c.Handle.slot())
		s.paceOf(t, i).turn(t.now, c)
		s.touch(c.Handle.slot())
		return Result{Handle: c.Handle}
	}
	if c.Whose > OfZone {
		panic(fmt.Sprintf("buff: a Command with the Whose %d", c.Whose))
	}
	if s.own == nil {
		own := newPace(t.at)
		s.own = &own
	}
	s.flushAll(t, func(*Spec) bool { return true })
	s.own.turn(t.at, c)
	t.now = s.started(t.at)
	s.touchAll()
	return Result{}
}

// paceOf returns the pace of an instance, which gets one if it has none.
func (s *Set) paceOf(t *Turn, i *instance) *pace {
	x := s.needExtra(i)
	if i.flags&paced == 0 {
		i.flags |= paced
		x.pace = newPace(t.now)
	}
	return &x.pace
}

// turn does a Hold, a Resume or a SetRate.
func (p *pace) turn(now wheel.Time, c *Command) {
	cause := &p.cause[c.Whose]
	switch c.Verb {
	case Hold:
		p.change(now, c.Whose, true, cause.rate)
	case Resume:
		p.change(now, c.Whose, false, cause.rate)
	default:
		p.change(now, c.Whose, cause.held, c.Rate)
	}
}
