package rules

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/slots"
	"github.com/bufftick/bufftick/internal/stolen"
)

// An application executes an instant buff, joins a running buff with which it stacks, or starts a
// new one. It is denied if one of the checks fails, in the order of the documentation of package
// buff.

// apply executes an application: it executes an instant buff, joins a live instance that stacks
// with the application, or starts a new instance. If the application has an older version of its
// definition, it uses the newest version.
//
// The checks run in the order that the documentation of package buff gives. The first check that
// fails determines the reason. Until all checks have passed, the owner is unchanged except for its
// number of rolls.
func apply(t *Turn, s *Owner, a *buff.Application) outcome {
	spec := compile.Of(a.Spec)
	if c := t.compiled(); c != nil && (spec == nil || spec.Catalog != c) {
		newest, _ := c.Version(spec)
		if newest == nil || a.Origin.Aura && !newest.AuraCanApply() {
			return deny(t, s, a, reason.Reload, nil)
		}
		spec, a.Spec = newest, &newest.Spec
	}
	t.share, t.backdate = a.Origin.Share, backdateFor(a.Origin.Backdate, spec)
	if !plain(a) {
		if why, err := check(a); err != nil {
			return rejectInvalid(t, s, a, why, err)
		}
	}
	if len(a.Params) > 0 {
		if t.evaluated.missing = unreadParam(a); t.evaluated.missing != "" {
			return deny(t, s, a, reason.NoParam, nil)
		}
	}
	if s.catalog != spec.Catalog {
		s.setMixed(s.catalog != nil)
		s.setCatalog(spec.Catalog)
	}
	if spec.CapturesLate && a.Source == s.id {
		t.captured = capture(a, t.captured, s, attributeCatalog(t, s), define.SnapshotCast)
	}
	if s.gates() != nil || spec.Uses&compile.UsesGates != 0 {
		if why := admit(t, s, a); why != reason.None {
			return deny(t, s, a, why, nil)
		}
	}
	if spec.Kind == define.Instant {
		return executeInstant(t, s, a)
	}
	d, why := effectiveDuration(t, s, a, spec)
	switch {
	case why != reason.None:
		return deny(t, s, a, why, nil)
	case spec.Uses&compile.UsesDR == 0 && a.Origin.Stolen == nil:
		return joinOrStart(t, s, a, spec, d)
	}
	r := joinOrStartAll(t, s, a, spec, d)
	if spec.Uses&compile.UsesDR == 0 {
		return r
	}
	switch r.kind {
	case buff.Applied, buff.Refreshed, buff.Stacked, buff.Queued: // other outcomes do not advance diminishing returns
		if s.isLive(r.handle) {
			s.slot(handle.Slot(r.handle)).noteApplier(a.Source)
		}
		diminish(t, s, spec, a.Source) // not a.Spec: joining can replace it by an older version
	}
	return r
}

// plain is a fast test: if it returns true, check would accept the application.
func plain(a *buff.Application) bool {
	return a.Duration == buff.Span{} && a.Stacks >= 0 && uint(a.Level) <= define.MaxLevel && a.Scale == buff.Ratio{}
}

// check returns the reason and the error if the application has invalid arguments, else zeros.
func check(a *buff.Application) (reason.Reason, error) {
	if d, given := a.Duration.Given(); given {
		switch {
		case a.Spec.Kind == define.Instant:
			return reason.BadDuration, fmt.Errorf("%w: %q is instant and takes none, not %v", buff.ErrDuration, a.Spec.ID, d)
		case d <= 0:
			return reason.BadDuration, fmt.Errorf("%w: %q for %v, must be above zero", buff.ErrDuration, a.Spec.ID, d)
		case d > define.MaxDuration:
			return reason.BadDuration, fmt.Errorf("%w: %q for %v, above the limit of %v", buff.ErrDuration, a.Spec.ID, d, define.MaxDuration)
		}
	}
	switch {
	case a.Stacks < 0:
		return reason.BadStacks, fmt.Errorf("%w: %q with %d", buff.ErrStacks, a.Spec.ID, a.Stacks)
	case a.Level < 0 || a.Level > define.MaxLevel:
		return reason.BadLevel, fmt.Errorf("%w: %q with %d, want 0 to %d", buff.ErrLevel, a.Spec.ID, a.Level, define.MaxLevel)
	case !ratioWithin(a.Scale, buff.MaxRatio):
		return reason.BadDuration, fmt.Errorf("%w: %q with %v, want parts up to %d", buff.ErrScale, a.Spec.ID, a.Scale, buff.MaxRatio)
	}
	return reason.None, nil
}

