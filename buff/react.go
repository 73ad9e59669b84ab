package buff

// happened is what the buffs of an owner do about an act: those with actions for it react, the
// oldest first, then it uses charges and interrupts. What the actions do comes after all of that.
//
// Story: testdata/react.txt.
func (s *Set) happened(t *Turn, c *Command) Result {
	var r Result
	if s.gates == nil || s.gates.acts&c.Act.bit() == 0 {
		return r
	}
	s.each(func(at uint16) {
		i := &s.slots[at]
		if i.spec.reactsTo&c.Act.bit() == 0 || i.flags&hidden != 0 {
			return
		}
		e := s.tell(t, Reacted, at)
		e.Name, e.Target, e.Magnitude = i.spec.catalog.ActName(c.Act), c.Application.Source, c.Amount
		s.follow(t, i.spec.reactionTo(c.Act), s.magnitudesOf(i))
		r.Amount++
	})
	s.consume(t, c.Act)
	s.interrupt(t, c.Act)
	return r
}

// reactionTo returns the actions for an act.
func (s *Spec) reactionTo(act Act) []op {
	for k := range s.reactions {
		if s.reactions[k].act == act {
			return s.reactions[k].ops
		}
	}
	return nil
}
