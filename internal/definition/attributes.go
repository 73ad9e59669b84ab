package definition

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// attributeSheet is the section "attributes". Only one file of a catalog may have this section.
type attributeSheet struct {
	from  *definition // the file that has the section; nil if no file has it
	at    position
	list  []define.Attribute
	bases map[string]float64 // base of each attribute by name; never nil

	reading *define.Attribute
}

// attributes reads the section "attributes".
func (w *definition) attributes(f *ast.MappingValueNode) {
	sheet := &w.loader.attrs
	if first := sheet.from; first != nil {
		w.complain("attributes", at(f.Key), "already defined at %s:%d: all attributes must be in one file, so that their order is defined", first.src.name, sheet.at.line)
		return
	}
	sheet.from, sheet.at = w, at(f.Key)
	w.places.set("attributes", place{position: at(f.Key)})
	w.entries("attributes", "attributes", f, func(name, field string, f *ast.MappingValueNode) {
		a := define.Attribute{Attribute: stat.Attribute{Name: name}}
		sheet.reading = &a
		w.fields(field, valueAt(f), f.Value, attributeFields)
		sheet.list = append(sheet.list, a)
		sheet.bases[name] = a.Base
	})
}

var attributeFields = table{"attribute", nil, map[string]readFunc{
	"base":      func(d *definition, f string, n ast.Node) { d.real(f, n, &d.loader.attrs.reading.Base) },
	"min":       func(d *definition, f string, n ast.Node) { d.statLimit(f, n, &d.loader.attrs.reading.Min) },
	"max":       func(d *definition, f string, n ast.Node) { d.statLimit(f, n, &d.loader.attrs.reading.Max) },
	"aggregate": (*definition).aggregate,
	"at_min":    func(d *definition, f string, n ast.Node) { d.word(f, n, &d.loader.attrs.reading.AtMin) },
	"damage_taken": func(d *definition, f string, n ast.Node) {
		d.name(f, n, false, &d.loader.attrs.reading.DamageTaken)
	},
}}

// statLimit reads a limit: a number, or the name of an attribute.
func (d *definition) statLimit(field string, n ast.Node, to *stat.Limit) {
	if name, ok := Text(n); ok && strings.Trim(name, numeral) != "" {
		*to = stat.By(name)
		return
	}
	v := 0.0
	if d.real(field, n, &v); !d.isBad(field) {
		*to = stat.At(v)
	}
}

// aggregate reads which modifiers of an attribute take effect. The value is a word, or a map such
// as {strongest: 2}, which means the 2 strongest modifiers.
func (d *definition) aggregate(field string, n ast.Node) {
	a := d.loader.attrs.reading
	if _, isMap := Fields(n); isMap {
		before := d.loader.failed
		if d.fields(field, at(n), n, strongestFields); d.loader.failed == before {
			a.Aggregate = stat.Strongest
		}
		return
	}
	if d.oneOf(field, n, stat.Sum.String(), stat.Max.String(), stat.Min.String()) {
		d.word(field, n, &a.Aggregate)
	}
}

var strongestFields = table{"aggregate", []string{"strongest"}, map[string]readFunc{
	"strongest": func(d *definition, f string, n ast.Node) { d.count(f, n, &d.loader.attrs.reading.N) },
}}

// attribute reads the name of an attribute.
func (d *definition) attribute(field string, n ast.Node, to *string) {
	if d.name(field, n, false, to); d.isBad(field) {
		return
	}
	name := *to
	d.places.set(field, place{position: at(n), attrs: true})
	d.afterwards(func(l *loader) {
		in := l.scope()
		if _, ok := in.attrs[name]; !ok && in.attrs != nil {
			d.failRef(field, at(n), "%s", noAttribute(name, in.attrs))
		}
	})
}

// scope returns the names that a formula may use. If some files could not be read, the attributes
// are unknown, because one of these files may declare them.
func (l *loader) scope() scope {
	s := scope{curves: l.curves, attrs: l.attrs.bases}
	if l.blind {
		s.attrs = nil
	}
	return s
}
