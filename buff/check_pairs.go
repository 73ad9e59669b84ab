package buff

// pair is a word of a definition that can have no effect beside another one.
type pair struct {
	both        bool
	field, word string // what has no effect
	other, text string // beside what, and why
}

// pairs refuses words that cannot take effect together: whoever wrote both meant something
// that does not happen. What needs a period, charges or a tag is refused where that is checked.
func (k *checker) pairs(s *Spec) {
	for _, lists := range [...][]pair{s.hastePairs(), s.alonePairs(), s.timerPairs(), s.otherPairs()} {
		for i := range lists {
			if p := &lists[i]; p.both {
				k.failf(p.field, "%s has no effect with %s: %s", p.word, p.other, p.text)
			}
		}
	}
}

// hastePairs are about the scaling of durations. Without a period that is refused where the period is checked.
func (s *Spec) hastePairs() []pair {
	if !s.HasteDuration || !s.pulses() {
		return nil
	}
	const field, word = "haste_duration", "true"
	return []pair{
		{s.Haste == HasteSnapshot, field, word, "haste snapshot", "that changes nothing before the next refresh; say haste: next or rescale"},
		{s.Stack.Timers == TimersEach, field, word, "timers each", "each stack keeps its own end"},
		{s.Kind == Infinite, field, word, "duration infinite", "there is no end to scale"},
	}
}

// alonePairs are about further applications where none joins a live instance.
func (s *Spec) alonePairs() []pair {
	st := &s.Stack
	if st.By != ByNone {
		return nil
	}
	const other, text = "by none", "each application is a buff of its own; say by: source or target"
	return []pair{
		{st.Refresh != RefreshRestart, "stack.refresh", st.Refresh.String(), other, text},
		{st.Phase != PhaseKeep, "stack.phase", st.Phase.String(), other, text},
		{st.Overflow != OverflowAllow, "stack.overflow", st.Overflow.String(), other, text},
		{len(st.OverflowApply) > 0, "stack.overflow_apply", "a list", other, text},
		{st.Level != LevelIgnore, "stack.level", st.Level.String(), other, text},
		{st.Timers == TimersQueue, "stack.timers", st.Timers.String(), other, text},
		{s.Charges.N != 0 && s.Charges.Refresh != ChargesReset, "charges.on_refresh", s.Charges.Refresh.String(), other, text},
		{len(s.On.Refresh) > 0, "on.refresh", "a list", other, text},
		{len(s.On.Overflow) > 0, "on.overflow", "a list", other, text},
	}
}

// timerPairs are about stacks with times of their own, and about applications that wait.
func (s *Spec) timerPairs() []pair {
	st := &s.Stack
	switch st.Timers {
	case TimersEach:
		end := st.Refresh != RefreshRestart && st.Refresh != RefreshNone
		return []pair{
			{end, "stack.refresh", st.Refresh.String(), "timers each", "each stack has its own end; at the limit restart gives the one that ends first a new one, and none leaves it"},
		}
	case TimersQueue:
		const other, one = "timers queue", "one application runs, with one stack"
		return []pair{
			{st.Initial > 1, "stack.initial", "more than 1", other, one},
			{len(st.Thresholds) > 0, "stack.thresholds", "a list", other, one},
			{s.Dispel.Per == PerStack, "dispel.per", "stack", other, one},
			{st.Level == LevelSum, "stack.level", "sum", other, "each application has its own level"},
			{st.Refresh != RefreshRestart, "stack.refresh", st.Refresh.String(), other, "a further application waits, and moves no end"},
			{len(s.On.Refresh) > 0, "on.refresh", "a list", other, "a further application waits, and refreshes nothing"},
			{s.First == FirstEvery, "first", "every", other, "a further application waits; say first: start"},
		}
	}
	return nil
}

// otherPairs are the rest.
func (s *Spec) otherPairs() []pair {
	st, v := &s.Stack, &s.Save
	const beat = "there is no beat to change"
	still := s.Clock == Online
	return []pair{
		{len(s.On.Refresh) > 0 && st.By != ByNone && st.Refresh == RefreshNone, "on.refresh", "a list", "refresh none", "nothing is refreshed"},
		{st.Phase != PhaseKeep && st.By != ByNone && !s.pulses(), "stack.phase", st.Phase.String(), "no period", beat},
		{s.Inhibition != InhibitionKeep && !s.pulses(), "inhibition", s.Inhibition.String(), "no period", beat},
		{s.Inhibition == InhibitionReset && s.Align == AlignOwner, "inhibition", "reset", "align owner", "the beat is that of all"},
		{v.Mode == SaveNever && s.Clock == Uptime, "save.mode", "never", "clock uptime", "that goes on while the owner is away"},
		{v.Mode == SaveNever && v.Offline != OfflineNone, "save.offline_pulses", v.Offline.String(), "mode never", "nothing comes back"},
		{v.Mode == SaveNever && v.OfflineExpire != OfflineNotify, "save.offline_expire", v.OfflineExpire.String(), "mode never", "nothing comes back"},
		{v.Mode != SaveNever && still && v.Offline != OfflineNone && s.pulses(), "save.offline_pulses", v.Offline.String(), "clock online", "that stands still while the owner is away"},
		{v.Mode != SaveNever && still && v.OfflineExpire != OfflineNotify, "save.offline_expire", v.OfflineExpire.String(), "clock online", "that stands still while the owner is away"},
	}
}
