package compile

import (
	"time"

	"github.com/bufftick/bufftick/buff/define"
)

// kind checks the kind and the duration. A duration of 0 is an error. In similar systems 0 means
// infinite or instant, so a missing value would go unnoticed.
func (k *checker) kind(s *Program) {
	switch s.Kind {
	case define.Timed:
		if s.Spec.Duration == 0 && s.DurationBy == nil {
			k.failf("duration", "must be above zero (instant and infinite are said by name)")
		}
		k.whole("duration", s.Spec.Duration)
		k.spans("duration", s.DurationBy, s.Spec.Duration, time.Millisecond)
		s.Duration = s.Spec.Duration.Milliseconds()
	case define.Instant, define.Infinite:
		if s.Spec.Duration != 0 {
			k.failf("duration", "%v has no duration, but %v was given", s.Kind, s.Spec.Duration)
		}
		if s.DurationBy != nil {
			k.failf("duration", "%v has no duration, but a curve was given", s.Kind)
		}
	default:
		k.failf("duration", "%v is not a kind", s.Kind)
	}
	k.whole("min_duration", s.MinDuration)
	k.whole("max_duration", s.MaxDuration)
	timed := s.Kind == define.Timed && s.Spec.Duration > 0
	switch least, most := s.MinDuration, s.MaxDuration; {
	case most > 0 && least > most:
		k.failf("min_duration", "%v is above max_duration, which is %v", least, most)
	case timed && least > s.Spec.Duration:
		k.failf("min_duration", "%v is above the duration of %v", least, s.Spec.Duration)
	case timed && most > 0 && most < s.Spec.Duration:
		k.failf("max_duration", "%v is below the duration of %v", most, s.Spec.Duration)
	}
}

// period checks the period and the fields that need one.
func (k *checker) period(s *Program) {
	s.Period = s.Spec.Period.Milliseconds()
	k.beat("period", s.Spec.Period)
	k.spans("period", s.PeriodBy, s.Spec.Period, define.MinPeriod)
	if !s.Pulses() {
		for _, f := range []struct {
			field, word string
			used        bool
		}{
			{"first", s.First.String(), s.First != define.FirstNone},
			{"tail", s.Tail.String(), s.Tail != define.TailNone},
			{"align", s.Align.String(), s.Align != define.AlignStart},
			{"haste", s.Haste.String(), s.Haste != define.HasteSnapshot && s.HasteBy == nil},
			{"haste", "an attribute", s.HasteBy != nil && s.Charges.Recharge == 0},
			{"haste_duration", "true", s.HasteDuration},
			{"catchup", s.Catchup.String(), s.Catchup != define.CatchupAll},
		} {
			if f.used {
				k.failf(f.field, "%s needs a period", f.word)
			}
		}
		if len(s.On.Pulse) > 0 {
			k.failf("on.pulse", "needs a period")
		}
	}
	switch most := s.CatchupMax; {
	case most == 0:
	case s.Catchup != define.CatchupCoalesce:
		k.failf("catchup.coalesce", "is the most that coalesce counts, not %v", s.Catchup)
	default:
		k.within("catchup.coalesce", most, 2, maxCount)
	}
}

// maxCount is the maximum number of pulses in one coalesced event, and the maximum number of
// offline pulses.
const maxCount = 100_000

// spans checks a curve whose values are seconds. It checks only the points, because the curve is
// linear between them.
func (k *checker) spans(field string, c *define.Curve, other, least time.Duration) {
	if c == nil {
		return
	}
	if other != 0 {
		k.failf(field, "there are two: %v and a curve", other)
	}
	k.curve(field+".curve", c)
	for _, p := range c.Points() {
		if p.Value < least.Seconds() || p.Value > define.MaxDuration.Seconds() {
			k.failf(field+".curve", "%q is %v s at level %d, want from %v to %v", c.Name(), p.Value, p.Level, least, define.MaxDuration)
		}
	}
}
