package definition

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
)

// hasteFields are the fields of a rate: those of a number, with mode in place of snapshot.
// periodFields are those of a period.
var (
	hasteFields  = table{"haste", nil, fieldsOfNumber(map[string]readFunc{"mode": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Haste) }})}
	periodFields = table{"period", nil, fieldsOfNumber(map[string]readFunc{})}
)

// fieldsOfNumber adds the fields of a number that is neither a constant nor says when it is read.
func fieldsOfNumber(read map[string]readFunc) map[string]readFunc {
	for _, name := range []string{"attr", "of", "pre", "coef", "post", "caller", "curve", "formula", "default"} {
		read[name] = numberFields.read[name]
	}
	return read
}

// haste reads the rule for a change of the period, or the rate of the pulses.
func (d *definition) haste(field string, n ast.Node) {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
	default:
		d.word(field, n, &d.spec.Haste)
		return
	}
	d.spec.HasteBy = &define.Number{}
	d.numberIn(field, n, d.spec.HasteBy, hasteFields, "mode")
}

// numberIn reads a number that is written as a map: see origin.
func (d *definition) numberIn(field string, n ast.Node, to *define.Number, fields table, other string) {
	before := d.loader.failed
	if d.origin(field, n, to, fields, other); d.loader.failed > before {
		d.places.set(field, place{position: at(n), bad: true})
	}
}
