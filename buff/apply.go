package buff

import (
	"fmt"

	"github.com/bufftick/bufftick/wheel"
)

// apply puts a buff on the owner: an instant one is done, a further application
// joins a live instance, everything else is a new one.
func (s *Set) apply(t *Turn, a *Application) Result {
	spec := a.Spec
	if why, err := a.check(); err != nil {
		t.emit(s, Event{Kind: Faulted, Why: why, Spec: spec, Source: a.Source, End: wheel.Never})
		return Result{Kind: Faulted, Why: why, Err: err}
	}
	if spec.Kind == Instant {
		t.emit(s, Event{Kind: Executed, Spec: spec, Source: a.Source, Stacks: int32(min(max(a.Stacks, 1), MaxStacks)), Magnitude: a.Magnitude, End: wheel.Never})
		s.follow(t, spec.exec)
		return Result{Kind: Executed}
	}
	if by := spec.Stack.By; by != ByNone {
		if at := s.find(spec, by, a.Source); at != noSlot {
			return s.again(t, at, a)
		}
	}
	return s.start(t, a)
}

// start makes a new instance.
func (s *Set) start(t *Turn, a *Application) Result {
	at := s.place()
	if at == noSlot {
		return s.deny(t, a, Full, fmt.Errorf("%w: %d buffs on owner %d", ErrFull, s.limit, s.owner))
	}
	i, spec := &s.slots[at], a.Spec
	i.spec, i.source, i.magnitude = spec, a.Source, a.Magnitude
	i.duration, i.period = a.duration(), spec.period
	i.end, i.beat = lasting(t.at, i.duration), lasting(t.at, i.period)
	i.stacks = int16(min(spec.stacks(a), spec.limit))
	s.touch(at)
	e := s.about(Applied, at)
	e.End = i.end
	t.emit(s, e)
	s.follow(t, spec.apply)
	if spec.First != FirstNone {
		s.pulse(t, at, 0)
	}
	return Result{Handle: s.handle(at), Kind: Applied}
}

// again joins a live instance: more stacks up to the limit, then the rules of
// refresh and phase; at the limit, the rule of overflow first.
func (s *Set) again(t *Turn, at uint16, a *Application) Result {
	i, spec := &s.slots[at], a.Spec
	r := Result{Handle: s.handle(at)}
	full := int32(i.stacks) >= spec.limit
	if full {
		switch spec.Stack.Overflow {
		case OverflowDeny:
			r := s.deny(t, a, Limit, nil)
			s.follow(t, spec.overflow)
			return r
		case OverflowClear:
			s.end(t, at, Overflowed)
			s.overflow(t, a)
			return Result{Kind: Removed, Why: Overflowed}
		}
	} else {
		i.stacks = int16(min(int32(i.stacks)+spec.stacks(a), spec.limit))
		t.emit(s, s.about(Stacked, at))
		r.Kind = Stacked
	}
	if s.refresh(t, at, a, r.Kind == Stacked) && r.Kind == 0 {
		r.Kind = Refreshed
	}
	if full {
		s.overflow(t, a)
	}
	return r
}

// refresh sets the end and the beat by the definition's rules, and reports whether
// the end was set. A refresh keeps the instance's age. FirstEvery pulses if
// anything came of the application, be it only a stack.
func (s *Set) refresh(t *Turn, at uint16, a *Application, stacked bool) bool {
	i, spec := &s.slots[at], a.Spec
	rule := spec.Stack.Refresh
	if rule != RefreshNone {
		d := a.duration()
		i.end = refreshed(rule, i.end, t.at, d, spec.carry)
		i.duration, i.magnitude = d, a.Magnitude
		e := s.about(Refreshed, at)
		e.End = i.end
		t.emit(s, e)
		s.follow(t, spec.refresh)
	}
	s.touch(at)
	phase := spec.Stack.Phase
	if phase != PhaseKeep {
		i.beat = lasting(t.at, i.period)
	}
	set := rule != RefreshNone
	if i.period > 0 && (phase == PhaseExecute || spec.First == FirstEvery && (set || stacked)) {
		s.pulse(t, at, 0)
	}
	return set
}

// refreshed returns the new end of an instance that had end, for an application of
// d ms at now.
func refreshed(rule Refresh, end, now wheel.Time, d, carry int64) wheel.Time {
	switch {
	case rule == RefreshMax:
		return max(end, lasting(now, d))
	case d == 0 || end == wheel.Never && rule == RefreshExtend:
		return wheel.Never
	case rule == RefreshExtend:
		return end.Add(d)
	case rule == RefreshPandemic:
		return now.Add(d).Add(min(int64(end-now), carry))
	}
	return now.Add(d)
}

// overflow queues what the definition applies when its stack limit is met, in the
// name of the application's source.
func (s *Set) overflow(t *Turn, a *Application) {
	s.followEvent(t, a.Spec.overflow, Event{At: t.at, Owner: s.owner, Spec: a.Spec, Source: a.Source, Magnitude: a.Magnitude, Kind: Denied, Why: Limit, End: wheel.Never})
}

func (s *Set) deny(t *Turn, a *Application, why Reason, err error) Result {
	t.emit(s, Event{Kind: Denied, Why: why, Spec: a.Spec, Source: a.Source, Magnitude: a.Magnitude, End: wheel.Never})
	return Result{Kind: Denied, Why: why, Err: err}
}

// stacks returns how many stacks the application brings.
func (s *Spec) stacks(a *Application) int32 {
	if a.Stacks == 0 {
		return s.initial
	}
	return int32(min(a.Stacks, MaxStacks))
}

// lasting returns the instant ms after at, Never for a span of 0.
func lasting(at wheel.Time, ms int64) wheel.Time {
	if ms == 0 {
		return wheel.Never
	}
	return at.Add(ms)
}
