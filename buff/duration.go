package buff

// lasts returns the ms that an application lasts, 0 for ever, or why it lasts not at all:
// what it asks for, scaled, diminished, within its bounds, and fitted to its period.
func (s *Set) lasts(t *Turn, a *Application) (int64, Reason) {
	spec, d, share := a.Spec, a.Spec.duration, uint64(100)
	if a.Duration.given {
		d = wait(a.Duration.d)
	}
	if spec.uses&usesDR != 0 {
		if share = s.share(t, a); share == 0 {
			return 0, Diminished // also if it has no end of which there could be less
		}
	}
	if d == 0 || a.member {
		return 0, NoReason
	}
	if a.Scale != (Ratio{}) {
		d = scaled(d, uint64(a.Scale.Num), uint64(a.Scale.Den))
	}
	if d = scaled(d, share, 100); d == 0 {
		return 0, Resisted
	}
	d = min(max(d, spec.shortest), spec.longest, MaxDuration.Milliseconds())
	if spec.Tail == TailFit {
		d = max(scaled(d, 1, uint64(spec.period)), 1) * spec.period
	}
	return d, NoReason
}
