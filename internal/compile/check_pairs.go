package compile

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// pair is a combination of two settings in which the first has no effect because of the second.
type pair struct {
	both        bool
	field, word string // the setting without effect
	other, text string // the second setting, and the reason
}

// pairs reports settings without effect, because the author of the definition expects an effect.
// Settings that need a period, charges or a tag are reported by the checks of the period, the
// charges and the tags.
func (k *checker) pairs(s *Program) {
	for _, lists := range [...][]pair{s.hastePairs(), s.alonePairs(), s.timerPairs(), s.otherPairs()} {
		for i := range lists {
			if p := &lists[i]; p.both {
				k.failf(p.field, "%s has no effect with %s: %s", p.word, p.other, p.text)
			}
		}
	}
}

// hastePairs returns the pairs for HasteDuration. Without a period there are none, because the
// check of the period reports the setting.
func (s *Program) hastePairs() []pair {
	if !s.HasteDuration || !s.Pulses() {
		return nil
	}
	const field, word = "haste_duration", "true"
	return []pair{
		{s.Haste == define.HasteSnapshot && s.HasteBy == nil, field, word, "haste snapshot", "that changes nothing before the next refresh; say haste: next or rescale"},
		{s.Stack.Timers == define.TimersEach, field, word, "timers each", "each stack keeps its own end"},
		{s.Kind == define.Infinite, field, word, "duration infinite", "there is no end to scale"},
	}
}

// alonePairs returns the pairs for stack.by none. With this setting, no application joins a running
// instance.
func (s *Program) alonePairs() []pair {
	st := &s.Stack
	if st.By != define.ByNone {
		return nil
	}
	const other, text = "by none", "each application is a buff of its own; say by: source or target"
	return []pair{
		{st.Refresh != define.RefreshRestart, "stack.refresh", st.Refresh.String(), other, text},
		{st.Phase != define.PhaseKeep, "stack.phase", st.Phase.String(), other, text},
		{st.Overflow != define.OverflowAllow, "stack.overflow", st.Overflow.String(), other, text},
		{st.Level != define.LevelIgnore, "stack.level", st.Level.String(), other, text},
		{st.Timers == define.TimersQueue, "stack.timers", st.Timers.String(), other, text},
		{s.Charges.N != 0 && s.Charges.Refresh != define.ChargesReset, "charges.on_refresh", s.Charges.Refresh.String(), other, text},
		{s.Shield.Refresh != define.ShieldFill, "shield.on_refresh", s.Shield.Refresh.String(), other, text},
		{len(s.On.Refresh) > 0, "on.refresh", "a list", other, text},
		{len(s.On.Overflow) > 0, "on.overflow", "a list", other, text},
	}
}

// timerPairs returns the pairs for stacks with separate timers and for queues.
func (s *Program) timerPairs() []pair {
	st := &s.Stack
	charged, recharged := s.Charges.N != 0 && s.Charges.Refresh != define.ChargesReset, s.Charges.N != 0 && s.Charges.Recharge != 0
	const own, ownPool = "each application has charges of its own", "each application has a pool of its own"
	shielded := s.Shield.Refresh != define.ShieldFill
	switch st.Timers {
	case define.TimersEach:
		end := st.Refresh != define.RefreshRestart && st.Refresh != define.RefreshNone
		return []pair{
			{end, "stack.refresh", st.Refresh.String(), "timers each", "each stack has its own end; at the limit restart gives the one that ends first a new one, and none leaves it"},
			{charged, "charges.on_refresh", s.Charges.Refresh.String(), "timers each", own},
			{recharged, "charges.recharge", "a span", "timers each", own},
			{shielded, "shield.on_refresh", s.Shield.Refresh.String(), "timers each", ownPool},
		}
	case define.TimersQueue:
		const other, one = "timers queue", "one application runs, with one stack"
		return []pair{
			{charged, "charges.on_refresh", s.Charges.Refresh.String(), other, own},
			{recharged, "charges.recharge", "a span", other, own},
			{shielded, "shield.on_refresh", s.Shield.Refresh.String(), other, ownPool},
			{st.Initial > 1, "stack.initial", "more than 1", other, one},
			{len(st.Thresholds) > 0, "stack.thresholds", "a list", other, one},
			{s.Dispel.Per == define.PerStack, "dispel.per", "stack", other, one},
			{st.Level == define.LevelSum, "stack.level", "sum", other, "each application has its own level"},
			{st.Refresh != define.RefreshRestart, "stack.refresh", st.Refresh.String(), other, "a further application waits, and moves no end"},
			{len(s.On.Refresh) > 0, "on.refresh", "a list", other, "a further application waits, and refreshes nothing"},
			{s.First == define.FirstEvery, "first", "every", other, "a further application waits; say first: start"},
		}
	}
	return nil
}

// otherPairs returns the pairs for all other settings.
func (s *Program) otherPairs() []pair {
	st, v := &s.Stack, &s.Save
	const beat = "there is no beat to change"
	still := s.Clock == define.Online
	return []pair{
		{s.Kind == define.Infinite && aboveZero(s.DurationScale), "duration_scale", "a number above zero", "duration infinite", "there is no end to scale; only a scale that comes to 0 refuses an application"},
		{len(s.On.Refresh) > 0 && st.By != define.ByNone && st.Refresh == define.RefreshNone && st.Level != define.LevelHigherWins, "on.refresh", "a list", "refresh none", "nothing is refreshed"},
		{st.Phase != define.PhaseKeep && st.By != define.ByNone && !s.Pulses(), "stack.phase", st.Phase.String(), "no period", beat},
		{s.Inhibition != define.InhibitionKeep && !s.Pulses(), "inhibition", s.Inhibition.String(), "no period", beat},
		{s.Inhibition == define.InhibitionReset && s.Align == define.AlignOwner, "inhibition", "reset", "align owner", "the beat is that of all"},
		{v.Mode == define.SaveNever && s.Clock == define.Uptime, "save.mode", "never", "clock uptime", "that goes on while the owner is away"},
		{v.Mode == define.SaveNever && v.Offline != define.OfflineNone, "save.offline_pulses", v.Offline.String(), "mode never", "nothing comes back"},
		{v.Mode == define.SaveNever && v.OfflineExpire != define.OfflineNotify, "save.offline_expire", v.OfflineExpire.String(), "mode never", "nothing comes back"},
		{v.Mode != define.SaveNever && still && v.Offline != define.OfflineNone && s.Pulses(), "save.offline_pulses", v.Offline.String(), "clock online", "that stands still while the owner is away"},
		{v.Mode != define.SaveNever && still && v.OfflineExpire != define.OfflineNotify, "save.offline_expire", v.OfflineExpire.String(), "clock online", "that stands still while the owner is away"},
	}
}

// aboveZero reports whether a number is present and can never be zero.
func aboveZero(n *define.Number) bool {
	switch {
	case n == nil:
		return false
	case n.From == define.FromConst:
		return n.Const > 0
	case n.From == define.FromCurve && n.Curve != nil:
		return !slices.ContainsFunc(n.Curve.Points(), func(p define.Point) bool { return p.Value <= 0 })
	}
	return false
}
