package buff

// An instance names its definition by a number, and not by a pointer, so that the collector has nothing
// to look for in the instances of an owner: with a million buffs it would follow a million pointers to
// some hundred definitions. Nearly always all are of the Set's catalog. Those that are not, between
// a reload and the owner's [Set.Adopt] or where a definition is no more, stand in a list beside.

// specOf returns the definition of an instance, nil of a free slot.
func (s *Set) specOf(i *instance) *Spec {
	if i.def > 0 {
		return s.catalog.specs[i.def-1]
	}
	return s.otherOf(i)
}

// otherOf is specOf for an instance of another catalog, or none.
func (s *Set) otherOf(i *instance) *Spec {
	if i.def == 0 {
		return nil
	}
	return s.beside.others[-1-i.def]
}

// setSpec gives an instance a definition.
func (s *Set) setSpec(at uint16, spec *Spec) {
	s.forgetOther(at)
	i := &s.slots[at]
	if spec.catalog == s.catalog {
		i.def = int32(spec.index) + 1
		return
	}
	b := s.needBeside()
	if n := len(b.others); n <= int(at) {
		b.others = append(b.others, make([]*Spec, int(at)+1-n)...)
	}
	b.others[at] = spec
	i.def = -1 - int32(at)
}

// forgetOther ends the pointer that a slot may have to a definition of another catalog.
func (s *Set) forgetOther(at uint16) {
	if i := &s.slots[at]; i.def < 0 {
		s.beside.others[at] = nil
	}
}

// setCatalog makes a catalog that of the Set, and numbers the definitions anew.
func (s *Set) setCatalog(c *Catalog) {
	was := s.catalog
	s.catalog = c
	others := false
	for at := range s.slots {
		i := &s.slots[at]
		switch {
		case i.def > 0:
			spec := was.specs[i.def-1]
			i.def = 0
			s.setSpec(uint16(at), spec)
		case i.def < 0:
			s.setSpec(uint16(at), s.otherOf(i))
		}
		others = others || i.def < 0
	}
	if !others && s.beside != nil {
		s.beside.others = nil
	}
}
