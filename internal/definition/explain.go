package definition

import (
	"errors"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// maxHints is how many unknown IDs are compared with all the known ones.
const maxHints = 100

// explain reports what NewCatalog found, at the places of the fields. It leaves out
// what only follows from an error that was reported before.
func (l *loader) explain(err error) {
	if errors.Is(err, buff.ErrAttributes) {
		l.otherAttributes(err)
		return
	}
	var list buff.SpecErrors
	if !errors.As(err, &list) {
		return
	}
	ids := make([]string, len(l.defs))
	for i, d := range l.defs {
		ids[i] = d.spec.ID
	}
	refused := map[string]bool{}
	for _, e := range list {
		if e.Field == "id" {
			refused[e.ID] = true
		}
	}
	hints := 0
	for _, e := range list {
		if l.explainStated(e) {
			continue
		}
		d := l.byID[e.ID]
		if e.ID == "" {
			d = l.attrs.from
		}
		p := d.place(e.Field)
		if refused[p.ref] || p.bad || p.attrs && l.blind || d.doubtful(e.Field) || l.spoiled[d.shared(e.Field)] {
			continue
		}
		text := e.Text
		if p.ref != "" && l.byID[p.ref] == nil {
			if l.blind {
				continue
			}
			if hints++; hints <= maxHints {
				text += didYouMean(misspelt.Near(p.ref, ids))
			}
		}
		l.add(d.src, p.position, e.ID, e.Field, "%s", text)
	}
}

// otherAttributes reports which attributes that the owners have were changed or taken away.
func (l *loader) otherAttributes(cause error) {
	var list buff.SpecErrors
	errors.As(cause, &list)
	d := l.attrs.from
	if d == nil {
		if l.failed == 0 { // perhaps they stand in a file that could not be read
			l.whole("", cause, "no attributes: the owners have some, and they stay while the game runs")
		}
		return
	}
	for _, e := range list {
		p, ok := d.places.get(e.Field)
		if !ok {
			p.position = l.attrs.at
		}
		if !p.bad {
			l.add(d.src, p.position, "", e.Field, "%s", e.Text).cause = cause
		}
	}
}

// judgedBy says against which other fields a field is checked. If one of them could not
// be read, the check says nothing.
var judgedBy = map[string][]string{
	"min_duration":   {"duration", "max_duration"},
	"max_duration":   {"duration"},
	"first":          {"period"},
	"tail":           {"period", "stack.timers"},
	"align":          {"period"},
	"haste":          {"period"},
	"haste_duration": {"period"},
	"catchup":        {"period"},

	"stack.limit":       {"stack.timers"},
	"stack.initial":     {"stack.limit", "stack.timers"},
	"stack.effective":   {"stack.limit", "stack.timers", "stack.by"},
	"stack.refresh":     {"period"},
	"stack.refresh_pct": {"stack.refresh"},
	"stack.refresh_cap": {"stack.refresh", "duration"},
	"stack.phase":       {"stack.timers"},
	"stack.expire":      {"stack.limit", "stack.timers"},
	"stack.thresholds":  {"stack.limit", "stack.timers"},

	"dispel.per":          {"charges"},
	"charges":             {"charges.n"},
	"save.if_remaining":   {"save.mode"},
	"save.mode":           {"clock"},
	"save.offline_pulses": {"period"},

	"on.exec":  {"duration"}, // perhaps it was meant to be instant
	"on.pulse": {"period"},
}

// doubtful reports whether a field was checked against one that could not be read.
func (d *definition) doubtful(field string) bool {
	for ; field != ""; field = parent(field) {
		for _, other := range judgedBy[field] {
			if d.place(other).bad {
				return true
			}
		}
	}
	return false
}

// shared returns the name that stands in a field, if others must agree on it.
func (d *definition) shared(field string) shared {
	switch field {
	case "slot.class":
		return shared{field, d.spec.Slot.Class}
	case "dr.group":
		return shared{field, d.spec.DR.Group}
	}
	return shared{}
}

// place returns where a field stands, or else what it is part of. It is bad if any
// of these is.
func (d *definition) place(field string) place {
	p, found := d.places.get(field)
	for field != "" {
		field = parent(field)
		q, ok := d.places.get(field)
		if ok && !found {
			p, found = place{position: q.position, bad: p.bad}, true
		}
		p.bad = p.bad || q.bad
	}
	return p
}
