package buff

import "fmt"

// immuneTo reports whether the owner is immune to a definition: by a tag that the game
// gave, or by a buff other than the one in the slot except.
func (s *Set) immuneTo(spec *Spec, except uint16) bool {
	g := s.gates
	if len(g.immune) > 0 {
		for _, t := range spec.tags {
			if g.immune.has(t) {
				return true
			}
		}
	}
	if g.immunities == 0 {
		return false
	}
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		i := &s.slots[at]
		if i.spec.uses&usesImmunity != 0 && i.flags&hidden == 0 && at != except && i.spec.immunity.matches(spec) {
			return true
		}
	}
	return false
}

// immunize makes the owner immune to a tag once more, or once less.
func (s *Set) immunize(t *Turn, c *Command) Result {
	if c.Tag == 0 {
		return Result{Err: fmt.Errorf("%w: an immunity against none", ErrTag)}
	}
	g := s.needGates()
	if c.Verb == Expose && !g.immune.has(c.Tag) {
		return Result{}
	}
	s.flushAll(t, func(spec *Spec) bool { return has(spec.tags, c.Tag) })
	if c.Verb == Expose {
		g.immune.drop([]Tag{c.Tag})
		return Result{}
	}
	g.immune.add([]Tag{c.Tag})
	n := int64(0)
	s.each(func(at uint16) {
		i := &s.slots[at]
		if has(i.spec.tags, c.Tag) && (i.spec.Immune == ImmuneRemove || c.Purge && i.spec.Immune != ImmuneIgnore) {
			s.end(t, at, Immunity)
			n++
		}
	})
	return Result{Amount: n}
}

// purgeImmune ends what a new immunity of the buff in the slot at removes.
func (s *Set) purgeImmune(t *Turn, at uint16) {
	m := &s.slots[at].spec.immunity
	s.each(func(other uint16) {
		if spec := s.slots[other].spec; other != at && spec.Immune == ImmuneRemove && m.matches(spec) {
			s.end(t, other, Immunity)
		}
	})
}

// suppressed reports whether a pulse of the instance has no effect, and if it is for
// immunity, why.
func (s *Set) suppressed(at uint16) (bool, Reason) {
	i := &s.slots[at]
	if i.flags&hidden != 0 {
		return true, NoReason
	}
	if s.gates != nil && i.spec.Immune == ImmuneSuppress && s.immuneTo(i.spec, at) {
		return true, Immune
	}
	return false, NoReason
}
