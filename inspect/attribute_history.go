package inspect

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/rules/sheet"
	"github.com/bufftick/bufftick/wheel"
)

// Limits of the attribute history. The newest entries are kept.
const (
	maxInstants = 1000 // instants at which attributes may have changed
	maxThens    = 4000 // entries of all attributes together
)

// Reasons why an attribute is unknown.
const (
	unseenThen = "unknown: the player is busy, and its other buffs cannot be read"
	manyThen   = "unknown: the player has more buffs than are read"
	stacksThen = "depends on its stacks, which are unknown"
	numberThen = "depends on an unknown number"
	hiddenThen = "unknown whether it had an effect"
	orderThen  = "unknown which override was newer"
	otherThen  = "unknown, because it depends on an unknown value"
)

// attributeHistory computes the attributes of a player over the last minute. It starts with their
// present values and goes back in time, undoing the events and changes in the flight recorder.
type attributeHistory struct {
	schema  *stat.Schema
	layout  *sheet.Layout
	since   wheel.Time // all events and changes after this time are known
	o       *view.Owner
	bases   map[stat.Attr][]buff.Event // events that changed a base
	changes []buff.SheetChange         // changes to a base that no event reports
	buffs   []*buffHistory             // oldest first, as far as the order is known
	at      map[buff.Handle]*buffHistory
	unsure  string // reason why some modifiers may be missing; empty if all are known
}

// newAttributeHistory collects the data. It returns nil if the player is not in the game or the
// engine keeps no attributes.
func newAttributeHistory(o *view.Owner, r *history.Recorder, schema *stat.Schema) *attributeHistory {
	if schema == nil || !o.Present {
		return nil
	}
	t := &attributeHistory{schema: schema, layout: sheet.Compile(schema), o: o, bases: make(map[stat.Attr][]buff.Event), at: make(map[buff.Handle]*buffHistory)}
	q := history.Query{From: max(o.Since, r.Since()), To: o.Now, Owners: []buff.OwnerID{o.Owner}}
	events, changes := slices.Collect(r.Events(q)), slices.Collect(r.SheetChanges(q))
	// Read this last, because the recorder may have dropped data in the meantime.
	known := r.Since()
	events = slices.DeleteFunc(events, func(e buff.Event) bool { return e.Seen < known })
	changes = slices.DeleteFunc(changes, func(c buff.SheetChange) bool { return c.Seen < known })
	t.since = max(o.Since, o.Now-history.Span, known)
	for k := range o.Buffs {
		b := &o.Buffs[k]
		if c := t.buff(b.Handle, b.Source, b.Spec); c != nil {
			c.live, c.numbers = b, o.Numbers[k]
		}
	}
	for k := range events {
		t.happened(&events[k], k+1)
	}
	for _, c := range changes {
		if c.Handle == 0 {
			t.changes = append(t.changes, c)
		} else if x := t.at[c.Handle]; x != nil {
			x.changes = append(x.changes, c)
		}
	}
	slices.SortStableFunc(t.buffs, func(a, b *buffHistory) int { return a.order() - b.order() })
	switch {
	case o.Unseen:
		t.unsure = unseenThen
	case o.Carried > len(o.Buffs):
		t.unsure = manyThen
	}
	return t
}

// buff returns the history of a buff, which it creates if necessary. It returns nil if the
// definition has no modifiers.
func (t *attributeHistory) buff(h buff.Handle, source buff.OwnerID, spec *buff.Spec) *buffHistory {
	c := t.at[h]
	if c == nil && len(spec.Modifiers) > 0 {
		c = &buffHistory{handle: h, source: source}
		t.at[h], t.buffs = c, append(t.buffs, c)
	}
	return c
}

