package buff

import (
	"fmt"
	"iter"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/sheet"
	"github.com/bufftick/bufftick/wheel"
)

// An owner has a sheet of its own from the moment at which something is different from
// what the catalog says.

// Attribute returns an attribute of the owner with all that its buffs make of it, within
// its limits. The catalog is that of the Turns; Attribute panics if it has no such
// attribute. O(1) unless something has changed.
func (s *Set) Attribute(c *Catalog, a stat.Attr) float64 { return s.attributeValue(c, a) }

// Base returns an attribute of the owner without what its buffs make of it. It panics as
// Attribute does.
func (s *Set) Base(c *Catalog, a stat.Attr) float64 {
	if s.sheet() == nil || s.sheet().Attrs() < int(a) {
		return c.schema.At(a).Base
	}
	return s.sheet().Base(a)
}

// Attributes returns the owner's attributes in the order of the catalog, none if that has
// none. It may allocate; it is for those who look, not for rules.
func (s *Set) Attributes(c *Catalog) iter.Seq[stat.View] {
	switch {
	case c.schema == nil:
		return func(func(stat.View) bool) {}
	case s.sheet() == nil:
		return sheet.New(c.schema, 0).All()
	case s.sheet().Attrs() >= c.schema.Len():
		return s.sheet().All()
	}
	return func(yield func(stat.View) bool) {
		for v := range s.sheet().All() {
			if !yield(v) {
				return
			}
		}
		for a := stat.Attr(s.sheet().Attrs() + 1); int(a) <= c.schema.Len(); a++ {
			law := c.schema.At(a)
			if !yield(stat.View{Attr: a, Name: law.Name, Base: law.Base, Value: s.attributeValue(c, a)}) {
				return
			}
		}
	}
}

