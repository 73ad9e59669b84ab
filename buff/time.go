package buff

import (
	"fmt"
	"math"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// The time of an owner is that of the world unless something held it or changed its rate;
// the time of a buff is that of its owner, in the same way. All that a Set keeps is in the
// owner's time, and of a buff with a time of its own in that; all that it tells is in the
// world's.

// toOwnerTime returns the instant of its owner's time for one of the instance's own.
func (s *Set) toOwnerTime(i *instance, at wheel.Time) wheel.Time {
	if i.flags&timeScaled != 0 {
		return s.extraOf(i).scale.outer(at)
	}
	return at
}

// toWorldTime returns the world's instant for one of the instance's own time.
func (s *Set) toWorldTime(i *instance, at wheel.Time) wheel.Time {
	return s.timeScale().toWorld(s.toOwnerTime(i, at))
}

// reportedEnd returns the end that events tell, as a look at the instance does: none while its
// time stands still.
func (s *Set) reportedEnd(i *instance) wheel.Time {
	if s.timeScale() == nil && i.flags&timeScaled == 0 {
		return i.end
	}
	own := s.toOwnerTime(i, i.end)
	if p := s.timeScale(); p != nil && own < p.inner && p.num != 0 {
		return p.outerBefore(own)
	}
	return s.timeScale().toWorld(own)
}

// remaining returns the ms until an instant to come. Where two rates are rounded up, now may be
// behind what is due in this very millisecond: then nothing is left.
func remaining(now, at wheel.Time) int64 { return max(int64(at-now), 0) }

// nowOf returns the running instant in the instance's own time.
func (s *Set) nowOf(t *Turn, i *instance) wheel.Time {
	if i.flags&timeScaled != 0 {
		return s.scaledNow(t, i)
	}
	return t.now
}

func (s *Set) scaledNow(t *Turn, i *instance) wheel.Time { return s.extraOf(i).scale.ceil(t.now) }

// extend moves the end of a buff. If it would not be after now, the buff expires at once,
// without a pulse.
func (s *Set) extend(t *Turn, at uint16, by time.Duration, most Span) Result {
	i := s.slot(at)
	if i.end == wheel.Never {
		return Result{Handle: s.handle(at), Err: fmt.Errorf("%w: %q", ErrInfinite, s.specOf(i).ID)}
	}
	end := i.end.Add(by.Milliseconds())
	if most.given {
		end = min(end, max(i.end, s.nowOf(t, i).Add(ceilMillis(most.d))))
	}
	s.flush(t, at)
	s.shiftAsync(i, int64(end-i.end))
	return s.setEnd(t, at, end)
}

// setRemaining makes the buff end after by.
func (s *Set) setRemaining(t *Turn, at uint16, by time.Duration) Result {
	i := s.slot(at)
	end := s.nowOf(t, i)
	if by > 0 {
		end = end.Add(ceilMillis(by))
	}
	s.flush(t, at)
	s.setAsync(i, end)
	return s.setEnd(t, at, end)
}

// setEnd gives the buff another end.
func (s *Set) setEnd(t *Turn, at uint16, end wheel.Time) Result {
	i := s.slot(at)
	i.end = end
	s.mark(at, journal.Time)
	now := s.nowOf(t, i)
	if i.end <= now {
		s.end(t, at, Expired)
		return Result{Kind: Removed, Why: Expired}
	}
	s.markDirty(t, at)
	e := s.about(Refreshed, at)
	e.End = s.reportedEnd(i)
	t.emit(s, &e)
	for s.asyncOver(i, now) { // with a timer for each, a part may be over
		s.endAsync(t, at, Expired)
	}
	return Result{Handle: s.handle(at), Kind: Refreshed}
}

// compensate moves the ends of what the query finds and what has one: of Query.Most buffs, or of all.
func (s *Set) compensate(t *Turn, c *Command) Result {
	var r Result
	s.found(t, &c.Query, func(at uint16) bool {
		if c.Query.Most > 0 && int(r.Amount) >= c.Query.Most {
			return false
		}
		if s.slot(at).end != wheel.Never {
			s.extend(t, at, c.By, c.Application.Duration)
			r.Kind = Refreshed
			r.Amount++
		}
		return true
	})
	return r
}

// setTimeScale holds the time of a buff or of the owner, lets it go on, or changes its rate.
//
// Stories: testdata/pause_owner.txt, pause_buff.txt, pause_end.txt, rate_owner.txt, rate_buff.txt.
func (s *Set) setTimeScale(t *Turn, c *Command) Result {
	if c.Verb == verb.SetRate && (!c.Rate.within(MaxRate) || c.Rate.orOne().Num == 0) {
		return Result{Err: fmt.Errorf("%w: %v, want parts from 1 to %d", ErrRate, c.Rate, MaxRate)}
	}
	if c.Whose == define.OfBuff {
		i := s.lookup(c.Handle)
		if i == nil {
			return stale(c.Handle)
		}
		s.flush(t, c.Handle.slot())
		kind := s.changeTime(t, c, s.scaleOf(t, i), t.now)
		s.mark(c.Handle.slot(), journal.Time)
		s.markDirty(t, c.Handle.slot())
		return Result{Kind: kind, Handle: c.Handle}
	}
	if c.Whose == define.OfSource || c.Whose > define.OfZone {
		panic(fmt.Sprintf("buff: a Command with the Whose %d", c.Whose))
	}
	b := s.ensureRare()
	if b.timeScale == nil {
		own := newTimeScale(t.at)
		b.timeScale = &own
	}
	s.flushAll(t, func(*program) bool { return true })
	kind := s.changeTime(t, c, b.timeScale, t.at)
	t.now = b.timeScale.firstReached(t.at)
	s.markTime()
	s.markAllDirty(t)
	return Result{Kind: kind}
}

// scaleOf returns the time scale of an instance, which gets one if it has none.
func (s *Set) scaleOf(t *Turn, i *instance) *timeScale {
	x := s.ensureExtra(i)
	if i.flags&timeScaled == 0 {
		i.flags |= timeScaled
		x.scale = newTimeScale(t.now)
	}
	return &x.scale
}

// apply does a Pause, a Resume or a SetRate.
func (p *timeScale) apply(now wheel.Time, c *Command) {
	cause := p.causeOf(c.Whose)
	switch c.Verb {
	case verb.Pause:
		p.change(now, c.Whose, true, cause.rate)
	case verb.Resume:
		p.change(now, c.Whose, false, cause.rate)
	default:
		p.change(now, c.Whose, cause.held, c.Rate)
	}
}

// Paused reports whether the owner's time stands still: something holds it, or its zone's.
// The time of single buffs may stand still besides; [Instance.Paused] says so.
func (s *Set) Paused() bool { return s.timeScale().paused() }

// effectiveDuration returns the ms that an application lasts, 0 for ever, or why it lasts not at all:
// what it asks for, scaled, diminished, within its bounds, and fitted to its period.
//
// Stories: testdata/tail_fit.txt, tail_fit_haste.txt, tail_partial.txt, dr.txt.
func (s *Set) effectiveDuration(t *Turn, a *Application) (int64, Reason) {
	spec, share := a.Spec.program, uint64(100)
	d := spec.duration
	if spec.DurationBy != nil {
		d = spec.durationAt(s.levelOf(a))
	}
	if a.Duration.given {
		d = ceilMillis(a.Duration.d)
	}
	if spec.uses&usesDR != 0 {
		if share = s.share(t, a); share == 0 {
			return 0, Diminished // also if it has no end of which there could be less
		}
	}
	switch {
	case (d == 0 || a.member) && !a.stolen && spec.scale != nil && t.worked.scale == 0:
		return 0, Resisted // who resists all of it does not get it, for however long it would last
	case d == 0 || a.member:
		return 0, NoReason
	case a.stolen: // a thief has what was left, whatever scales what is applied
		return min(d, define.MaxDuration.Milliseconds()), NoReason
	}
	if a.Scale != (Ratio{}) {
		d = mulDiv(d, uint64(a.Scale.Num), uint64(a.Scale.Den))
	}
	if spec.scale != nil {
		d = scaledBy(d, t.worked.scale)
	}
	if share != 100 {
		d = mulDiv(d, share, 100)
	}
	if d == 0 {
		return 0, Resisted
	}
	d = min(max(d, spec.shortest), spec.longest, define.MaxDuration.Milliseconds())
	if spec.Tail == define.TailFit {
		period := s.periodAfter(a)
		d = max(mulDiv(d, 1, uint64(period)), 1) * period
	}
	return d, NoReason
}

// periodAfter returns the period that the buff of an application has once it has been applied: a buff that it
// joins may have been hastened.
func (s *Set) periodAfter(a *Application) int64 {
	level := s.levelOf(a)
	is, at := a.Spec.program.periodAt(level), s.joined(a)
	if at == noSlot {
		return is
	}
	i := s.slot(at)
	switch {
	case i.extra != noSlot && s.extraOf(i).pendingPeriod > 0:
		return s.extraOf(i).pendingPeriod
	case s.specOf(i) == a.Spec.program && s.specOf(i).periodAt(int(i.level)) == is:
		return s.period(i)
	}
	return is
}

// levelOf returns the level at which the curves of an application's definition are asked:
// its own, or, where levels add up, the sum.
func (s *Set) levelOf(a *Application) int {
	if spec := a.Spec; spec.Stack.Level == define.LevelSum && spec.Stack.Timers != define.TimersQueue {
		if at := s.joined(a); at != noSlot {
			return min(int(s.slot(at).level)+a.Level, define.MaxLevel)
		}
	}
	return a.Level
}

// durationAt returns the ms of the definition's duration at a level, periodAt those of its
// period.
func (s *program) durationAt(level int) int64 {
	if s.DurationBy == nil {
		return s.duration
	}
	return secondsToMillis(s.DurationBy.At(level))
}

func (s *program) periodAt(level int) int64 {
	if s.PeriodBy == nil {
		return s.period
	}
	return secondsToMillis(s.PeriodBy.At(level))
}

// secondsToMillis returns the ms of a number of seconds, half up.
func secondsToMillis(v float64) int64 { return roundHalfUp(float64(v * 1000)) }

// scaledBy returns ms × scale, half up, and the highest duration if it is more.
func scaledBy(ms int64, scale float64) int64 {
	v := float64(float64(ms) * scale)
	if most := define.MaxDuration.Milliseconds(); v >= float64(most) {
		return most
	}
	return roundHalfUp(v)
}

// roundHalfUp rounds a number that an int64 can hold: exactly, where adding a half would round.
func roundHalfUp(v float64) int64 {
	whole := math.Floor(v)
	if v-whole >= 0.5 {
		whole++
	}
	return int64(whole)
}

// longestDuration returns the definition's duration, or the highest point of its curve.
func (s *program) longestDuration() time.Duration {
	d := s.Duration
	if s.DurationBy != nil {
		for _, p := range s.DurationBy.Points() {
			d = max(d, time.Duration(min(max(p.Value, 0), define.MaxDuration.Seconds())*float64(time.Second)))
		}
	}
	return d
}

// TimeChange is that time passes otherwise from here on for an owner, or for one of its buffs. No event
// says so: see [Turn.TimeChanged].
type TimeChange struct {
	At   wheel.Time // the instant
	Seen wheel.Time // the frame, as an event has it

	Owner  OwnerID
	Handle Handle       // the buff whose time it is; 0: that of all that the owner carries
	Verb   verb.Verb    // verb.Pause, verb.Resume or verb.SetRate
	Whose  define.Whose // that was paused, resumed or given a rate: OfOwner, OfZone or OfBuff; of a buff, OfZone is that its owner died or lives again, and on_death is pause
	Rate   Ratio        // of a verb.SetRate
	Old    Ratio        // what it was before that, by the same Whose

	// Was and Is are how fast it passed before and passes now, by all that has to do with it: 0 if it
	// stands still, 1 as that of the world, or of a buff as that of its owner.
	Was, Is float64
}

// speed is how fast the inner time passes.
func (p *timeScale) speed() float64 { return float64(p.num) / float64(p.den) }

// changeTime does what a command wants of a time scale at an instant of the time around it, and tells that, unless
// it has changed nothing. It returns Done, or zero if nothing changed.
func (s *Set) changeTime(t *Turn, c *Command, p *timeScale, now wheel.Time) EventKind {
	was, before := p.speed(), *p.causeOf(c.Whose)
	p.apply(now, c)
	switch after := *p.causeOf(c.Whose); {
	case after.held == before.held && after.rate.orOne() == before.rate.orOne():
		return 0
	case t.TimeChanged == nil:
		return Done
	}
	change := TimeChange{At: t.at, Seen: t.Now, Owner: s.owner, Handle: c.Handle, Verb: c.Verb, Whose: c.Whose, Was: was, Is: p.speed()}
	if c.Verb == verb.SetRate {
		change.Rate, change.Old = c.Rate.orOne(), before.rate.orOne()
	}
	t.TimeChanged(change)
	return Done
}
