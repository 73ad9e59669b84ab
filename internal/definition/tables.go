package definition

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// entry is an entry of the section "slots" (a class of slots) or "dr" (a group of diminishing
// returns). Definitions refer to entries by name.
type entry struct {
	slot define.Slot
	dr   define.DR
	bad  bool
	src  *source
	line int
}

// slots reads the section "slots", which contains classes of slots.
func (w *definition) slots(f *ast.MappingValueNode) {
	w.table("slots", "classes of slots", f, w.loader.slots, func(name, field string, f *ast.MappingValueNode, e *entry) {
		w.spec.Slot = define.Slot{Class: name}
		w.fields(field, valueAt(f), f.Value, slotsFields)
		if e.slot = w.spec.Slot; e.slot.Limit > buff.MaxPerOwner {
			w.fail(field+".limit", w.place(field+".limit").position, "must be from 1 to %d, not %d", buff.MaxPerOwner, e.slot.Limit)
		}
	})
}

// returns reads the section "dr", which contains groups of diminishing returns.
func (w *definition) returns(f *ast.MappingValueNode) {
	w.table("dr", "groups of diminishing returns", f, w.loader.returns, func(name, field string, f *ast.MappingValueNode, e *entry) {
		before := w.loader.failed
		w.spec.DR = define.DR{Group: name}
		w.fields(field, valueAt(f), f.Value, returnsFields)
		e.dr = w.spec.DR
		p := w.place(field + ".reset").position
		switch reset := e.dr.Reset; {
		case w.loader.failed > before:
		case len(e.dr.Steps) == 0:
			w.fail(field+".steps", w.place(field+".steps").position, "empty: want shares, such as [1, 0.5, 0]")
		case reset%time.Millisecond != 0:
			w.fail(field+".reset", p, "must be whole milliseconds, not %v", reset)
		case reset < 0 || reset > define.MaxDuration:
			w.fail(field+".reset", p, "must be above zero and at most %v, not %v", define.MaxDuration, reset)
		}
	})
}

// table reads the entries of a section: "slots" or "dr".
func (w *definition) table(section, of string, f *ast.MappingValueNode, to map[string]*entry,
	read func(name, field string, f *ast.MappingValueNode, e *entry),
) {
	w.entries(section, of, f, func(name, field string, f *ast.MappingValueNode) {
		if first := to[name]; first != nil {
			w.complain(section, at(f.Key), "%s is repeated: it is already at %s:%d", quote(name), first.src.name, first.line)
			return
		}
		e, before := &entry{src: w.src, line: at(f.Key).line}, w.loader.failed
		to[name] = e
		read(name, field, f, e)
		e.bad = w.loader.failed > before
	})
}

// slotsFields and returnsFields are the fields of an entry. They are the fields of "slot" and "dr"
// in a definition, without the name, which is the key of the entry.
var (
	slotsFields   = table{"slots", []string{"limit"}, without(slotFields.read, "class")}
	returnsFields = table{"returns", []string{"steps", "reset"}, without(drFields.read, "group")}
)

func without(fields map[string]readFunc, name string) map[string]readFunc {
	fields = maps.Clone(fields)
	delete(fields, name)
	return fields
}

// fromTable reads a field whose value is the name of an entry. After all files have been read, that
// entry is passed to the function `take`.
func (d *definition) fromTable(field, section string, n ast.Node, from map[string]*entry, take func(e *entry)) {
	name := ""
	if d.name(field, n, false, &name); d.isBad(field) {
		return
	}
	d.afterwards(func(l *loader) {
		switch e := from[name]; {
		case e != nil && !e.bad:
			take(e)
		case e == nil && !l.blind:
			hint := didYouMean(misspelt.Near(name, slices.Collect(maps.Keys(from))))
			if hint == "" {
				hint = fmt.Sprintf(": declare it there, or write {%s: %s, …}", map[string]string{"slots": "class", "dr": "group"}[section], brief(name))
			}
			d.fail(field, at(n), "no %s under %s%s", quote(name), section, hint)
		default:
			d.places.set(field, place{position: at(n), bad: true})
		}
	})
}

// notInTable reports an error if a definition spells out a slot class or a group of diminishing
// returns that a section already defines under the same name.
func (d *definition) notInTable(field, section string, from map[string]*entry, name *string) {
	d.afterwards(func(*loader) {
		if e := from[*name]; e != nil && !d.place(field).bad {
			d.fail(field, d.place(field).position, "%s is defined under %s in %s: write only its name, %s: %s", quote(*name), section, e.src.name, parent(field), brief(*name))
		}
	})
}
