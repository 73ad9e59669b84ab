package definition

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// byLevel reports whether the duration or the period depends on the level.
func byLevel(s *buff.Spec) bool {
	return s.DurationBy != nil || s.PeriodBy != nil || s.PeriodFrom != nil
}

// longest returns the longest duration that the files determine for a definition: at the level
// with the longest duration, and with the largest scale.
func longest(s *buff.Spec) time.Duration {
	most := s.Duration
	if s.DurationBy != nil {
		most = time.Duration(highest(s.DurationBy) * float64(time.Second))
	}
	switch n := s.DurationScale; {
	case n == nil:
	case n.From == define.FromConst:
		most = time.Duration(float64(most) * n.Const)
	case n.From == define.FromCurve:
		most = time.Duration(float64(most) * highest(n.Curve))
	case s.MaxDuration > 0:
		return s.MaxDuration
	}
	most = max(most, s.MinDuration)
	if s.MaxDuration > 0 {
		most = min(most, s.MaxDuration)
	}
	return most
}

// highest returns the highest value of a curve.
func highest(c *define.Curve) float64 {
	most := 0.0
	for _, p := range c.Points() {
		most = max(most, p.Value)
	}
	return most
}

// lengthens reports whether the duration has no upper bound in the files, because its scale depends
// on attributes or on the application.
func lengthens(s *buff.Spec) bool {
	return s.DurationScale != nil && s.DurationScale.From > define.FromCurve && s.MaxDuration == 0
}

// neverPulses finds buffs that end before their first pulse. It also finds buffs without a period
// that have an empty on.pulse list. If the list is not empty, buff.NewCatalog rejects such a buff.
func (l *linter) neverPulses(d *definition) {
	s := d.spec
	if _, ok := d.places.get("on.pulse"); ok && s.Period == 0 && s.PeriodBy == nil && s.PeriodFrom == nil {
		l.warn(d, "on.pulse", "without a period it never pulses: set period, or leave it out")
		return
	}
	if s.Kind != define.Timed || byLevel(s) || lengthens(s) || s.Period <= longest(s) || s.First != define.FirstNone || s.Tail != define.TailNone || s.Align != define.AlignStart {
		return
	}
	unless := ""
	if s.Stack.By != define.ByNone && s.Stack.Refresh != define.RefreshNone && s.Stack.Phase == define.PhaseKeep {
		unless = ", unless it is refreshed before"
	}
	l.warn(d, "period", "longer than the duration of %s: it never pulses%s", short(longest(s)), unless)
}

// lostTail finds durations that are not a whole number of periods, so that no pulse covers the
// last part.
func (l *linter) lostTail(d *definition) {
	s, duration := d.spec, d.spec.Duration
	if n := s.DurationScale; n != nil && n.From == define.FromConst {
		duration = longest(s)
	}
	if s.Kind != define.Timed || byLevel(s) || s.Period == 0 || s.Period > duration || s.Tail != define.TailNone || s.Align != define.AlignStart {
		return
	}
	if rest := duration % s.Period; rest != 0 {
		l.warn(d, "duration", "not a multiple of the period of %s: the last %s have no pulse; set tail: partial or fit, or change one of the two",
			short(s.Period), short(rest))
	}
}

// lostBeat finds buffs for which a further application does nothing except delay the next pulse.
func (l *linter) lostBeat(d *definition) {
	s := d.spec
	if (s.Period != 0 || s.PeriodBy != nil || s.PeriodFrom != nil) && s.Stack.By != define.ByNone && s.Stack.Refresh == define.RefreshNone && s.Stack.Phase == define.PhaseReset {
		l.warn(d, "stack.phase", "with refresh: none each further application delays the next pulse but not the end: pulses are lost")
	}
}

// offFrame finds periods that are not a whole number of frames.
func (l *linter) offFrame(d *definition) {
	for _, b := range []struct {
		field string
		span  time.Duration
		what  string
	}{{"period", d.spec.Period, "pulses"}, {"aura.interval", d.spec.Aura.Interval, "scans"}} {
		if b.span == 0 || l.Frame < 0 || b.span%l.Frame == 0 {
			continue
		}
		below := b.span - b.span%l.Frame
		l.warn(d, b.field, "not a multiple of the frame of %s: %s are %s or %s apart", short(l.Frame), b.what, short(below), short(below+l.Frame))
	}
}

// wheelRange is the range of the timer wheel.
const wheelRange = 12 * time.Hour

// beyondWheel finds durations that are longer than the range of the timer wheel.
func (l *linter) beyondWheel(d *definition) {
	// Such a long time is probably a mistake only on this clock.
	if s := d.spec; longest(s) > wheelRange && s.Clock == define.Online {
		l.warn(d, "duration", "longer than the %s range of the wheel: its end waits in the overflow tier; nothing is lost, but is this intended?", short(wheelRange))
	}
}

// noChance finds buffs that are always refused.
func (l *linter) noChance(d *definition) {
	if d.spec.Chance == define.ChanceNever {
		l.warn(d, "chance", "every application is refused")
	}
}

// soonOver is the duration below which players would not log out to escape a buff.
const soonOver = time.Minute

// waitsOffline finds negative buffs that players can avoid by logging out.
func (l *linter) waitsOffline(d *definition) {
	s := d.spec
	_, said := d.places.get("save.mode")
	if s.Kind == define.Timed && s.Polarity == define.Negative && s.Clock == define.Online && s.Save.Mode == define.SaveAlways &&
		(said || longest(s) >= soonOver) {
		l.warn(d, "clock", "paused while its owner is offline: players can escape it by logging out; use clock: uptime or wall")
	}
}

// runsOffline finds positive buffs that end while players are away.
func (l *linter) runsOffline(d *definition) {
	if s := d.spec; s.Kind == define.Timed && s.Polarity == define.Positive && s.Clock == define.Wall {
		l.warn(d, "clock", "a positive buff that runs on while its owner is offline or the server is down: players will miss it")
	}
}