// joinOrStartAll does the same as joinOrStart, and then applies the further parts of a stolen buff.
func joinOrStartAll(t *Turn, s *Owner, a *buff.Application, spec *compile.Program, d int64) outcome {
	r := joinOrStart(t, s, a, spec, d)
	if taken := stolen.Of(a.Origin.Stolen); taken != nil && len(taken.Rest) > 0 && r.kind != buff.Denied && r.kind != buff.Removed {
		startRest(t, s, a)
	}
	return r
}

// joinOrStart joins a live instance or starts a new one, with a duration of d ms.
func joinOrStart(t *Turn, s *Owner, a *buff.Application, spec *compile.Program, d int64) outcome {
	i := s.joinTarget(a)
	if !i.exists() {
		return start(t, s, a, spec, d)
	}
	if back := t.backdate.Ms; back > 0 && d > 0 { // join with the time that remains of d
		if d <= back {
			return outcome{}
		}
		d -= back
	}
	return reapply(t, i, a, d)
}

// executeInstant executes an instant buff.
func executeInstant(t *Turn, s *Owner, a *buff.Application) outcome {
	e := t.newEvent(s, buff.Executed)
	e.Spec, e.Source, e.Stacks, e.Level, e.Magnitude = a.Spec, a.Source, 1, int16(a.Level), a.Magnitude
	e.Elapsed, e.Period, e.Count = a.Origin.Share.Elapsed, a.Origin.Share.Period, a.Origin.Share.Count
	queueActions(t, s, compile.Of(a.Spec).Exec, &magnitudes{values: t.evaluated.values, captured: a.Captured})
	return outcome{kind: buff.Executed}
}

// start starts a new instance with a duration of d ms.
func start(t *Turn, s *Owner, a *buff.Application, spec *compile.Program, d int64) outcome {
	why, i := reason.None, instance{}
	if spec.Uses&compile.UsesRoom != 0 {
		why = makeRoom(t, s, a)
	}
	if why == reason.None {
		i = newInstance(t, s)
	}
	switch {
	case why == reason.None && !i.exists(), why == reason.Full:
		return denyFull(t, s, a)
	case why != reason.None:
		return deny(t, s, a, why, nil)
	}
	i.setProgram(spec)
	i.source, i.magnitude, i.level = a.Source, a.Magnitude, int16(a.Level)
	i.storeDuration(d)
	i.storePeriod(spec.PeriodFor(a.Level, t.evaluated.values))
	now, back := t.now, t.backdate.Ms
	i.boundary = i.firstBoundary(clock.BuffTime(now))
	if back > 0 && i.boundary != clock.Never {
		// The period began at the backdated start. Aligned boundaries move by the same amount,
		// because owner time did not advance while the owner was away.
		i.boundary = i.boundary.Add(-back)
	}
	t.now = now.Add(-back) // the start of the instance
	i.end = endAfter(clock.BuffTime(t.now), d)
	i.stacks = int16(min(stacksOf(spec, a), spec.Limit))
	i.rehash()
	if a.Origin.Aura {
		i.flags |= member
	}
	if spec.Uses&compile.UsesExtra != 0 {
		initExtra(t, i, a)
	}
	t.now = now
	i.markDirty(t)
	causes := flags(0)
	if spec.Uses&compile.UsesEntry != 0 {
		causes = initialHideCauses(t, i)
	}
	if spec.Uses&compile.UsesImmunity != 0 && causes == 0 {
		flushMatching(t, s, spec.Immunity.Matches) // late pulses are from before the immunity
	}
	e := i.emit(t, buff.Applied)
	h := e.Handle
	e.End = i.reportedEnd()
	// The actions are only queued here: grants, modifiers and the first pulse come before them.
	queueActions(t, s, spec.Apply, i.magnitudes())
	if spec.Uses&compile.UsesLinks != 0 {
		applyLinks(t, i)
	}
	if spec.Uses&compile.UsesEntry != 0 {
		activate(t, i, causes)
	} else if s.gates() != nil {
		reevaluate(t, s) // removing displaced instances may have changed which ones are hidden
	}
	// The instance may already have ended because its requirement for removal is met.
	if spec.First != define.FirstNone && s.isLive(h) {
		pulse(t, i)
	}
	if back > 0 && s.isLive(h) {
		catchUpBackdated(t, i, back)
	}
	return outcome{handle: h, kind: buff.Applied}
}

