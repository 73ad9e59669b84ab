package rules

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/wheel"
)

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
func (s *Owner) setPeriod(t *Turn, at uint16, to time.Duration) buff.Result {
	i := s.slot(at)
	switch {
	case s.period(i) == 0:
		return buff.Result{Handle: s.handle(at), Err: fmt.Errorf("%w: %q does not pulse", buff.ErrPeriod, s.programOf(i).ID)}
	case to < define.MinPeriod || to > define.MaxDuration || to%time.Millisecond != 0:
		return buff.Result{Handle: s.handle(at), Err: fmt.Errorf("%w: %q every %v, want whole milliseconds from %v to %v", buff.ErrPeriod, s.programOf(i).ID, to, define.MinPeriod, define.MaxDuration)}
	}
	s.flushPulses(t, at)
	was, runs, beat, now, ms := s.period(i), s.currentPeriod(i), i.boundary, s.nowOf(t, i), to.Milliseconds()
	e := s.instanceEvent(buff.Hastened, at)
	switch s.programOf(i).Haste {
	case define.HasteSnapshot:
		s.ensureExtra(i).pendingPeriod = ms
	case define.HasteRescale:
		s.restartPeriod(i, now)
		s.storePeriod(i, ms)
		i.boundary = rescaled(now, beat, ms, runs)
		s.rescaleAsync(i, now, beat, ms, runs)
	case define.HasteNext:
		s.setNextPeriod(i, ms)
	}
	if s.programOf(i).Haste != define.HasteSnapshot && s.programOf(i).HasteDuration && i.end != wheel.Never && s.programOf(i).Stack.Timers != define.TimersEach {
		i.end = rescaled(now, i.end, ms, was)
		switch {
		case i.flags&member != 0:
			s.rescaleHolders(i, now, ms, was)
		case s.programOf(i).Stack.Timers == define.TimersQueue:
			s.rescaleWaiting(i, ms, was)
		}
		// When some stacks end, this duration starts again, so it is scaled too.
		s.storeDuration(i, max(int64(exact.MulDiv(s.duration(i), uint64(ms), uint64(was))), 1))
		e.End = s.reportedEnd(i)
		s.mark(at, journal.Time)
	}
	s.markDirty(t, at)
	e.Next = s.toWorldTime(i, s.nextPulse(i))
	t.emit(s, &e)
	return buff.Result{Handle: e.Handle, Kind: buff.Hastened}
}

// rescaleHolders scales the remaining linger times of the holders. The end of the instance depends
// on these times.
func (s *Owner) rescaleHolders(i *instance, now wheel.Time, ms, was int64) {
	async := s.extraOf(i).async
	for k := range async {
		if end := &async[k].end; *end != wheel.Never {
			*end = rescaled(now, *end, ms, was)
		}
	}
}

// rescaleWaiting scales the remaining durations of the waiting applications of a queue.
//
// Example: testdata/haste_queue.txt.
func (s *Owner) rescaleWaiting(i *instance, ms, was int64) {
	async := s.extraOf(i).async
	for k := range async {
		async[k].left = max(exact.MulDiv(async[k].left, uint64(ms), uint64(was)), 1)
	}
}

// rescaled scales the time from `now` until the instant `at` by ms/was, and returns the resulting
// instant. It rounds half up, to at least 1 ms.
func rescaled(now, at wheel.Time, ms, was int64) wheel.Time {
	return now.Add(max(exact.MulDiv(remaining(now, at), uint64(ms), uint64(was)), 1))
}
