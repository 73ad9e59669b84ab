package buff

import "github.com/bufftick/bufftick/wheel"

// takeVersion makes a running instance one of another version of its definition, with the
// same rule of timers: what it grants and what is not plain about it changes at once, the
// pulse that is to come stays where it is.
func (s *Set) takeVersion(t *Turn, at uint16, spec *Spec) {
	i := &s.slots[at]
	if i.flags&hidden == 0 {
		s.take(t, at)
	}
	i.spec, i.period = spec, spec.period
	switch {
	case i.period == 0:
		i.beat = wheel.Never
	case i.beat == wheel.Never:
		i.beat = i.firstBeat(s.nowOf(t, i))
	}
	if spec.uses&usesExtra != 0 {
		s.needExtra(i).charges = int32(spec.Charges.N)
	}
	if spec.uses&usesInterrupt != 0 {
		s.needGates().acts |= spec.interrupt | spec.consumeOn
	}
	s.unsettle()
	if i.flags&hidden == 0 {
		s.give(t, at)
	}
}
