package definition

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// modifiers reads the modifiers of a buff.
func (d *definition) modifiers(field string, n ast.Node) {
	if list, ok := n.(*ast.SequenceNode); ok {
		// Allocate the full capacity now, so that the elements never move.
		d.spec.Modifiers = make([]define.Modifier, 0, len(list.Values))
	}
	d.list(field, n, "modifiers, such as [{attr: speed, op: mul_add, value: 0.3}]", func(field string, n ast.Node) {
		d.spec.Modifiers = append(d.spec.Modifiers, define.Modifier{})
		d.fields(field, at(n), n, modifierFields)
	})
}

// modifier returns the modifier being read.
func (d *definition) modifier() *define.Modifier { return &d.spec.Modifiers[len(d.spec.Modifiers)-1] }

var modifierFields = table{"modifier", []string{"attr", "value"}, map[string]readFunc{
	"attr": func(d *definition, f string, n ast.Node) { d.attribute(f, n, &d.modifier().Attr) },
	"op":   func(d *definition, f string, n ast.Node) { d.word(f, n, &d.modifier().Op) },
	"channel": func(d *definition, f string, n ast.Node) {
		channel, _ := d.whole(f, n, 0, stat.MaxChannel)
		d.modifier().Channel = int(channel)
	},
	"value":     func(d *definition, f string, n ast.Node) { d.magnitude(f, n, &d.modifier().Value) },
	"per_stack": func(d *definition, f string, n ast.Node) { d.truth(f, n, &d.modifier().PerStack) },
}}

var changeFields = table{"change", []string{"attr", "by"}, map[string]readFunc{
	"attr":      func(d *definition, f string, n ast.Node) { d.attribute(f, n, &d.loader.action.Change.Attr) },
	"by":        func(d *definition, f string, n ast.Node) { d.magnitude(f, n, &d.loader.action.Change.By) },
	"per_stack": func(d *definition, f string, n ast.Node) { d.truth(f, n, &d.loader.action.Change.PerStack) },
}}

var damageFields = func() table {
	t := table{"damage", changeFields.needs, map[string]readFunc{
		"school": func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.loader.action.Change.School) },
	}}
	for name, read := range changeFields.read {
		t.read[name] = read
	}
	return t
}()