// initialHideCauses returns the causes for which a new instance is hidden.
func initialHideCauses(t *Turn, i instance) flags {
	s, spec := i.owner, i.program()
	if spec.Uses&compile.UsesHide != 0 {
		s.ensureGates().requestReevaluation()
		findStrongest(t, s)
	}
	if spec.Uses&compile.UsesOngoing != 0 {
		s.ensureGates().requestReevaluation()
	}
	return hideCauses(t, i)
}

// activate makes a new instance effective before its first pulse and updates which instances are
// hidden. The parameter `causes` is the result of initialHideCauses. An instance that is hidden
// from its start never grants its tags or adds its modifiers, not even for a moment, so that they
// cannot affect the requirements of other buffs.
func activate(t *Turn, i instance, causes flags) {
	s := i.owner
	spec := i.program()
	if spec.Uses&compile.UsesActs != 0 {
		s.ensureGates().handledActs |= spec.Acts()
	}
	crossThresholds(t, i, 0, i.source, i.magnitudes().captured)
	i.flags |= causes
	if causes &= reportedCauses(spec); causes != 0 {
		i.emit(t, buff.Hidden).Why = whyHidden(causes)
	} else {
		grantEffects(t, i)
	}
	reevaluate(t, s)
}

// initExtra fills the extra of a new instance.
func initExtra(t *Turn, i instance, a *buff.Application) {
	x, spec := i.ensureExtra(), compile.Of(a.Spec)
	x.key = a.Key
	if spec.Stack.Timers != define.TimersEach {
		x.charges, x.shield = initialCharges(spec, a), pool(spec, t, a)
	}
	if spec.Uses&compile.UsesMagnitudes != 0 {
		i.owner.rare.modifiers += int32(len(spec.Modifiers))
		storeNumbers(t, i, a)
	}
	if spec.Recharge > 0 {
		updateRecharge(t, i) // a stolen buff may have fewer charges
	}
	if spec.Uses&compile.UsesLive != 0 {
		initLive(t, i, a)
	}
	if spec.Stack.Timers == define.TimersEach {
		addAsync(t, i, a, i.duration(), i.stacks, i.age())
	}
	if spec.Stack.Timers == define.TimersQueue {
		i.stacks, x.running = 1, i.age() // a queue runs one application at a time, as one stack
	}
}

func denyFull(t *Turn, s *Owner, a *buff.Application) outcome {
	if s.records.Len() < s.records.Limit() {
		return deny(t, s, a, reason.Full, fmt.Errorf("%w: %d modifiers on owner %d", buff.ErrFull, stat.MaxModifiers, s.id))
	}
	return deny(t, s, a, reason.Full, fullError{s.records.Limit(), s.id})
}

// fullError is the error of an application for which the owner has no room. Its text is formatted
// lazily, because capped owners fail every frame.
type fullError struct {
	limit int
	owner buff.OwnerID
}

