package buff

import "github.com/bufftick/bufftick/buff/define"

// Rereads reports whether the definition, or a definition that it can apply, reads an attribute of
// its source with [define.SnapshotApply] after the application, for example at an act. The source
// must then be read before every command and Run: see [Set.Reread].
func (s *Spec) Rereads() bool { return programFor(s).rereads }

// Rereads reports whether the owner may have buffs for whose definitions [Spec.Rereads] is true. If
// not, [Set.Reread] has no effect.
func (s *Set) Rereads() bool { return s.rare != nil && s.rare.rereads }

// Reread reads the attributes with [define.SnapshotApply] of all sources of the owner's buffs
// again. It gets the Set of a source from [Turn.Source]. If a source cannot be read, its last
// values are kept. If Rereads reports true, call Reread before every command and every Run. It
// costs O(buffs).
func (s *Set) Reread(t *Turn) {
	if !s.Rereads() {
		return
	}
	found := false
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		i := s.slot(at)
		spec := s.programOf(i)
		if !spec.rereads {
			continue
		}
		found = true
		k := s.magnitudesOf(i)
		if k == &noMagnitudes {
			continue
		}
		k.captured = s.reread(t, k.captured, spec, i.source)
		if k.waiting == nil {
			continue
		}
		async := s.extraOf(i).async
		for j := range async {
			if l := &async[j]; l.numbers != 0 {
				w := k.waitingOf(l)
				w.captured = s.reread(t, w.captured, spec, l.source)
			}
		}
	}
	s.rare.rereads = found
}

// reread updates the captured attributes of one source.
func (s *Set) reread(t *Turn, list []Captured, spec *program, id OwnerID) []Captured {
	if id == s.owner || t.Source == nil {
		return list // the owner's own attributes are read when they are needed
	}
	from := t.Source(id)
	if from == nil {
		return list
	}
next:
	for _, w := range spec.captures {
		if w.when != define.SnapshotApply {
			continue
		}
		v := from.attributeValue(s.attributeCatalog(t), w.attr)
		for j := range list {
			if list[j].attr == w.attr && list[j].when == w.when {
				list[j].value = v
				continue next
			}
		}
		list = append(list, Captured{w.attr, w.when, v})
	}
	return list
}

// ofCast returns a copy of the captured attributes with [define.SnapshotCast], nil if there are
// none.
func ofCast(list []Captured) (out []Captured) {
	for _, c := range list {
		if c.when == define.SnapshotCast {
			out = append(out, c)
		}
	}
	return out
}
