package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/compile"
)

// Rereads reports whether the definition, or a definition that it can apply, reads an attribute of
// its source with [define.SnapshotApply] after the application, for example at an act. The source
// must then be read before every command and Run: see [Owner.Reread].
func Rereads(s *buff.Spec) bool { return compile.Of(s).Rereads }

// Rereads reports whether the owner may have buffs for whose definitions [Rereads] is true. If
// not, [Owner.Reread] has no effect.
func (s *Owner) Rereads() bool { return s.rare != nil && s.rare.rereads }

// Reread reads the attributes with [define.SnapshotApply] of all sources of the owner's buffs
// again. It gets the Owner of a source from [Turn.Source]. If a source cannot be read, its last
// values are kept. If Rereads reports true, call Reread before every command and every Run. Reread
// costs O(buffs).
func (s *Owner) Reread(t *Turn) {
	if !s.Rereads() {
		return
	}
	found := false
	for i := s.first(); i.exists(); i = i.next() {
		spec := i.program()
		if !spec.Rereads {
			continue
		}
		found = true
		k := i.magnitudes()
		if k == &noMagnitudes {
			continue
		}
		k.captured = reread(t, s, k.captured, spec, i.source)
		if k.waiting == nil {
			continue
		}
		async := i.extra().async
		for j := range async {
			if l := &async[j]; l.numbers != 0 {
				w := k.waitingOf(l)
				w.captured = reread(t, s, w.captured, spec, l.source)
			}
		}
	}
	s.rare.rereads = found
}

// reread updates the captured attributes of one source.
func reread(t *Turn, s *Owner, list []buff.Captured, spec *compile.Program, id buff.OwnerID) []buff.Captured {
	if id == s.id || t.Source == nil {
		return list // the owner's own attributes are read when they are needed
	}
	from := t.Source(id)
	if from == nil {
		return list
	}
next:
	for _, w := range spec.Captures {
		if w.When != define.SnapshotApply {
			continue
		}
		v := from.sheet().ValueIn(attributeCatalog(t, s).Schema, w.Attr)
		for j := range list {
			if list[j].Attr == w.Attr && list[j].When == w.When {
				list[j].Value = v
				continue next
			}
		}
		list = append(list, buff.Captured{Attr: w.Attr, When: w.When, Value: v})
	}
	return list
}

// ofCast returns a copy of the captured attributes with [define.SnapshotCast], or nil if there are
// none.
func ofCast(list []buff.Captured) (out []buff.Captured) {
	for _, c := range list {
		if c.When == define.SnapshotCast {
			out = append(out, c)
		}
	}
	return out
}
