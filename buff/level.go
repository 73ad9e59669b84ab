package buff

// level gives the instance the level of a further application, by its rule.
func (s *Set) level(i *instance, a *Application) {
	switch a.Spec.Stack.Level {
	case LevelSum:
		i.level = int16(min(int(i.level)+a.Level, MaxLevel))
	default:
		i.level = int16(a.Level) // not a lower one where the higher wins
	}
}
