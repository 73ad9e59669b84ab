package rules

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/sheet"
	"github.com/bufftick/bufftick/wheel"
)

// An attribute of an owner is a base value with the modifiers of its buffs. Commands and actions
// change the base, within the limits of the attribute; see package sheet.

// An owner gets its own sheet when one of its attributes first differs from the catalog.

// Attribute returns the value of an attribute of the owner, with all modifiers, within its
// limits. The catalog is Turn.Catalog; Attribute panics if the catalog does not have the attribute.
// A call costs O(1) if no modifier has changed since the previous call.
func (s *Owner) Attribute(c *buff.Catalog, a stat.Attr) float64 {
	return s.sheet().ValueIn(compiledOf(c).Schema, a)
}

// Base returns the value of an attribute of the owner without modifiers. It panics if the catalog
// does not have the attribute.
func (s *Owner) Base(c *buff.Catalog, a stat.Attr) float64 {
	return s.sheet().BaseIn(compiledOf(c).Schema, a)
}

// Attributes returns the owner's attributes in the order of the catalog. It is meant for
// inspection, not for rules.
func (s *Owner) Attributes(c *buff.Catalog) iter.Seq[stat.View] {
	return s.sheet().All(compiledOf(c).Schema)
}

// Modifiers returns the modifiers of an attribute of the owner, oldest first. The `Of` field of
// each [stat.Modifier] is the handle of the buff. Modifiers panics if the catalog does not have the
// attribute. The Owner must not be modified during the iteration.
func (s *Owner) Modifiers(c *buff.Catalog, a stat.Attr) iter.Seq[stat.Modifier] {
	compiledOf(c).Schema.At(a)
	return func(yield func(stat.Modifier) bool) {
		if s.sheet() == nil || s.sheet().Attrs() < int(a) {
			return
		}
		for _, m := range s.sheet().On(a) {
			if !yield(m) {
				return
			}
		}
	}
}

// attributeCatalog returns the catalog that defines the attributes, or nil if there is none.
func attributeCatalog(t *Turn, s *Owner) *compile.Catalog {
	if t.Catalog != nil {
		return t.compiled()
	}
	return s.catalog
}

// sheet returns the owner's own sheet, or nil if all attributes have the values in the catalog.
func (s *Owner) sheet() *sheet.Sheet {
	if s.rare == nil {
		return nil
	}
	return s.rare.sheet
}

// ensureSheet returns the owner's sheet for modification, with all attributes of a catalog. To read
// attributes, a sheet is not needed: an attribute that it does not have is read from the catalog.
func (b *rareState) ensureSheet(c *compile.Catalog) *sheet.Sheet {
	if b.sheet == nil {
		b.sheet = sheet.New(c.Schema, 0)
	}
	b.sheet.Grow(c.Schema)
	return b.sheet
}

// changeBase executes a command of the game or of a definition that changes the base of an
// attribute.
func changeBase(t *Turn, s *Owner, c *buff.Command) buff.Result {
	catalog := attributeCatalog(t, s)
	if c.Application.Spec != nil {
		catalog = compile.Of(c.Application.Spec).Catalog
	}
	switch {
	case catalog == nil || catalog.Schema == nil || c.Attr == 0 || int(c.Attr) > catalog.Schema.Len():
		return buff.Result{Failure: fmt.Errorf("%w: number %d", buff.ErrAttribute, c.Attr)}
	case !compile.Finite(c.Value):
		return buff.Result{Failure: fmt.Errorf("%w: %s: %v", buff.ErrValue, catalog.Schema.At(c.Attr).Name, c.Value)}
	}
	switch c.Verb {
	case verb.Damage:
		return damage(t, s, c, catalog)
	case verb.AddBase:
		if c.Value == 0 && s.withinLimits(catalog, c.Attr) {
			return buff.Result{}
		}
	}
	return rebase(t, s, c, catalog, c.Value, hit{})
}

// rebase changes the base of an attribute and emits a Changed. Then empty shields break, the damage
// is reported as acts, and the AtMin rule applies if the attribute has reached its minimum.
func rebase(t *Turn, s *Owner, c *buff.Command, catalog *compile.Catalog, v float64, h hit) buff.Result {
	sheet := s.ensureRare().ensureSheet(catalog)
	least, _ := sheet.Limits(c.Attr)
	was, delta, err := sheet.Base(c.Attr), 0.0, error(nil)
	if c.Verb == verb.SetBase {
		delta, err = v-was, sheet.SetBase(c.Attr, v)
	} else {
		delta, err = sheet.AddBase(c.Attr, v)
	}
	if err != nil {
		panic("rules: a value that was checked: " + err.Error())
	}
	is := sheet.Base(c.Attr)
	s.markOwner(journal.Attributes)
	if is-delta != was && t.SheetChanged != nil { // the base was beyond a limit, or the sum was rounded
		t.SheetChanged(buff.SheetChange{At: t.at, Seen: t.Now, Owner: s.id, Place: -1, Attr: c.Attr, Was: was})
	}
	t.emit(s, &buff.Event{
		Kind: buff.Changed, Spec: c.Application.Spec, Source: c.Application.Source, Attr: c.Attr, Name: catalog.Schema.At(c.Attr).Name,
		Delta: delta, Value: is, Magnitude: h.absorbed, End: wheel.Never,
	})
	if len(t.absorbed) > 0 {
		queueAbsorbActions(t, s, c)
	}
	if h.spent {
		breakSpent(t, s)
	}
	if h.passed > 0 {
		reportDamage(t, s, c, catalog, h.passed)
	}
	if is <= least && (was > least || !s.Dead()) {
		reachedMinimum(t, s, catalog, c.Attr, &c.Application)
	}
	return buff.Result{Kind: buff.Changed, Amount: h.absorbed}
}

