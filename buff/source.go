package buff

import "github.com/bufftick/bufftick/buff/define"

// Rereads reports whether the definition can apply something later, or react to an act, with an attribute of its source that
// is read with [define.SnapshotApply]. Its source must then be read before anything happens to the owner: see [Set.Reread].
func (s *Spec) Rereads() bool { return s.program.rereads }

// Rereads reports whether the owner may have buffs of such definitions: whether [Set.Reread] would do anything.
func (s *Set) Rereads() bool { return s.rare != nil && s.rare.rereads }

// Reread reads again, with [define.SnapshotApply], the attributes of the sources of the owner's buffs, from the Sets that
// [Turn.Source] returns. If a source cannot be read, the values that were read last stay. Call it before commands and before
// Run.
//
// It costs O(buffs) if Rereads reports true.
func (s *Set) Reread(t *Turn) {
	if !s.Rereads() {
		return
	}
	found := false
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		i := s.slot(at)
		spec := s.specOf(i)
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
		return list // the owner is read when an application needs it
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
		v := from.Attribute(s.law(t), w.attr)
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

// ofCast returns a copy of the captured attributes with [define.SnapshotCast], nil if there are none.
func ofCast(list []Captured) (out []Captured) {
	for _, c := range list {
		if c.when == define.SnapshotCast {
			out = append(out, c)
		}
	}
	return out
}