func (e fullError) Error() string {
	return fmt.Sprintf("%v: %d buffs on owner %d", buff.ErrFull, e.limit, e.owner)
}

func (e fullError) Unwrap() error { return buff.ErrFull }

func deny(t *Turn, s *Owner, a *buff.Application, why reason.Reason, err error) outcome {
	e := t.newEvent(s, buff.Denied)
	e.Why, e.Spec, e.Source, e.Magnitude = why, a.Spec, a.Source, a.Magnitude
	if why == reason.NoParam {
		e.Name = t.evaluated.missing
	}
	return outcome{kind: buff.Denied, why: why, err: err}
}

// rejectInvalid reports an application with invalid arguments.
func rejectInvalid(t *Turn, s *Owner, a *buff.Application, why reason.Reason, err error) outcome {
	e := t.newEvent(s, buff.Faulted)
	e.Why, e.Spec, e.Source = why, a.Spec, a.Source
	return outcome{kind: buff.Faulted, why: why, err: err}
}

// unreadParam returns the name of the first parameter that no number of the definition reads, or
// "" if there is none.
func unreadParam(a *buff.Application) string {
	for i := range a.Params {
		if !slices.Contains(compile.Of(a.Spec).Callers, a.Params[i].Caller) {
			return a.Params[i].Caller
		}
	}
	return ""
}

// endAfter returns the instant that is `ms` milliseconds after `at`, or Never if `ms` is 0.
func endAfter(at clock.BuffTime, ms int64) clock.BuffTime {
	if ms == 0 {
		return clock.Never
	}
	return at.Add(ms)
}

// An application joins the oldest running buff with which it stacks, according to Stacking.By: of
// the same source, of the same key, or any. If there is none, it starts a new buff.

// joinTarget returns the instance that the application joins, or none.
func (s *Owner) joinTarget(a *buff.Application) (found instance) {
	if a.Spec.Stack.By == define.ByNone {
		return instance{}
	}
	spec := compile.Of(a.Spec)
	want := joinPattern(a, spec)
	for k, word := range s.records.Hashes() {
		for like := want.In(word); like != 0; like = like.Rest() {
			i := s.slot(like.First(k))
			if s.sameDefinition(i.program(), spec) && i.joins(a) && (!found.exists() || i.age() <= found.age()) {
				found = i
			}
		}
	}
	return found
}

// The two halves of a hash. The half for the definition is the same for all its versions, and
// never 0.
const (
	hashSpec   = 0xff00
	hashSource = 0x00ff
)

// hashOf returns the hash of an instance with the given definition and source. The search for the
// instance that an application joins need not read instances with another hash. Each instance takes
// a cache line, and an owner has dozens of instances.
func hashOf(spec *compile.Program, source buff.OwnerID) uint16 {
	return uint16(1+uint32(spec.Compiled().Lineage)%255)<<8 | uint16(uint64(source)*0x9e3779b97f4a7c15>>56)
}

// joinPattern returns the pattern of the hashes of the instances that an application may join.
func joinPattern(a *buff.Application, spec *compile.Program) slots.Pattern {
	care := uint16(hashSpec)
	if a.Spec.Stack.By == define.BySource {
		care |= hashSource
	}
	return slots.NewPattern(hashOf(spec, a.Source), care)
}

// rehash updates the hash of an instance that is new or has a new source.
func (i instance) rehash() { i.owner.records.SetHash(i.slot, hashOf(i.program(), i.source)) }

// joins reports whether the application joins the given instance of its definition. An instance
// that auras apply is joined only by auras.
func (i instance) joins(a *buff.Application) bool {
	st := &a.Spec.Stack
	if i.flags&member != 0 != a.Origin.Aura || st.Level == define.LevelSegregate && int(i.level) != a.Level {
		return false
	}
	switch st.By {
	case define.BySource:
		return i.source == a.Source
	case define.ByKey:
		return i.program().Stack.By == define.ByKey && i.extra().key == a.Key // an older version may have no keys
	}
	return st.By == define.ByTarget
}
