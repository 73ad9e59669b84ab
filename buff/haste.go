package buff

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/wheel"
)

// setPeriod changes the period of a running buff, by its rule of haste:
//
//	snapshot   nothing now; the next refresh takes the new period
//	next       the pulse to come stays where it is, and the new period begins after it
//	rescale    what is left until the pulse to come is scaled by new/old, old being the interval that runs
//
// All of it is whole ms, rounded half up: servers and replays agree. With haste_duration what is left of the
// duration is scaled in the same way, so that the number of pulses stays.
//
// Stories: testdata/haste_snapshot.txt, haste_next.txt, haste_rescale.txt, haste_rates.txt, haste_least.txt, haste_expire.txt.
func (s *Set) setPeriod(t *Turn, at uint16, to time.Duration) Result {
	i := s.slot(at)
	switch {
	case s.period(i) == 0:
		return Result{Handle: s.handle(at), Err: fmt.Errorf("%w: %q does not pulse", ErrPeriod, s.specOf(i).ID)}
	case to < define.MinPeriod || to > define.MaxDuration || to%time.Millisecond != 0:
		return Result{Handle: s.handle(at), Err: fmt.Errorf("%w: %q every %v, want whole milliseconds from %v to %v", ErrPeriod, s.specOf(i).ID, to, define.MinPeriod, define.MaxDuration)}
	}
	s.flushPulses(t, at)
	was, runs, beat, now, ms := s.period(i), s.currentPeriod(i), i.boundary, s.nowOf(t, i), to.Milliseconds()
	e := s.about(Hastened, at)
	switch s.specOf(i).Haste {
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
	if s.specOf(i).Haste != define.HasteSnapshot && s.specOf(i).HasteDuration && i.end != wheel.Never && s.specOf(i).Stack.Timers != define.TimersEach {
		i.end = rescaled(now, i.end, ms, was)
		switch {
		case i.flags&member != 0:
			s.rescaleHolders(i, now, ms, was)
		case s.specOf(i).Stack.Timers == define.TimersQueue:
			s.rescaleWaiting(i, ms, was)
		}
		s.storeDuration(i, max(int64(mulDiv(s.duration(i), uint64(ms), uint64(was))), 1)) // what a stack's end begins anew
		e.End = s.reportedEnd(i)
		s.mark(at, journal.Time)
	}
	s.markDirty(t, at)
	e.Next = s.toWorldTime(i, s.nextPulse(i))
	t.emit(s, &e)
	return Result{Handle: e.Handle, Kind: Hastened}
}

// rescaleHolders scales what is left of the lingers of a member: its end is that of the last.
func (s *Set) rescaleHolders(i *instance, now wheel.Time, ms, was int64) {
	async := s.extraOf(i).async
	for k := range async {
		if end := &async[k].end; *end != wheel.Never {
			*end = rescaled(now, *end, ms, was)
		}
	}
}

// rescaleWaiting scales what those that wait in a queue have left.
//
// Story: testdata/haste_queue.txt.
func (s *Set) rescaleWaiting(i *instance, ms, was int64) {
	async := s.extraOf(i).async
	for k := range async {
		async[k].left = max(mulDiv(async[k].left, uint64(ms), uint64(was)), 1)
	}
}

// rescaled returns what becomes of an instant to come if what is left until it is scaled by
// ms/was: half up, but nothing comes at once.
func rescaled(now, at wheel.Time, ms, was int64) wheel.Time {
	return now.Add(max(mulDiv(remaining(now, at), uint64(ms), uint64(was)), 1))
}
