package definition

import (
	"errors"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// maxHints is the number of unknown IDs for which explain suggests a similar known ID.
const maxHints = 100

// explain reports the errors of buff.Build at the positions of the fields. It omits errors that
// follow from errors reported before.
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

// otherAttributes reports which attributes of the previous catalog were changed or removed.
func (l *loader) otherAttributes(cause error) {
	var list buff.SpecErrors
	errors.As(cause, &list)
	d := l.attrs.from
	if d == nil {
		if l.failed == 0 { // otherwise the attributes may be in a file that could not be read
			l.whole("", cause, "no attributes: attributes cannot be removed while the game runs")
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

// judgedBy lists, for each field, other fields on which the check of that field depends. If one of
// them is bad, the result of the check is meaningless.
var judgedBy = map[string][]string{
	"min_duration":   {"duration", "max_duration"},
	"max_duration":   {"duration"},
	"first":          {"period"},
	"tail":           {"period", "stack.timers"},
	"align":          {"period"},
	"haste":          {"period"},
	"haste_duration": {"period"},
	"catchup":        {"period"},

	"stack.limit":         {"stack.timers"},
	"stack.initial":       {"stack.limit", "stack.timers"},
	"stack.effective":     {"stack.limit", "stack.timers", "stack.by"},
	"stack.refresh":       {"period"},
	"stack.refresh_share": {"stack.refresh"},
	"stack.refresh_cap":   {"stack.refresh", "duration"},
	"stack.phase":         {"stack.timers"},
	"stack.expire":        {"stack.limit", "stack.timers"},
	"stack.decay":         {"stack.expire"},
	"stack.thresholds":    {"stack.limit", "stack.timers"},

	"dispel.per":          {"charges"},
	"charges":             {"charges.n"},
	"save.if_remaining":   {"save.mode"},
	"save.mode":           {"clock"},
	"save.offline_pulses": {"period"},

	"on.exec":  {"duration"}, // the buff may be meant to be instant
	"on.pulse": {"period"},
}

// doubtful reports whether the check of a field depends on a bad field.
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

// shared returns the slot class, or the group of diminishing returns, that the given field names.
// For any other field, it returns the zero value. All definitions that name a class or group must
// agree about its other fields.
func (d *definition) shared(field string) shared {
	switch field {
	case "slot.class":
		return shared{field, d.spec.Slot.Class}
	case "dr.group":
		return shared{field, d.spec.DR.Group}
	}
	return shared{}
}

// place returns the position of a field. If the position of the field is unknown, place returns the
// position of the closest field that contains it. The result is bad if the field, or any field that
// contains it, is bad.
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
