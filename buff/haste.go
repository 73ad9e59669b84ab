package buff

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// setPeriod changes the period of a running buff, by its rule of haste.
func (s *Set) setPeriod(t *Turn, at uint16, to time.Duration) Result {
	i := &s.slots[at]
	switch {
	case i.period == 0:
		return Result{Handle: s.handle(at), Err: fmt.Errorf("%w: %q does not pulse", ErrPeriod, i.spec.ID)}
	case to < MinPeriod || to > MaxDuration || to%time.Millisecond != 0:
		return Result{Handle: s.handle(at), Err: fmt.Errorf("%w: %q every %v, want whole milliseconds from %v to %v", ErrPeriod, i.spec.ID, to, MinPeriod, MaxDuration)}
	}
	s.flush(t, at)
	was, now, ms := i.period, s.nowOf(t, i), to.Milliseconds()
	e := s.about(Hastened, at)
	switch i.spec.Haste {
	case HasteSnapshot:
		s.needExtra(i).wanted = ms
	case HasteRescale:
		i.beat = now.Add(scaled(int64(i.beat-now), uint64(ms), uint64(was)))
		fallthrough
	case HasteNext:
		i.period = ms
		if i.spec.HasteDuration && i.end != wheel.Never && i.spec.Stack.Timers != TimersEach {
			i.end = now.Add(scaled(int64(i.end-now), uint64(ms), uint64(was)))
			e.End = s.endTold(t, i)
		}
	}
	s.touch(at)
	e.Next = s.worldOf(i, i.nextPulse())
	t.emit(s, e)
	return Result{Handle: e.Handle, Kind: Hastened}
}
