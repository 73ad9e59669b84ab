package rules

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/wheel"
)

// An Owner stores owner times, and a buff stores buff times: see package clock. Events and commands
// have world times.

// timeScale returns the owner's time scale, or nil if owner time is world time.
func (s *Owner) timeScale() *clock.Owner {
	if s.rare == nil {
		return nil
	}
	return s.rare.timeScale
}

// timeScale returns the time scale of a buff, or nil if buff time is owner time.
func (i instance) timeScale() *clock.Buff {
	if i.flags&timeScaled == 0 {
		return nil
	}
	return &i.extra().scale
}

// clocks returns both time scales of a buff.
func (i instance) clocks() clock.Clocks {
	return clock.Clocks{Owner: i.owner.timeScale(), Buff: i.timeScale()}
}

// now returns the current instant in buff time.
func (i instance) now(t *Turn) clock.BuffTime { return i.timeScale().ToInner(t.now) }

// reportedEnd returns the end to report in events. It is Never while the instance is paused.
func (i instance) reportedEnd() wheel.Time { return i.clocks().End(i.end) }

// extend moves the end of a buff by the given time. If `most` has a duration, the new end is at
// most that long after now, unless the old end was already later. If the new end is not after now,
// the buff expires at once, without a pulse.
func extend(t *Turn, i instance, by time.Duration, most buff.Span) buff.Result {
	if i.end == clock.Never {
		return buff.Result{Handle: i.handle(), Failure: fmt.Errorf("%w: %q", buff.ErrInfinite, i.program().ID)}
	}
	end := i.end.Add(by.Milliseconds())
	if d, given := most.Given(); given {
		end = min(end, max(i.end, i.now(t).Add(ceilMillis(d))))
	}
	flushPulses(t, i)
	i.shiftAsyncEnds(int64(end - i.end))
	return setEnd(t, i, end)
}

// setRemaining sets the time until the end of the buff. If `by` is zero or less, the buff expires
// at once.
func setRemaining(t *Turn, i instance, by time.Duration) buff.Result {
	end := i.now(t)
	if by > 0 {
		end = end.Add(ceilMillis(by))
	}
	flushPulses(t, i)
	i.setAsyncEnds(end)
	return setEnd(t, i, end)
}

// setEnd sets the end of the buff, in its own time, and emits a Refreshed. The buff expires if the
// end is not after now.
func setEnd(t *Turn, i instance, to clock.BuffTime) buff.Result {
	i.end = to
	i.mark(journal.Time)
	now := i.now(t)
	if i.end <= now {
		end(t, i, reason.Expired)
		return buff.Result{Kind: buff.Removed, Why: reason.Expired}
	}
	i.markDirty(t)
	e := i.newEvent(buff.Refreshed)
	e.End = i.reportedEnd()
	t.emit(i.owner, &e)
	for i.firstAsyncEnded(now) { // with TimersEach, the new ends of some stacks may be past
		endFirstAsync(t, i, reason.Expired)
	}
	return buff.Result{Handle: i.handle(), Kind: buff.Refreshed}
}

// compensate moves the ends of the timed buffs that match the query, or of the first Query.Most of
// them if that is not zero.
func compensate(t *Turn, s *Owner, c *buff.Command) buff.Result {
	var r buff.Result
	eachMatch(t, s, &c.Query, func(i instance) bool {
		if c.Query.Most > 0 && int(r.Amount) >= c.Query.Most {
			return false
		}
		if i.end != clock.Never {
			extend(t, i, c.By, c.Application.Duration)
			r.Kind = buff.Refreshed
			r.Amount++
		}
		return true
	})
	return r
}

