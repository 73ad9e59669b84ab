package catalog

import (
	"errors"

	"github.com/bufftick/bufftick/buff"
)

// maxHints is how many unknown IDs are compared with all the known ones.
const maxHints = 100

// explain reports what NewCatalog found, at the places of the fields. It leaves out
// what only follows from an error that was reported before.
func (l *loader) explain(err error) {
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
		d := l.byID[e.ID]
		p := d.place(e.Field)
		if refused[p.ref] || p.bad || d.places["duration"].bad && e.Field == "on.exec" {
			continue // perhaps it was meant to be instant
		}
		text := e.Text
		if p.ref != "" && l.byID[p.ref] == nil {
			if l.blind {
				continue
			}
			if hints++; hints <= maxHints {
				text += didYouMean(nearest(p.ref, ids))
			}
		}
		l.add(d.src, p.position, e.ID, e.Field, "%s", text)
	}
}

// place returns where a field stands, or else what it is part of. It is bad if any
// of these is.
func (d *definition) place(field string) place {
	p, found := d.places[field]
	for field != "" {
		field = parent(field)
		q, ok := d.places[field]
		if ok && !found {
			p, found = place{position: q.position, bad: p.bad}, true
		}
		p.bad = p.bad || q.bad
	}
	return p
}