func (t *attributeHistory) happened(e *buff.Event, n int) {
	switch {
	case e.Kind == buff.Changed:
		t.bases[e.Attr] = append(t.bases[e.Attr], *e)
	case e.Handle == 0 || e.Spec == nil:
	default:
		if c := t.buff(e.Handle, e.Source, e.Spec); c != nil {
			if e.Kind == buff.Applied || e.Kind == buff.Restored {
				c.begins = n
			}
			c.events = append(c.events, *e)
		}
	}
}

// base returns the base of an attribute at an instant, and whether it is known. If the base
// changed after that instant, the result is the old value in the first later change. Otherwise it
// is the present value. Some changes have no event and are in t.changes, for example when the base
// is lowered because the maximum has fallen.
func (t *attributeHistory) base(a stat.Attr, at wheel.Time) (float64, bool) {
	list := t.bases[a]
	n, _ := slices.BinarySearchFunc(list, at+1, func(e buff.Event, at wheel.Time) int { return cmp.Compare(e.At, at) })
	later := list[n:]
	for _, w := range t.changes {
		first := len(later) == 0 || w.At <= later[0].At
		after := slices.ContainsFunc(later, func(e buff.Event) bool { return e.At == w.At && e.Value == w.Was })
		if w.Attr == a && w.At > at && first && !after {
			return w.Was, true
		}
	}
	switch {
	case len(later) > 0:
		return later[0].Value - later[0].Delta, true
	case int(a) <= len(t.o.Attributes):
		return t.o.Attributes[a-1].Base, true
	case n > 0:
		return list[n-1].Value, true
	}
	return 0, false
}

// sheetState is the state of all attributes at an instant.
type sheetState struct {
	sheet     *sheet.Sheet
	modifiers []modifierState
	based     []bool // for each attribute, whether its base is known
	// for each attribute, the reason why its value is unknown; empty if it is known
	unsure []string
}

// sheet computes the attributes at an instant.
func (t *attributeHistory) sheet(at wheel.Time) *sheetState {
	n := t.schema.Len() + 1
	s := &sheetState{sheet: sheet.New(t.layout, 0), based: make([]bool, n), unsure: make([]string, n)}
	for a := range t.schema.All() {
		v, known := t.base(a, at)
		if s.based[a] = known; !known || s.sheet.SetBase(a, v) != nil || t.unsure != "" {
			s.unsure[a] = cmp.Or(t.unsure, otherThen)
		}
	}
	for _, c := range t.buffs {
		for _, m := range c.modifiers(at) {
			s.put(m)
		}
	}
	// repeat, because the limit of an attribute may be a second attribute, which may itself have a
	// limit
	for range n {
		for a, law := range t.schema.All() {
			if s.unsure[a] == "" && (s.unknownLimit(t.schema, law.Min) || s.unknownLimit(t.schema, law.Max)) {
				s.unsure[a] = otherThen
			}
		}
		if t.unsure != "" || !slices.ContainsFunc(s.unsure, func(why string) bool { return why != "" }) {
			break
		}
	}
	return s
}

// put adds a modifier to the sheet, or marks its attribute as unknown.
func (s *sheetState) put(m modifierState) {
	if int(m.Attr) >= len(s.unsure) {
		return // the modifier is from another catalog, which has more attributes
	}
	if m.Op == stat.Override && m.of.order() == 0 && slices.ContainsFunc(s.modifiers, func(o modifierState) bool {
		return o.Op == stat.Override && o.Attr == m.Attr && o.Channel == m.Channel
	}) {
		m.unsure = orderThen
	}
	s.modifiers = append(s.modifiers, m)
	if m.unsure == "" {
		if _, err := s.sheet.Add(m.Modifier); err != nil {
			m.unsure = otherThen
		}
	}
	if m.unsure != "" {
		s.unsure[m.Attr] = cmp.Or(s.unsure[m.Attr], otherThen)
	}
}

// unknownLimit reports whether a limit is an attribute whose value is unknown.
func (s *sheetState) unknownLimit(schema *stat.Schema, l stat.Limit) bool {
	a, _ := schema.Attr(l.String())
	return a != 0 && s.unsure[a] != ""
}