// setTimeScale executes a Pause, a Resume or a SetRate for a buff, an owner or an area.
//
// Examples: testdata/pause_owner.txt, pause_buff.txt, pause_end.txt, rate_owner.txt, rate_buff.txt.
func setTimeScale(t *Turn, s *Owner, c *buff.Command) buff.Result {
	if c.Verb == verb.SetRate && (!ratioWithin(c.Rate, buff.MaxRate) || c.Rate.OrOne().Num == 0) {
		return buff.Result{Failure: fmt.Errorf("%w: %v, want parts from 1 to %d", buff.ErrRate, c.Rate, buff.MaxRate)}
	}
	if c.Whose == define.OfBuff {
		if !s.findNamed(c) {
			return buff.Result{}
		}
		i := s.lookup(c.Handle)
		if !i.exists() {
			return stale(c.Handle)
		}
		flushPulses(t, s.slot(handle.Slot(c.Handle)))
		kind := changeTime(s, t, c, i.ensureTimeScale(t), t.now)
		s.slot(handle.Slot(c.Handle)).mark(journal.Time)
		s.slot(handle.Slot(c.Handle)).markDirty(t)
		return buff.Result{Kind: kind, Handle: c.Handle}
	}
	if c.Whose == define.OfSource || c.Whose > define.OfArea {
		panic(fmt.Sprintf("buff: Command with invalid Whose %d", c.Whose))
	}
	b := s.ensureRare()
	if b.timeScale == nil {
		own := clock.New(t.at, clock.OwnerTime(t.at))
		b.timeScale = &own
	}
	flushMatching(t, s, func(*compile.Program) bool { return true })
	kind := changeTime(s, t, c, b.timeScale, t.at)
	t.now = b.timeScale.ToInner(t.at)
	s.markTime()
	markAllDirty(t, s)
	return buff.Result{Kind: kind}
}

// ensureTimeScale returns the time scale of an instance, and creates it if needed.
func (i instance) ensureTimeScale(t *Turn) *clock.Buff {
	x := i.ensureExtra()
	if i.flags&timeScaled == 0 {
		i.flags |= timeScaled
		x.scale = clock.New(t.now, clock.BuffTime(t.now))
	}
	return &x.scale
}

// Paused reports whether the owner's time is paused, because the owner or its area is paused.
// Single buffs may be paused even if the owner is not: see [buff.Instance.Paused].
func (s *Owner) Paused() bool { return s.timeScale().Paused() }

// effectiveDuration returns the duration of an application in ms, or the reason to deny the
// application. A duration of 0 means infinite. The requested duration is scaled, diminished,
// clamped and then fitted to the period.
//
// Examples: testdata/tail_fit.txt, tail_fit_haste.txt, tail_partial.txt, dr.txt.
func effectiveDuration(t *Turn, s *Owner, a *buff.Application, spec *compile.Program) (int64, reason.Reason) {
	share := uint64(100)
	d := spec.Duration
	if spec.DurationBy != nil {
		d = spec.DurationAt(s.levelOf(a))
	}
	if given, ok := a.Duration.Given(); ok {
		d = ceilMillis(given)
	}
	if spec.Uses&compile.UsesDR != 0 {
		if share = drShare(t, s, a); share == 0 {
			return 0, reason.Diminished // even for an infinite buff
		}
	}
	switch {
	case (d == 0 || a.Origin.Aura) && !a.Origin.Steal && spec.Scale != nil && t.evaluated.scale == 0:
		return 0, reason.Resisted // full resistance also denies infinite buffs
	case d == 0 || a.Origin.Aura:
		return 0, reason.None
	case a.Origin.Steal: // a stolen buff keeps its remaining time unscaled
		return min(d, define.MaxDuration.Milliseconds()), reason.None
	}
	if a.Scale != (buff.Ratio{}) {
		d = exact.MulDiv(d, uint64(a.Scale.Num), uint64(a.Scale.Den))
	}
	if spec.Scale != nil {
		d = scaledBy(d, t.evaluated.scale)
	}
	if d > 0 {
		d = spec.Shorten(d, s.levelOf(a), t.evaluated.values)
	}
	if share != 100 {
		d = exact.MulDiv(d, share, 100)
	}
	if d == 0 {
		return 0, reason.Resisted
	}
	d = min(max(d, spec.Shortest), spec.Longest, define.MaxDuration.Milliseconds())
	if spec.Tail == define.TailFit {
		period := periodAfter(t, s, a)
		d = max(exact.MulDiv(d, 1, uint64(period)), 1) * period
	}
	return d, reason.None
}

// periodAfter returns the period that the buff has after an application. It can differ from the
// period of the definition if the application joins a buff whose period was changed by haste.
func periodAfter(t *Turn, s *Owner, a *buff.Application) int64 {
	level := s.levelOf(a)
	is, i := compile.Of(a.Spec).PeriodFor(level, t.evaluated.values), s.joinTarget(a)
	switch {
	case !i.exists() || compile.Of(a.Spec).PeriodVaries():
	case i.extraIndex != noSlot && i.extra().pendingPeriod > 0:
		return i.extra().pendingPeriod
	case i.program() == compile.Of(a.Spec) && i.program().PeriodAt(int(i.level)) == is:
		return i.period()
	}
	return is
}

