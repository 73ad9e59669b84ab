package compile

import (
	"math"
	"reflect"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// identity identifies a catalog to its successors without keeping the catalog in memory.
type identity struct{ _ byte }

// Succeeds reports whether c was made from the catalog `before`, or is the same catalog.
func (c *Catalog) Succeeds(before *Catalog) bool {
	n := len(before.ancestry)
	return len(c.ancestry) >= n && c.ancestry[n-1] == before.ancestry[n-1]
}

// Version returns the version of p in c, or nil if c no longer has the definition. The result
// `known` reports whether p belongs to c or to a catalog that c succeeds.
func (c *Catalog) Version(p *Program) (newest *Program, known bool) {
	switch {
	case p == nil || !c.Succeeds(p.Catalog):
		return nil, false
	case p.Catalog == c:
		return p, true
	}
	return c.latest[p.Compiled().Lineage-1], true
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
	note := func(p *Program, kind define.ChangeKind) {
		c.Changes = append(c.Changes, define.SpecChange{ID: p.ID, Kind: kind})
	}
	for _, p := range c.Programs {
		r := &c.revisions[p.Compiled().Lineage-1]
		switch was := before.ByID[p.ID]; {
		case was == nil:
			*r++ // an earlier catalog may have had a definition with this ID, and buffs may still use it
			note(p, define.SpecAdded)
		case !equalValues(reflect.ValueOf(was.Spec), reflect.ValueOf(p.Spec)):
			*r++
			note(p, define.SpecChanged)
		}
		p.Compiled().Revision = *r
	}
	for _, p := range before.Programs {
		if c.latest[p.Compiled().Lineage-1] == nil {
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
