package definition

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
)

// hasteFields are the fields of a number, with mode in place of snapshot.
var hasteFields = table{"haste", nil, func() map[string]readFunc {
	read := map[string]readFunc{"mode": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Haste) }}
	for _, name := range []string{"attr", "of", "pre", "coef", "post", "caller", "curve", "formula", "default"} {
		read[name] = numberFields.read[name]
	}
	return read
}()}

// haste reads the rule for a change of the period, or the rate of the pulses.
func (d *definition) haste(field string, n ast.Node) {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
	default:
		d.word(field, n, &d.spec.Haste)
		return
	}
	d.spec.HasteBy = &define.Number{}
	before := d.loader.failed
	d.origin(field, n, d.spec.HasteBy, hasteFields, "mode")
	if d.loader.failed > before {
		d.places.set(field, place{position: at(n), bad: true})
	}
}