// withinLimits reports whether the base of an attribute is within its present limits.
func (s *Owner) withinLimits(catalog *compile.Catalog, a stat.Attr) bool {
	sheet := s.ensureRare().ensureSheet(catalog)
	least, most := sheet.Limits(a)
	base := sheet.Base(a)
	return least <= base && base <= max(least, most)
}

// reachedMinimum applies the AtMin rule of an attribute that has reached its minimum. The parameter
// `by` has the source and the definition that caused the change.
func reachedMinimum(t *Turn, s *Owner, catalog *compile.Catalog, a stat.Attr, by *buff.Application) {
	if catalog.Attributes[a-1].AtMin == define.AtMinKill {
		t.Issue(s, &buff.Command{Verb: verb.Kill, Application: buff.Application{Spec: by.Spec, Source: by.Source}})
	}
}

// clampBases permanently lowers the base of each attribute whose maximum has fallen below it. If a
// minimum has risen to the base, it counts as reached.
//
// It runs after a whole command or due event, so that replacing a buff with one that has the same
// maximum has no effect. Example: testdata/stat/maximum_falls.txt.
func clampBases(t *Turn, s *Owner) {
	sheet, catalog := s.rare.sheet, attributeCatalog(t, s)
	for c, ok := sheet.NextCut(); ok; c, ok = sheet.NextCut() {
		s.markOwner(journal.Attributes)
		if c.Fell && t.SheetChanged != nil {
			t.SheetChanged(buff.SheetChange{At: t.at, Seen: t.Now, Owner: s.id, Place: -1, Attr: c.Attr, Was: c.Was})
		}
		if least, _ := sheet.Limits(c.Attr); sheet.Base(c.Attr) <= least && (c.Fell && c.Was > least || c.Rose && !s.Dead()) {
			reachedMinimum(t, s, catalog, c.Attr, &buff.Application{})
		}
	}
}

// OnSheet returns Modifiers[k] as it is on the sheet of an owner, for a number of stacks and the
// numbers that [Owner.Numbers] returns. The result `place` is the index of the number that
// determines the value, or below 0 if there is none. Missing numbers have their defaults.
func OnSheet(s *buff.Spec, k, stacks int, numbers []float64) (m stat.Modifier, place int) {
	p := compile.Of(s)
	c := &p.Modifiers[k]
	m = stat.Modifier{Attr: c.Attr, Op: c.Op, Channel: c.Channel}
	place = int(c.Value.Place)
	if p.Varies(c) { // Numbers has its value, after the numbers
		if place = len(p.Numbers) + k; place < len(numbers) {
			m.Value = numbers[place]
		}
		return m, place
	}
	e := effect{spec: p, k: &magnitudes{values: numbers}, stacks: int16(stacks)}
	m.Value, _ = e.amount(k)
	return m, place
}

// Varies reports whether the value of Modifiers[k] is itself an element of [Owner.Numbers], because
// it cannot be computed from one number and the number of stacks alone.
func Varies(s *buff.Spec, k int) bool { p := compile.Of(s); return p.Varies(&p.Modifiers[k]) }

// Numbers appends to dst the numbers of the buff with the given handle, for [OnSheet], and returns
// the extended slice. For a stale handle it appends none.
func (s *Owner) Numbers(h buff.Handle, dst []float64) []float64 {
	i := s.lookup(h)
	if !i.exists() {
		return dst
	}
	dst = append(dst, i.magnitudes().values...)
	if spec := i.program(); slices.ContainsFunc(spec.Modifiers, func(m compile.Modifier) bool { return spec.Varies(&m) }) {
		e := i.effect()
		for j := range spec.Modifiers {
			v, _ := e.amount(j)
			dst = append(dst, v)
		}
	}
	return dst
}

// newSheetChange returns a SheetChange about the present state of a buff.
func newSheetChange(t *Turn, i instance) buff.SheetChange {
	return buff.SheetChange{At: t.at, Seen: t.Now, Owner: i.owner.id, Handle: i.handle(), Spec: &i.program().Spec, Hidden: i.flags&hidden != 0, Place: -1}
}

// reportNumber reports a number that is about to change; NaN means that it is removed.
func reportNumber(t *Turn, i instance, place int, was, to float64) {
	if was != to && t.SheetChanged != nil && i.program().Modifies(place) {
		c := newSheetChange(t, i)
		c.Place, c.Was = place, was
		t.SheetChanged(c)
	}
}

// reportVarying reports the value of a modifier that varies and is about to change; NaN means that
// it is removed.
func reportVarying(t *Turn, i instance, j int, was, to float64) {
	spec := i.program()
	if was == to || !spec.Varies(&spec.Modifiers[j]) {
		return
	}
	c := newSheetChange(t, i)
	c.Place, c.Was, c.Hidden = len(spec.Numbers)+j, was, false
	t.SheetChanged(c)
}

// reportNumbers reports all numbers that are about to change; nil means that all are removed.
func reportNumbers(t *Turn, i instance, to []float64) {
	if i.program().Uses&compile.UsesModifiers == 0 || t.SheetChanged == nil {
		return
	}
	for place, v := range i.magnitudes().values {
		is := math.NaN()
		if place < len(to) {
			is = to[place]
		}
		reportNumber(t, i, place, v, is)
	}
}

// reportLastState reports the state of a buff that is about to end or to move to another version,
// since it cannot be read later.
func reportLastState(t *Turn, i instance, version bool) {
	if t.SheetChanged != nil && i.program().Uses&compile.UsesModifiers != 0 && (version || i.flags&hidden != 0) {
		t.SheetChanged(newSheetChange(t, i))
	}
	reportNumbers(t, i, nil)
}
