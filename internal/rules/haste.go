package rules

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/internal/rules/clock"
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
func setPeriod(t *Turn, i instance, to time.Duration) buff.Result {
	switch {
	case i.period() == 0:
		return buff.Result{Handle: i.handle(), Failure: fmt.Errorf("%w: %q does not pulse", buff.ErrPeriod, i.program().ID)}
	case to < define.MinPeriod || to > define.MaxDuration || to%time.Millisecond != 0:
		return buff.Result{Handle: i.handle(), Failure: fmt.Errorf("%w: %q every %v, want whole milliseconds from %v to %v", buff.ErrPeriod, i.program().ID, to, define.MinPeriod, define.MaxDuration)}
	}
	flushPulses(t, i)
	was, runs, beat, now, ms := i.period(), i.currentPeriod(), i.boundary, i.now(t), to.Milliseconds()
	e := i.newEvent(buff.Hastened)
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
	if i.program().Haste != define.HasteSnapshot && i.program().HasteDuration && i.end != clock.Never && i.program().Stack.Timers != define.TimersEach {
		i.end = rescaled(now, i.end, ms, was)
		switch {
		case i.flags&member != 0:
			i.rescaleHolders(now, ms, was)
		case i.program().Stack.Timers == define.TimersQueue:
			i.rescaleWaiting(ms, was)
		}
		// When some stacks end, this duration starts again, so it is scaled too.
		i.storeDuration(max(int64(exact.MulDiv(i.duration(), uint64(ms), uint64(was))), 1))
		e.End = i.reportedEnd()
		i.mark(journal.Time)
	}
	i.markDirty(t)
	e.Next = i.clocks().ToWorld(i.nextPulse())
	t.emit(i.owner, &e)
	return buff.Result{Handle: e.Handle, Kind: buff.Hastened}
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
