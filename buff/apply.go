package buff

import (
	"fmt"

	"github.com/bufftick/bufftick/wheel"
)

// apply puts a buff on the owner, if all gates let it: an instant one is done, a further
// application joins a live instance, everything else is a new one.
func (s *Set) apply(t *Turn, a *Application) Result {
	spec := a.Spec
	if why, err := a.check(); err != nil {
		t.emit(s, Event{Kind: Faulted, Why: why, Spec: spec, Source: a.Source, End: wheel.Never})
		return Result{Kind: Faulted, Why: why, Err: err}
	}
	if s.catalog != spec.catalog {
		s.versions, s.catalog = s.catalog != nil, spec.catalog
	}
	if why := s.admit(t, a); why != NoReason {
		return s.deny(t, a, why, nil)
	}
	if spec.Kind == Instant {
		t.emit(s, Event{
			Kind: Executed, Spec: spec, Source: a.Source, Stacks: int32(min(max(a.Stacks, 1), MaxStacks)), Level: int16(a.Level),
			Magnitude: a.Magnitude, End: wheel.Never,
		})
		s.follow(t, spec.exec)
		return Result{Kind: Executed}
	}
	d, why := s.lasts(t, a)
	if why != NoReason {
		return s.deny(t, a, why, nil)
	}
	var r Result
	if at := s.joined(a); at != noSlot {
		r = s.again(t, at, a, d)
	} else {
		r = s.start(t, a, d)
	}
	if spec.uses&usesDR != 0 && (r.Kind != Denied && r.Kind != Removed) {
		s.diminish(t, a)
	}
	return r
}

// joined returns the slot of the live instance that the application joins, or noSlot.
func (s *Set) joined(a *Application) uint16 {
	if a.Spec.Stack.By == ByNone || a.member {
		return noSlot
	}
	return s.find(a)
}

// start makes a new instance of d ms.
func (s *Set) start(t *Turn, a *Application, d int64) Result {
	spec := a.Spec
	why := s.makeRoom(t, a)
	at := uint16(noSlot)
	if why == NoReason {
		at = s.place()
	}
	switch {
	case why == NoReason && at == noSlot, why == Full:
		return s.deny(t, a, Full, fmt.Errorf("%w: %d buffs on owner %d", ErrFull, s.limit, s.owner))
	case why != NoReason:
		return s.deny(t, a, why, nil)
	}
	i := &s.slots[at]
	i.spec, i.source, i.magnitude, i.level = spec, a.Source, a.Magnitude, int16(a.Level)
	i.duration, i.period = d, spec.period
	i.end, i.beat = lasting(t.now, d), i.firstBeat(t.now)
	i.stacks = int16(min(spec.stacks(a), spec.limit))
	if a.member {
		i.flags |= member
	}
	if spec.uses&usesExtra != 0 {
		s.equip(t, i, a)
	}
	s.touch(at)
	e := s.about(Applied, at)
	e.End = s.endTold(t, i)
	t.emit(s, e)
	s.follow(t, spec.apply)
	if spec.uses&(usesThresholds|usesGrants|usesImmunity|usesHide|usesOngoing|usesInterrupt) != 0 {
		s.enter(t, at)
	} else {
		s.reconsider(t) // who gave way to it may have hidden others
	}
	if spec.First != FirstNone && s.lives(e.Handle) {
		s.pulse(t, at)
	}
	return Result{Handle: e.Handle, Kind: Applied}
}

// enter does what follows from a new instance before its first pulse: what it gives to its
// owner, and what of it and of others has an effect now. One that is hidden from the start
// gives nothing.
func (s *Set) enter(t *Turn, at uint16) {
	i := &s.slots[at]
	spec := i.spec
	if spec.uses&usesInterrupt != 0 {
		s.needGates().acts |= spec.interrupt | spec.consumeOn
	}
	s.cross(t, at, 0)
	if spec.uses&usesHide != 0 {
		s.unsettle()
		s.rank(t)
	}
	if spec.uses&usesOngoing != 0 {
		s.unsettle()
	}
	if causes := s.causes(t, i, at); causes != 0 {
		i.flags |= causes
		t.emit(s, s.about(Hidden, at))
	} else {
		s.give(t, at)
	}
	s.reconsider(t)
}

// equip gives a new instance what is not plain about it.
func (s *Set) equip(t *Turn, i *instance, a *Application) {
	x, spec := s.needExtra(i), a.Spec
	x.key = a.Key
	x.charges = int32(spec.Charges.N)
	x.shield = spec.pool(a)
	x.params = spec.params(x.params[:0], a)
	if spec.Stack.Timers == TimersEach {
		s.addLayer(t, i, a, i.duration, i.stacks, i.age)
	}
	if spec.Stack.Timers == TimersQueue {
		i.stacks, x.running = 1, i.age
	}
}