// levelOf returns the level at which the curves of an application are evaluated. This is the level
// of the application; with LevelSum, the level of the instance that it joins is added.
func (s *Owner) levelOf(a *buff.Application) int {
	if spec := a.Spec; spec.Stack.Level == define.LevelSum && spec.Stack.Timers != define.TimersQueue {
		if i := s.joinTarget(a); i.exists() {
			return min(int(i.level)+a.Level, define.MaxLevel)
		}
	}
	return a.Level
}

// scaledBy returns ms × scale, rounded half up, at most MaxDuration.
func scaledBy(ms int64, scale float64) int64 {
	v := float64(float64(ms) * scale)
	if most := define.MaxDuration.Milliseconds(); v >= float64(most) {
		return most
	}
	return compile.RoundHalfUp(v)
}

// changeTime executes a Pause, a Resume or a SetRate for a time scale at an instant of its outer
// time, and reports the change to Turn.TimeChanged. It returns Done, or zero if there was no change.
func changeTime[Outer, Inner ~int64](s *Owner, t *Turn, c *buff.Command, p *clock.Scale[Outer, Inner], now Outer) buff.EventKind {
	was, before := p.Speed(), p.Cause(c.Whose)
	after := before
	switch c.Verb {
	case verb.Pause:
		after.Held = true
	case verb.Resume:
		after.Held = false
	default:
		after.Rate = c.Rate
	}
	p.Set(now, c.Whose, after)
	switch {
	case after.Held == before.Held && after.Rate.OrOne() == before.Rate.OrOne():
		return 0
	case t.TimeChanged == nil:
		return buff.Done
	}
	change := buff.TimeChange{At: t.at, Seen: t.Now, Owner: s.id, Handle: c.Handle, Verb: c.Verb, Whose: c.Whose, Was: was, Is: p.Speed()}
	if c.Verb == verb.SetRate {
		change.Rate, change.Old = c.Rate.OrOne(), before.Rate.OrOne()
	}
	t.TimeChanged(change)
	return buff.Done
}

// ratioWithin reports whether Den is not zero and both Num and Den are at most `limit`.
func ratioWithin(r buff.Ratio, limit uint32) bool {
	r = r.OrOne()
	return r.Den > 0 && r.Den <= limit && r.Num <= limit
}

// setPeriod changes the period of a running buff according to its haste rule:
//
//	snapshot   no change now; the next refresh takes the new period
//	next       the next pulse does not move; the new period starts after it
//	rescale    the time until the next pulse is scaled by (new period / running period)
//
// With haste_duration, the remaining duration is scaled too, by (new period / set period), so that
// the number of pulses stays the same. The running period ends with the next pulse. The set period
// applies after it and differs if an earlier change has yet to start. All times are rounded to
// whole ms, half up.
//
// Examples: testdata/haste_snapshot.txt, haste_next.txt, haste_rescale.txt, haste_rates.txt,
// haste_least.txt, haste_expire.txt.
func setPeriod(t *Turn, i instance, to time.Duration) buff.Result {
	switch {
	case i.period() == 0:
		return buff.Result{Handle: i.handle(), Failure: fmt.Errorf("%w: %q does not pulse", buff.ErrPeriod, i.program().ID)}
	case i.program().Uses&compile.UsesHaste != 0:
		return buff.Result{Handle: i.handle(), Failure: fmt.Errorf("%w: the period of %q follows the number in haste", buff.ErrPeriod, i.program().ID)}
	case to < define.MinPeriod || to > define.MaxDuration || to%time.Millisecond != 0:
		return buff.Result{Handle: i.handle(), Failure: fmt.Errorf("%w: %q every %v, want whole milliseconds from %v to %v", buff.ErrPeriod, i.program().ID, to, define.MinPeriod, define.MaxDuration)}
	}
	changePeriod(t, i, to.Milliseconds())
	return buff.Result{Handle: i.handle(), Kind: buff.Hastened}
}

// changePeriod changes the period, and emits a Hastened: see setPeriod.
func changePeriod(t *Turn, i instance, ms int64) {
	flushPulses(t, i)
	was, runs, beat, now := i.period(), i.currentPeriod(), i.boundary, i.now(t)
	switch i.program().Haste {
	case define.HasteSnapshot:
		i.ensureExtra().pendingPeriod = ms
	case define.HasteRescale:
		i.restartPeriod(now)
		i.storePeriod(ms)
		i.boundary = rescaled(now, beat, ms, runs)
		i.rescaleAsync(now, beat, ms, runs)
	case define.HasteNext:
		i.setNextPeriod(ms)
	}
	emitHastened(t, i, i.program().Haste != define.HasteSnapshot && hastenEnd(i, now, ms, was))
}

