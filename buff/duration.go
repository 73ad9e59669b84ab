package buff

import (
	"math"
	"time"
)

// lasts returns the ms that an application lasts, 0 for ever, or why it lasts not at all:
// what it asks for, scaled, diminished, within its bounds, and fitted to its period.
//
// Stories: testdata/tail_fit.txt, tail_partial.txt, dr.txt.
func (s *Set) lasts(t *Turn, a *Application) (int64, Reason) {
	spec, share := a.Spec, uint64(100)
	d := spec.duration
	if spec.DurationBy != nil {
		d = spec.lastsAt(s.levelOf(a))
	}
	if a.Duration.given {
		d = wait(a.Duration.d)
	}
	if spec.uses&usesDR != 0 {
		if share = s.share(t, a); share == 0 {
			return 0, Diminished // also if it has no end of which there could be less
		}
	}
	switch {
	case d == 0 || a.member:
		return 0, NoReason
	case a.stolen: // a thief has what was left, whatever scales what is applied
		return min(d, MaxDuration.Milliseconds()), NoReason
	}
	if a.Scale != (Ratio{}) {
		d = scaled(d, uint64(a.Scale.Num), uint64(a.Scale.Den))
	}
	if spec.scale != nil {
		d = times(d, t.worked.scale)
	}
	if share != 100 {
		d = scaled(d, share, 100)
	}
	if d == 0 {
		return 0, Resisted
	}
	d = min(max(d, spec.shortest), spec.longest, MaxDuration.Milliseconds())
	if spec.Tail == TailFit {
		period := spec.periodAt(s.levelOf(a))
		d = max(scaled(d, 1, uint64(period)), 1) * period
	}
	return d, NoReason
}

// levelOf returns the level at which the curves of an application's definition are asked:
// its own, or, where levels add up, the sum.
func (s *Set) levelOf(a *Application) int {
	if spec := a.Spec; spec.Stack.Level == LevelSum && spec.Stack.Timers != TimersQueue {
		if at := s.joined(a); at != noSlot {
			return min(int(s.slots[at].level)+a.Level, MaxLevel)
		}
	}
	return a.Level
}

// lastsAt returns the ms of the definition's duration at a level, periodAt those of its
// period.
func (s *Spec) lastsAt(level int) int64 {
	if s.DurationBy == nil {
		return s.duration
	}
	return seconds(s.DurationBy.At(level))
}

func (s *Spec) periodAt(level int) int64 {
	if s.PeriodBy == nil {
		return s.period
	}
	return seconds(s.PeriodBy.At(level))
}

// seconds returns the ms of a number of seconds, half up.
func seconds(v float64) int64 { return halfUp(float64(v * 1000)) }

// times returns ms × scale, half up, and the highest duration if it is more.
func times(ms int64, scale float64) int64 {
	v := float64(float64(ms) * scale)
	if most := MaxDuration.Milliseconds(); v >= float64(most) {
		return most
	}
	return halfUp(v)
}

// halfUp rounds a number that an int64 can hold: exactly, where adding a half would round.
func halfUp(v float64) int64 {
	whole := math.Floor(v)
	if v-whole >= 0.5 {
		whole++
	}
	return int64(whole)
}

// longestDuration returns the definition's duration, or the highest point of its curve.
func (s *Spec) longestDuration() time.Duration {
	d := s.Duration
	if s.DurationBy != nil {
		for _, p := range s.DurationBy.points {
			d = max(d, time.Duration(min(max(p.Value, 0), MaxDuration.Seconds())*float64(time.Second)))
		}
	}
	return d
}
