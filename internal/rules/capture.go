package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
)

// Numbers of a definition can read attributes of the source. Such an attribute is captured when the
// application is made or executed, because the source is another owner.

// Captures reports whether the definition, or any definition that it can apply directly or
// indirectly, reads attributes of its source. If not, [Capture] does nothing.
func Captures(s *buff.Spec) bool { return len(compile.Of(s).Captures) > 0 }

// Capture reads the attributes of the source that are needed by the definition and by all
// definitions that it can apply. It keeps values that were captured before.
//
// Call Capture twice: with SnapshotCast when the application is made, to read the attributes that
// have SnapshotCast, and with SnapshotApply when the application executes, to read the remaining
// attributes. Capture is not needed if the source is the owner itself, because the Owner reads its
// own attributes.
//
// The parameter `source` is the Owner of the source. If it is nil, the values stay missing: a
// number that needs such a value uses its default, or the application is denied. The catalog is
// Turn.Catalog.
//
// The values are appended to dst, and the extended slice is returned; Capture allocates only if
// dst is too short. The caller must have exclusive access to the Owner of the source: see the
// package documentation.
func Capture(a *buff.Application, dst []buff.Captured, source *Owner, c *buff.Catalog, when define.Snapshot) []buff.Captured {
	return capture(a, dst, source, compiledOf(c), when)
}

func capture(a *buff.Application, dst []buff.Captured, source *Owner, c *compile.Catalog, when define.Snapshot) []buff.Captured {
	from := len(dst)
	for _, w := range compile.Of(a.Spec).Captures {
		if v, ok := findCaptured(a.Captured, w.Attr, w.When); ok {
			dst = append(dst, buff.Captured{Attr: w.Attr, When: w.When, Value: v})
		} else if source != nil && (w.When == define.SnapshotCast || when != define.SnapshotCast) {
			dst = append(dst, buff.Captured{Attr: w.Attr, When: w.When, Value: source.sheet().ValueIn(c.Schema, w.Attr)})
		}
	}
	a.Captured = dst[from:len(dst):len(dst)]
	return dst
}

// Unknown reports whether [Capture] with SnapshotApply would read any attribute.
func Unknown(a *buff.Application) bool {
	for _, w := range compile.Of(a.Spec).Captures {
		if _, ok := findCaptured(a.Captured, w.Attr, w.When); !ok {
			return true
		}
	}
	return false
}

// Inherit sets the captured values of an application that an aura makes to a member. The aura is
// the buff of s with the handle h, and the owner with the state s is the source of the application.
// Values with SnapshotCast are copied from the aura; values with SnapshotApply are the present
// attributes of the owner. If the aura has ended, there are no values. The values are appended to
// dst, and the extended slice is returned.
func Inherit(a *buff.Application, dst []buff.Captured, s *Owner, c *buff.Catalog, h buff.Handle) []buff.Captured {
	from := len(dst)
	if i := s.lookup(h); i.exists() {
		for _, known := range i.magnitudes().captured {
			if known.When == define.SnapshotCast {
				dst = append(dst, known)
			}
		}
		for _, w := range compile.Of(a.Spec).Captures {
			if w.When == define.SnapshotApply {
				dst = append(dst, buff.Captured{Attr: w.Attr, When: w.When, Value: s.Attribute(c, w.Attr)})
			}
		}
	}
	a.Captured = dst[from:len(dst):len(dst)]
	return dst
}

// findCaptured returns the captured value of an attribute, and reports whether the list has it.
func findCaptured(list []buff.Captured, attr stat.Attr, when define.Snapshot) (float64, bool) {
	for k := range list {
		if c := &list[k]; c.Attr == attr && c.When == when {
			return c.Value, true
		}
	}
	return 0, false
}

// selectCaptured appends to dst the captured attributes that the definition reads.
func selectCaptured(s *compile.Program, dst, of []buff.Captured) []buff.Captured {
	for _, c := range s.Captures {
		if v, ok := findCaptured(of, c.Attr, c.When); ok {
			dst = append(dst, buff.Captured{Attr: c.Attr, When: c.When, Value: v})
		}
	}
	return dst
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
