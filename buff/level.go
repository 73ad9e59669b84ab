package buff

// level gives the instance the level of a further application, by its rule.
func (s *Set) level(i *instance, a *Application) {
	switch a.Spec.Stack.Level {
	case LevelSum:
		s.setLevel(i, int16(min(int(i.level)+a.Level, MaxLevel)))
	default:
		s.setLevel(i, int16(a.Level)) // not a lower one where the higher wins
	}
}

// setLevel gives the instance a level. A period that goes by the level changes after the
// pulse to come.
func (s *Set) setLevel(i *instance, level int16) {
	was := i.level
	if i.level = level; i.spec.PeriodBy == nil || i.period == 0 {
		return
	}
	if is := i.spec.periodAt(int(level)); is != i.spec.periodAt(int(was)) {
		s.newPeriod(i, is)
	}
}
