package buff

// interrupt: the owner did something that ends buffs.
func (s *Set) interrupt(t *Turn, act Act) Result {
	var r Result
	if s.gates == nil || s.gates.acts&act.bit() == 0 {
		return r
	}
	s.each(func(at uint16) {
		if spec := s.slots[at].spec; spec.interrupt&act.bit() != 0 {
			s.endNamed(t, at, Interrupt, spec.catalog.ActName(act))
			r.Amount++
		}
	})
	return r
}
