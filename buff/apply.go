package buff

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// apply puts a buff on the owner, if all gates let it: an instant one is done, a further
// application joins a live instance, everything else is a new one.
//
// What was asked for in an older version of its definition is applied in the newest.
//
// The gates stand in one order, and the first that refuses gives the reason: the version, what no
// rule could make sense of, a parameter that nobody reads, those of admit, a duration of nothing, the room.
// Until then nothing of the owner has changed but the number of its rolls.
func (s *Set) apply(t *Turn, a *Application) outcome {
	if t.Catalog != nil && !t.Catalog.Has(a.Spec) {
		newest, _ := t.Catalog.version(a.Spec.program)
		if newest == nil || a.member && !newest.auraCanApply() {
			return s.deny(t, a, Reload, nil)
		}
		a.Spec = &newest.Spec
	}
	spec := a.Spec.program
	t.share, t.backdate = a.share, a.backdate.of(spec)
	if !a.plain() {
		if why, err := a.check(); err != nil {
			return s.rejectInvalid(t, a, why, err)
		}
	}
	if len(a.Params) > 0 {
		if t.worked.missing = a.unreadParam(); t.worked.missing != "" {
			return s.deny(t, a, NoParam, nil)
		}
	}
	if s.catalog != spec.catalog {
		s.setMixed(s.catalog != nil)
		s.setCatalog(spec.catalog)
	}
	if spec.capturesLate && a.Source == s.owner {
		t.captured = a.Capture(t.captured, s, s.attributeCatalog(t), define.SnapshotCast)
	}
	if s.gates() != nil || spec.uses&usesGates != 0 {
		if why := s.admit(t, a); why != NoReason {
			return s.deny(t, a, why, nil)
		}
	}
	if spec.Kind == define.Instant {
		return s.executeInstant(t, a)
	}
	d, why := s.effectiveDuration(t, a)
	switch {
	case why != NoReason:
		return s.deny(t, a, why, nil)
	case spec.uses&usesDR == 0 && a.taken == nil:
		return s.joinOrStart(t, a, d)
	}
	r := s.joinOrStartAll(t, a, d)
	if spec.uses&usesDR == 0 {
		return r
	}
	switch r.kind {
	case Applied, Refreshed, Stacked, Queued: // what nothing was told of does not count
		if s.isLive(r.handle) {
			s.noteApplier(r.handle.slot(), a.Source)
		}
		s.diminish(t, spec, a.Source) // a may have become one of an older version
	}
	return r
}

// joinOrStartAll is land, with what else was stolen.
func (s *Set) joinOrStartAll(t *Turn, a *Application, d int64) outcome {
	r := s.joinOrStart(t, a, d)
	if a.taken != nil && len(a.taken.rest) > 0 && r.kind != Denied && r.kind != Removed {
		s.startRest(t, a)
	}
	return r
}

// joinOrStart lets an application of d ms join a live instance or be a new one.
func (s *Set) joinOrStart(t *Turn, a *Application, d int64) outcome {
	at := s.joinTarget(a)
	if at == noSlot {
		return s.start(t, a, d)
	}
	if back := t.backdate.ms; back > 0 && d > 0 { // what is left of it
		if d <= back {
			return outcome{}
		}
		d -= back
	}
	return s.reapply(t, at, a, d)
}

// executeInstant does an instant buff.
func (s *Set) executeInstant(t *Turn, a *Application) outcome {
	e := t.newEvent(s, Executed)
	e.Spec, e.Source, e.Stacks, e.Level, e.Magnitude = a.Spec, a.Source, 1, int16(a.Level), a.Magnitude
	e.Elapsed, e.Period, e.Count = a.share.elapsed, a.share.period, a.share.count
	s.queueActions(t, a.Spec.program.exec, &magnitudes{values: t.worked.values, captured: a.Captured})
	return outcome{kind: Executed}
}

// joinTarget returns the slot of the live instance that the application joins, or noSlot.
func (s *Set) joinTarget(a *Application) uint16 {
	if a.Spec.Stack.By == define.ByNone {
		return noSlot
	}
	return s.findJoinable(a)
}