// again joins a live instance: more stacks up to the limit, then the rules of
// refresh and phase; at the limit, the rule of overflow first.
func (s *Set) again(t *Turn, at uint16, a *Application, d int64) Result {
	i, spec := &s.slots[at], a.Spec
	if spec.Stack.Level == LevelHigherWins && a.Level < int(i.level) {
		return s.deny(t, a, LowerLevel, nil)
	}
	s.flush(t, at)
	if i.spec.Stack.Timers != spec.Stack.Timers {
		spec = i.spec // two versions, which cannot be mixed: the old one stays
		a.Spec = spec
	}
	switch spec.Stack.Timers {
	case TimersEach:
		return s.againEach(t, at, a, d)
	case TimersQueue:
		return s.againQueue(t, at, a, d)
	}
	r := Result{Handle: s.handle(at)}
	full := int32(i.stacks) >= spec.limit
	if !full || spec.Stack.Overflow == OverflowAllow || spec.Stack.Overflow == OverflowReplace {
		s.topUp(i, a)
	}
	if full {
		switch spec.Stack.Overflow {
		case OverflowDeny, OverflowClear:
			return s.refuse(t, at, a)
		}
	} else {
		was := i.stacks
		i.stacks = int16(min(int32(i.stacks)+spec.stacks(a), spec.limit))
		s.level(i, a)
		t.emit(s, s.about(Stacked, at))
		s.cross(t, at, was)
		r.Kind = Stacked
	}
	if s.refresh(t, at, a, d, r.Kind == Stacked) && r.Kind == 0 {
		r.Kind = Refreshed
	}
	if full {
		s.overflow(t, a)
	}
	return r
}

// refuse is what the overflow rules deny and clear do with an application too many.
func (s *Set) refuse(t *Turn, at uint16, a *Application) Result {
	var r Result
	if a.Spec.Stack.Overflow == OverflowClear {
		s.end(t, at, Overflowed)
		r = Result{Kind: Removed, Why: Overflowed}
	} else {
		r = s.deny(t, a, Limit, nil)
	}
	s.overflow(t, a)
	return r
}

// refresh sets the end and the beat by the definition's rules, and reports whether
// the end was set. A refresh keeps the instance's age. FirstEvery pulses if
// anything came of the application, be it only a stack.
func (s *Set) refresh(t *Turn, at uint16, a *Application, d int64, stacked bool) bool {
	i, spec := &s.slots[at], a.Spec
	now := s.nowOf(t, i)
	set := spec.Stack.Refresh != RefreshNone
	if set {
		if i.spec != spec {
			s.takeVersion(t, at, spec)
		}
		i.end = s.refreshed(i, now, d)
		i.duration, i.magnitude = d, a.Magnitude
		if !stacked { // or it has it already
			s.level(i, a)
		}
		if i.extra != noSlot {
			s.renew(i, a)
		}
		e := s.about(Refreshed, at)
		e.End = s.endTold(t, i)
		t.emit(s, e)
		s.follow(t, spec.refresh)
		s.reranked(spec)
	}
	s.touch(at)
	phase := spec.Stack.Phase
	if phase != PhaseKeep {
		s.newBeat(i, now)
	}
	if i.period > 0 && (phase == PhaseExecute || spec.First == FirstEvery && (set || stacked)) {
		s.pulse(t, at)
	}
	return set
}

// renew is what a refresh does to what is not plain about an instance.
func (s *Set) renew(i *instance, a *Application) {
	x := s.extraOf(i)
	if x.wanted > 0 {
		s.newPeriod(i, x.wanted)
		x.wanted = 0
	}
	x.params = a.Spec.params(x.params[:0], a)
}

// level gives the instance the level of a further application, by its rule.
func (s *Set) level(i *instance, a *Application) {
	switch a.Spec.Stack.Level {
	case LevelSum:
		i.level = int16(min(int(i.level)+a.Level, MaxLevel))
	default:
		i.level = int16(a.Level) // not a lower one where the higher wins
	}
}

// firstBeat returns the first boundary of the period after now, Never without a period.
func (i *instance) firstBeat(now wheel.Time) wheel.Time {
	if i.period == 0 {
		return wheel.Never
	}
	if i.spec.Align == AlignOwner {
		gone := int64(now) % i.period
		if gone < 0 {
			gone += i.period
		}
		return now.Add(i.period - gone)
	}
	return now.Add(i.period)
}

// refreshed returns the new end of an instance for an application of d ms at now.
func (s *Set) refreshed(i *instance, now wheel.Time, d int64) wheel.Time {
	rule := i.spec.Stack.Refresh
	switch {
	case rule == RefreshMax:
		return max(i.end, lasting(now, d))
	case d == 0 || i.end == wheel.Never && rule == RefreshExtend:
		return wheel.Never
	case rule == RefreshExtend:
		end := i.end.Add(d)
		if i.spec.cap > 0 {
			end = max(i.end, min(end, now.Add(i.spec.cap)))
		}
		return end
	case rule == RefreshPandemic:
		return now.Add(d).Add(min(int64(i.end-now), i.spec.carry))
	case rule == RefreshResidual && i.beat <= i.end:
		return now.Add(d).Add(int64(i.beat - now))
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
