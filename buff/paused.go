package buff

// Paused reports whether the owner's time stands still: something holds it, or its zone's.
// The time of single buffs may stand still besides; [Instance.Paused] says so.
func (s *Set) Paused() bool { return s.own != nil && s.own.num == 0 }