// start makes a new instance of d ms.
func (s *Set) start(t *Turn, a *Application, d int64) outcome {
	spec := a.Spec.program
	why, at := NoReason, uint16(noSlot)
	if spec.uses&usesRoom != 0 {
		why = s.makeRoom(t, a)
	}
	if why == NoReason {
		if spec.uses&usesImmunity != 0 && s.live < s.limit {
			s.flushAll(t, spec.immunity.matches) // what has waited was before the immunity
		}
		at = s.allocSlot(t)
	}
	switch {
	case why == NoReason && at == noSlot, why == Full:
		return s.denyFull(t, a)
	case why != NoReason:
		return s.deny(t, a, why, nil)
	}
	i := s.slot(at)
	s.setSpec(at, spec)
	i.source, i.magnitude, i.level = a.Source, a.Magnitude, int16(a.Level)
	s.storeDuration(i, d)
	s.storePeriod(i, spec.periodAt(a.Level))
	now, back := t.now, t.backdate.ms
	i.boundary = s.firstBoundary(i, now)
	if back > 0 && i.boundary != wheel.Never {
		i.boundary = i.boundary.Add(-back) // the owner's time, to which it may be aligned, stood still then
	}
	t.now = now.Add(-back) // when it begins
	i.end = endAfter(t.now, d)
	i.stacks = int16(min(spec.stacksOf(a), spec.limit))
	s.rehash(at)
	if a.member {
		i.flags |= member
	}
	if spec.uses&usesExtra != 0 {
		s.initExtra(t, i, a)
	}
	t.now = now
	s.markDirty(t, at)
	e := s.tell(t, Applied, at)
	h := e.Handle
	e.End = s.reportedEnd(i)
	// Actions are only queued here: what the buff grants, its modifiers and its first pulse come before any of them.
	s.queueActions(t, spec.apply, s.magnitudesOf(i))
	if spec.uses&usesLinks != 0 {
		s.applyLinks(t, i)
	}
	if spec.uses&usesEntry != 0 {
		s.activate(t, at)
	} else if s.gates() != nil {
		s.reevaluate(t) // who gave way to it may have hidden others
	}
	// It may be gone: a requirement for its removal may have held already.
	if spec.First != define.FirstNone && s.isLive(h) {
		s.pulse(t, at)
	}
	if back > 0 && s.isLive(h) {
		s.catchUpBackdated(t, at, back)
	}
	return outcome{handle: h, kind: Applied}
}

// activate does what follows from a new instance before its first pulse: what it gives to its
// owner, and what of it and of others has an effect now. One that is hidden from the start
// gives nothing: no tag and no modifier of it is there for even a moment, so that nothing that
// requires or forbids its tags is set off.
func (s *Set) activate(t *Turn, at uint16) {
	i := s.slot(at)
	spec := s.specOf(i)
	if spec.uses&usesActs != 0 {
		s.ensureGates().handledActs |= spec.acts()
	}
	s.crossThresholds(t, at, 0, i.source, s.magnitudesOf(i).captured)
	if spec.uses&usesHide != 0 {
		s.ensureGates().requestReevaluation()
		s.findStrongest(t)
	}
	if spec.uses&usesOngoing != 0 {
		s.ensureGates().requestReevaluation()
	}
	causes := s.hideCauses(t, i, at)
	i.flags |= causes
	if causes &= spec.reportedCauses(); causes != 0 {
		s.tell(t, Hidden, at).Why = whyHidden(causes)
	} else {
		s.grantEffects(t, at)
	}
	s.reevaluate(t)
}

// initExtra gives a new instance what is not plain about it.
func (s *Set) initExtra(t *Turn, i *instance, a *Application) {
	x, spec := s.ensureExtra(i), a.Spec.program
	x.key = a.Key
	if spec.Stack.Timers != define.TimersEach {
		x.charges, x.shield = spec.initialCharges(a), spec.pool(t, a)
	}
	if spec.uses&usesMagnitudes != 0 {
		s.rare.modifiers += int32(len(spec.modifiers))
		s.storeNumbers(t, i, a)
	}
	if spec.Stack.Timers == define.TimersEach {
		s.addAsync(t, i, a, s.duration(i), i.stacks, s.age(i))
	}
	if spec.Stack.Timers == define.TimersQueue {
		i.stacks, x.running = 1, s.age(i) // one application runs, whatever it brought
	}
}

// firstBoundary returns the first boundary of the period after now, in the instance's own time,
// Never without a period. Those that are aligned to their owner are the multiples of the
// period in the owner's time, whatever the instance's own has done.
func (s *Set) firstBoundary(i *instance, now wheel.Time) wheel.Time {
	switch period := s.period(i); {
	case period == 0:
		return wheel.Never
	case s.specOf(i).Align == define.AlignStart:
		return now.Add(period)
	case i.flags&timeScaled != 0:
		return nextMultiple(now, s.extraOf(i).scale.ownerZero(), period)
	default:
		return nextMultiple(now, 0, period)
	}
}

// nextMultiple returns the first instant after now that is a multiple of the period, counted from
// zero.
func nextMultiple(now wheel.Time, zero, period int64) wheel.Time {
	return now.Add(period - within(int64(now)-zero, period))
}

func (s *Set) denyFull(t *Turn, a *Application) outcome {
	if s.live < s.limit {
		return s.deny(t, a, Full, fmt.Errorf("%w: %d modifiers on owner %d", ErrFull, stat.MaxModifiers, s.owner))
	}
	return s.deny(t, a, Full, fullError{s.limit, s.owner})
}

