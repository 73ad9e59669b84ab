package buff

import (
	"math"
	"reflect"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// Changes returns the differences between c and the catalog from which [Catalog.Next] or
// [Catalog.Rebuild] made c. It lists first the new and changed definitions, in the order of c, and
// then the removed definitions. Definitions are compared by their contents, formulas by their text,
// and curves by their points. A catalog that was not made from another catalog has no changes.
func (c *Catalog) Changes() []define.SpecChange { return slices.Clone(c.changes) }

// identity identifies a catalog to its successors without keeping the catalog in memory.
type identity struct{ _ byte }

// Succeeds reports whether c was made from the catalog before by any number of calls of
// [Catalog.Next] and [Catalog.Rebuild]. It also returns true if c and before are the same catalog.
func (c *Catalog) Succeeds(before *Catalog) bool {
	n := len(before.ancestry)
	return len(c.ancestry) >= n && c.ancestry[n-1] == before.ancestry[n-1]
}

// Newest returns the version of a definition in c, or nil if c no longer has the definition. The
// result known reports whether s belongs to c or to a catalog that c succeeds: see
// [Catalog.Succeeds].
func (c *Catalog) Newest(s *Spec) (newest *Spec, known bool) {
	if s == nil {
		return nil, false
	}
	p, known := c.version(s.program)
	return p.spec(), known
}

// version is Newest for programs.
func (c *Catalog) version(p *program) (newest *program, known bool) {
	switch {
	case p == nil || !c.Succeeds(p.catalog):
		return nil, false
	case p.catalog == c:
		return p, true
	}
	return c.latest[p.lineage-1], true
}

// findChanges computes the changes and the revision of each definition.
func (c *Catalog) findChanges(before *Catalog) {
	c.revisions = make([]uint32, len(c.latest))
	if before == nil {
		c.ancestry = []*identity{new(identity)}
		return
	}
	copy(c.revisions, before.revisions)
	c.ancestry = append(slices.Clip(before.ancestry), new(identity))
	note := func(p *program, kind define.ChangeKind) {
		c.changes = append(c.changes, define.SpecChange{ID: p.ID, Kind: kind})
	}
	for _, p := range c.programs {
		r := &c.revisions[p.lineage-1]
		switch was := before.byID[p.ID]; {
		case was == nil:
			*r++ // an earlier catalog may have had this ID, and its version may still run
			note(p, define.SpecAdded)
		case !equalValues(reflect.ValueOf(was.Spec), reflect.ValueOf(p.Spec)):
			*r++
			note(p, define.SpecChanged)
		}
		p.revision = *r
	}
	for _, p := range before.programs {
		if c.latest[p.lineage-1] == nil {
			note(p, define.SpecRemoved)
		}
	}
}

// equalValues reports whether two definitions, or parts of them, have equal contents.
func equalValues(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() && !equalValues(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() || a.Pointer() == b.Pointer() {
			return a.IsNil() == b.IsNil()
		}
		if c, ok := a.Interface().(*define.Curve); ok {
			return slices.Equal(c.Points(), b.Interface().(*define.Curve).Points())
		}
		return equalValues(a.Elem(), b.Elem())
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		f, ok := a.Interface().(define.Formula)
		g, too := b.Interface().(define.Formula)
		if !ok || !too {
			return reflect.DeepEqual(a.Interface(), b.Interface()) // Spec.Data
		}
		// A formula's curves may change while its text does not.
		if s, ok := f.(interface{ Same(define.Formula) bool }); ok {
			return s.Same(g)
		}
		return f.String() == g.String()
	case reflect.Float64: // a field that no number reads may be NaN
		return a.Float() == b.Float() || math.IsNaN(a.Float()) && math.IsNaN(b.Float())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equalValues(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for _, key := range a.MapKeys() {
			if v := b.MapIndex(key); !v.IsValid() || !equalValues(a.MapIndex(key), v) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}