// hastenEnd scales the remaining duration by ms/was if HasteDuration says so, and reports whether
// it does.
func hastenEnd(i instance, now clock.BuffTime, ms, was int64) bool {
	if !i.program().HasteDuration || i.end == clock.Never || i.program().Stack.Timers == define.TimersEach {
		return false
	}
	i.end = rescaled(now, i.end, ms, was)
	switch {
	case i.flags&member != 0:
		i.rescaleHolders(now, ms, was)
	case i.program().Stack.Timers == define.TimersQueue:
		i.rescaleWaiting(ms, was)
	}
	// When some stacks end, this duration starts again, so it is scaled too.
	i.storeDuration(max(int64(exact.MulDiv(i.duration(), uint64(ms), uint64(was))), 1))
	i.mark(journal.Time)
	return true
}

// emitHastened emits a Hastened, with the end of the buff if it has moved.
func emitHastened(t *Turn, i instance, moved bool) {
	i.markDirty(t)
	e := i.newEvent(buff.Hastened)
	if moved {
		e.End = i.reportedEnd()
	}
	e.Next = i.clocks().ToWorld(i.nextPulse())
	t.emit(i.owner, &e)
}

// rescaleHolders scales the remaining linger times of the holders. The end of the instance depends
// on these times.
func (i instance) rescaleHolders(now clock.BuffTime, ms, was int64) {
	async := i.extra().async
	for k := range async {
		if end := &async[k].end; *end != clock.Never {
			*end = rescaled(now, *end, ms, was)
		}
	}
}

// rescaleWaiting scales the remaining durations of the waiting applications of a queue.
//
// Example: testdata/haste_queue.txt.
func (i instance) rescaleWaiting(ms, was int64) {
	async := i.extra().async
	for k := range async {
		async[k].left = max(exact.MulDiv(async[k].left, uint64(ms), uint64(was)), 1)
	}
}

// rescaled scales the time from `now` until the instant `at` by ms/was, and returns the resulting
// instant. It rounds half up, to at least 1 ms.
func rescaled(now, at clock.BuffTime, ms, was int64) clock.BuffTime {
	return now.Add(max(exact.MulDiv(clock.Until(now, at), uint64(ms), uint64(was)), 1))
}

// firstBoundary returns the first boundary of the period after now, in buff time. If the instance
// has no period, it returns Never. With AlignOwner the boundaries are the multiples of the period
// in owner time, regardless of pauses and rates of the buff itself.
func (i instance) firstBoundary(now clock.BuffTime) clock.BuffTime {
	switch period := i.period(); {
	case period == 0:
		return clock.Never
	case i.program().Align == define.AlignStart:
		return now.Add(period)
	case i.flags&timeScaled != 0:
		return nextMultiple(now, i.extra().scale.OuterZero(), period)
	default:
		return nextMultiple(now, 0, period)
	}
}

// nextMultiple returns the first instant after now whose distance from zero is a multiple of the
// period.
func nextMultiple(now clock.BuffTime, zero, period int64) clock.BuffTime {
	return now.Add(period - within(int64(now)-zero, period))
}

// elapsed returns the ms from the last boundary before the instant `at` until that instant.
func (i instance) elapsed(at clock.BuffTime) int64 {
	return int64(at-i.boundary) + i.currentPeriod()
}

// currentPeriod returns the length of the current period in ms. It differs from the length of the
// following periods, see instance.period, if a change of the period takes effect at the next pulse.
func (i instance) currentPeriod() int64 {
	if i.extraIndex != noSlot {
		if x := i.extra(); x.currentPeriod > 0 {
			return x.currentPeriod
		}
	}
	return i.period()
}

// restartPeriod starts a new period at now.
func (i instance) restartPeriod(now clock.BuffTime) {
	i.boundary = i.firstBoundary(now)
	if i.extraIndex != noSlot {
		i.extra().currentPeriod = 0
	}
}

// setNextPeriod sets the length of the periods after the current one.
func (i instance) setNextPeriod(ms int64) {
	x := i.ensureExtra()
	x.currentPeriod = i.currentPeriod()
	i.storePeriod(ms)
}