// fullError is the error of an application that finds no room, with a text when somebody asks for it: who is at the limit is asked again and again.
type fullError struct {
	limit int16
	owner OwnerID
}

func (e fullError) Error() string {
	return fmt.Sprintf("%v: %d buffs on owner %d", ErrFull, e.limit, e.owner)
}

func (e fullError) Unwrap() error { return ErrFull }

func (s *Set) deny(t *Turn, a *Application, why Reason, err error) outcome {
	e := t.newEvent(s, Denied)
	e.Why, e.Spec, e.Source, e.Magnitude = why, a.Spec, a.Source, a.Magnitude
	if why == NoParam {
		e.Name = t.worked.missing
	}
	return outcome{kind: Denied, why: why, err: err}
}

// rejectInvalid is what comes of an application that asks for what cannot be.
func (s *Set) rejectInvalid(t *Turn, a *Application, why Reason, err error) outcome {
	e := t.newEvent(s, Faulted)
	e.Why, e.Spec, e.Source = why, a.Spec, a.Source
	return outcome{kind: Faulted, why: why, err: err}
}

// unreadParam returns the name of the first parameter that no number of the definition reads, or "".
func (a *Application) unreadParam() string {
	for i := range a.Params {
		if !slices.Contains(a.Spec.program.callers, a.Params[i].Caller) {
			return a.Params[i].Caller
		}
	}
	return ""
}

// endAfter returns the instant ms after at, Never for a span of 0.
func endAfter(at wheel.Time, ms int64) wheel.Time {
	if ms == 0 {
		return wheel.Never
	}
	return at.Add(ms)
}

// Captured is what was known of one attribute of a source at one moment.
type Captured struct {
	attr  stat.Attr
	when  define.Snapshot // SnapshotCast or SnapshotApply
	value float64
}

// Captures reports whether the definition, or anything that it can set off, reads attributes
// of its source: whether [Application.Capture] would do anything.
func (s *Spec) Captures() bool { return len(s.program.captures) > 0 }

// Capture reads attributes of the source for the definition of the application and all that
// it can set off. What is known stays as it is. With SnapshotCast that is done where the
// application is made, and reads what is of that moment; with SnapshotApply where it comes
// to the owner, and reads the rest. The Set is that of the source, or nil: then nothing more
// becomes known, and the numbers that want it have their defaults or refuse the application.
// If the source is the owner it is not needed: the Set captures its own attributes. The catalog is that of the Turns.
//
// What was read is appended to dst, which is returned. It allocates only what dst lacks. The
// Set of the source must be whoever's calls; see the package comment.
func (a *Application) Capture(dst []Captured, source *Set, c *Catalog, when define.Snapshot) []Captured {
	from := len(dst)
	for _, w := range a.Spec.program.captures {
		if v, ok := findCaptured(a.Captured, w.attr, w.when); ok {
			dst = append(dst, Captured{w.attr, w.when, v})
		} else if source != nil && (w.when == define.SnapshotCast || when != define.SnapshotCast) {
			dst = append(dst, Captured{w.attr, w.when, source.Attribute(c, w.attr)})
		}
	}
	a.Captured = dst[from:len(dst):len(dst)]
	return dst
}

// Unknown reports whether a [Application.Capture] with SnapshotApply would read anything.
func (a *Application) Unknown() bool {
	for _, w := range a.Spec.program.captures {
		if _, ok := findCaptured(a.Captured, w.attr, w.when); !ok {
			return true
		}
	}
	return false
}

// Inherit adds captures to the application of an aura, the buff of the handle, for its members: with SnapshotCast those of the
// aura, with SnapshotApply the present attributes of the bearer, whose Set is s and who is the source of what the aura applies.
// An aura that has ended has no captures. They are appended to dst, which is returned.
func (a *Application) Inherit(dst []Captured, s *Set, c *Catalog, h Handle) []Captured {
	from := len(dst)
	if i := s.lookup(h); i != nil {
		for _, known := range s.magnitudesOf(i).captured {
			if known.when == define.SnapshotCast {
				dst = append(dst, known)
			}
		}
		for _, w := range a.Spec.program.captures {
			if w.when == define.SnapshotApply {
				dst = append(dst, Captured{w.attr, w.when, s.Attribute(c, w.attr)})
			}
		}
	}
	a.Captured = dst[from:len(dst):len(dst)]
	return dst
}

// findCaptured finds one attribute.
func findCaptured(list []Captured, attr stat.Attr, when define.Snapshot) (float64, bool) {
	for k := range list {
		if c := &list[k]; c.attr == attr && c.when == when {
			return c.value, true
		}
	}
	return 0, false
}