// Modifiers returns what lies on an attribute of the owner, the oldest first; in Of stands the
// [Handle] of the buff that put it there. It panics as Attribute does. Nothing may be changed
// while the loop over it runs.
func (s *Set) Modifiers(c *Catalog, a stat.Attr) iter.Seq[stat.Modifier] {
	c.schema.At(a)
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

// attributeCatalog returns the catalog that says what attributes there are, nil if nobody knows.
func (s *Set) attributeCatalog(t *Turn) *Catalog {
	if t.Catalog != nil {
		return t.Catalog
	}
	return s.catalog
}

func (s *Set) attributeValue(c *Catalog, a stat.Attr) float64 {
	if s.sheet() == nil {
		return c.schema.At(a).Base
	}
	if int(a) > s.sheet().Attrs() {
		return s.sheet().ValueIn(c.schema, a)
	}
	return s.sheet().Value(a)
}

// ownSheet returns the sheet, nil if the owner's attributes are as the catalog says.
func (s *Set) sheet() *sheet.Sheet {
	if s.rare == nil {
		return nil
	}
	return s.rare.sheet
}

// ensureSheet returns the sheet, with all attributes of a catalog. It is for those who change it: who
// reads takes an attribute that came with a reload as its definition says.
func (b *rareState) ensureSheet(c *Catalog) *sheet.Sheet {
	if b.sheet == nil {
		b.sheet = sheet.New(c.schema, 0)
	}
	b.sheet.Grow(c.schema)
	return b.sheet
}

// changeBase does a command about the base of an attribute: of the game, or of a definition.
func (s *Set) changeBase(t *Turn, c *Command) Result {
	law := s.attributeCatalog(t)
	if c.Application.Spec != nil {
		law = c.Application.Spec.program.catalog
	}
	switch {
	case law == nil || law.schema == nil || c.Attr == 0 || int(c.Attr) > law.schema.Len():
		return Result{Err: fmt.Errorf("%w: number %d", ErrAttribute, c.Attr)}
	case !finite(c.Value):
		return Result{Err: fmt.Errorf("%w: %s: %v", ErrValue, law.schema.At(c.Attr).Name, c.Value)}
	}
	switch c.Verb {
	case verb.Damage:
		return s.damage(t, c, law)
	case verb.AddBase:
		if c.Value == 0 && s.withinLimits(law, c.Attr) {
			return Result{}
		}
	}
	return s.rebase(t, c, law, c.Value, hit{})
}

// rebase changes the base and emits the event. Then spent shields break, the acts of damage follow, and the owner may die.
func (s *Set) rebase(t *Turn, c *Command, law *Catalog, v float64, h hit) Result {
	sheet := s.ensureRare().ensureSheet(law)
	least, _ := sheet.Limits(c.Attr)
	was, delta, err := sheet.Base(c.Attr), 0.0, error(nil)
	if c.Verb == verb.SetBase {
		delta, err = v-was, sheet.SetBase(c.Attr, v)
	} else {
		delta, err = sheet.AddBase(c.Attr, v)
	}
	if err != nil {
		panic("buff: a value that was checked: " + err.Error())
	}
	is := sheet.Base(c.Attr)
	s.markOwner(journal.Attributes)
	if is-delta != was && t.SheetChanged != nil { // it was beyond a limit, or the sum was rounded
		t.SheetChanged(SheetChange{At: t.at, Seen: t.Now, Owner: s.owner, Place: -1, Attr: c.Attr, Was: was})
	}
	t.emit(s, &Event{
		Kind: Changed, Spec: c.Application.Spec, Source: c.Application.Source, Attr: c.Attr, Name: law.schema.At(c.Attr).Name,
		Delta: delta, Value: is, Magnitude: h.absorbed, End: wheel.Never,
	})
	if h.spent {
		s.breakSpent(t)
	}
	if h.passed > 0 {
		s.reportDamage(t, c, law, h.passed)
	}
	if is <= least && (was > least || !s.Dead()) {
		s.reachedMinimum(t, law, c.Attr, &c.Application)
	}
	return Result{Kind: Changed, Amount: h.absorbed}
}

// withinLimits reports whether the base of an attribute is within the limits that it has now.
func (s *Set) withinLimits(law *Catalog, a stat.Attr) bool {
	sheet := s.ensureRare().ensureSheet(law)
	least, most := sheet.Limits(a)
	base := sheet.Base(a)
	return least <= base && base <= max(least, most)
}

// reachedMinimum does what the definition of an attribute says about one that has come down to its minimum, by a
// source and a buff.
func (s *Set) reachedMinimum(t *Turn, law *Catalog, a stat.Attr, by *Application) {
	if law.attributes[a-1].AtMin == define.AtMinKill {
		t.Issue(s, &Command{Verb: verb.Kill, Application: Application{Spec: by.Spec, Source: by.Source}})
	}
}

// clampBases brings bases down to maxima that have fallen below them, for good: what a maximum has taken away
// does not come back with it. A minimum that has risen to a base counts as reached.
//
// It comes after a command or a due event as a whole: a buff that replaces another one of the same maximum
// costs nothing. Story: testdata/stat/maximum_falls.txt.
func (s *Set) clampBases(t *Turn) {
	sheet, law := s.rare.sheet, s.attributeCatalog(t)
	for c, ok := sheet.NextCut(); ok; c, ok = sheet.NextCut() {
		s.markOwner(journal.Attributes)
		if c.Fell && t.SheetChanged != nil {
			t.SheetChanged(SheetChange{At: t.at, Seen: t.Now, Owner: s.owner, Place: -1, Attr: c.Attr, Was: c.Was})
		}
		if least, _ := sheet.Limits(c.Attr); sheet.Base(c.Attr) <= least && (c.Fell && c.Was > least || c.Rose && !s.Dead()) {
			s.reachedMinimum(t, law, c.Attr, &Application{})
		}
	}
}

// evaluateAtAct evaluates a number of an action that reads the amount of the act e.
//
// Story: testdata/stat/amount.txt.
func (s *Set) evaluateAtAct(t *Turn, n *number, e *Event, stacks int32, k *magnitudes) (float64, Reason) {
	q := asked{
		set: s, turn: t, spec: e.Spec.program, captured: k.captured, own: e.Source == s.owner,
		level: int(e.Level), stacks: stacks, amount: e.Magnitude,
	}
	if at := s.lookup(e.Handle); at != nil {
		q.magnitude = at.magnitude
	}
	return q.evaluate(n)
}

// issueChange issues what an action does to an attribute, for what has happened.
func (s *Set) issueChange(t *Turn, o *op, e *Event, source OwnerID, k *magnitudes) {
	c, stacks, share := o.change, e.Stacks, t.shareOf(e)
	switch e.Kind {
	case Denied:
		stacks = e.Spec.program.limit // of an overflow
	case Executed:
		stacks = share.instantStacks()
	case Reacted, Died, Removed:
		stacks = int32(e.Spec.program.counted(int16(stacks)))
	}
	v, ok := t.numberOf(e.Spec.program, c, k, stacks)
	if c.atAct != nil {
		var why Reason
		if v, why = s.evaluateAtAct(t, c.atAct, e, stacks, k); why != NoReason {
			fault := Event{Kind: Faulted, Why: why, Spec: e.Spec, Source: e.Source, Handle: e.Handle, Magnitude: e.Magnitude, End: wheel.Never}
			if why == NoParam {
				fault.Name = t.worked.missing
			}
			t.emit(s, &fault)
			return
		}
		if ok = true; c.perStack {
			v = float64(v * float64(stacks))
		}
	}
	if v = share.scale(v); !ok || !finite(v) {
		t.emit(s, &Event{Kind: Faulted, Why: BadValue, Spec: e.Spec, Source: e.Source, Handle: e.Handle, Magnitude: e.Magnitude, End: wheel.Never})
		return
	}
	do := verb.AddBase
	if o.do == define.DoDamage {
		do = verb.Damage
	}
	s.issueAction(t, o, e, source, &Command{Verb: do, Attr: c.attr, Value: v, Tag: c.school, Application: Application{Spec: e.Spec, Source: source}})
}
