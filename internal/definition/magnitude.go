package definition

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
)

// magnitude reads a number of a buff. The value is a constant, or a map with the origin of
// the number. *to must not move until all files have been read.
func (d *definition) magnitude(field string, n ast.Node, to *define.Number) {
	before, why := d.loader.failed, ""
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		d.origin(field, n, to, numberFields, "")
	case *ast.StringNode, *ast.LiteralNode:
		if to.Const, why = realOf(n); why != "" {
			d.fail(field, at(n), "want a number or its source, such as {formula: \"5 + level\"}, not %s", Describe(n))
		}
	default:
		d.real(field, n, &to.Const)
	}
	if d.loader.failed > before {
		d.places.set(field, place{position: at(n), bad: true})
	}
}

// allowedWith lists, for each origin, the other fields that are allowed with it.
var allowedWith = map[string][]string{
	"const":   nil,
	"curve":   nil,
	"attr":    {"of", "pre", "coef", "post", "default", "snapshot"},
	"caller":  {"default", "snapshot"},
	"formula": {"default", "snapshot"},
}

// origins are the fields that give the origin of a number. A number has exactly one of them.
var origins = []string{"const", "curve", "attr", "caller", "formula"}

// origin reads a number that is written as a map with the given fields. The map may also have
// another field, if it is not "".
func (d *definition) origin(field string, n ast.Node, to *define.Number, fields table, other string) {
	before := d.loader.failed
	if d.splitFormula(field, n) {
		return
	}
	d.loader.number = to
	d.fields(field, at(n), n, fields)
	if d.loader.failed > before {
		return
	}
	list, _ := Fields(n)
	var from []string
	for _, f := range list {
		if name, _ := Text(f.Key); slices.Contains(origins, name) {
			from = append(from, name)
		}
	}
	switch {
	case len(from) == 0:
		d.fail(field, at(n), "want one of %s", orList(origins))
		return
	case len(from) > 1:
		d.fail(field, at(n), "%s in one number: write one of them", strings.Join(from, " and "))
		return
	}
	for _, f := range list {
		name, _ := Text(f.Key)
		if name == from[0] || name == other || slices.Contains(allowedWith[from[0]], name) {
			continue
		}
		d.fail(join(field, name), at(f.Key), "a number from %s has no %s", from[0], name)
	}
}

// splitFormula reports whether a comma has split a formula that is not in quotes. For example,
// YAML reads {formula: max(1, level)} as a formula "max(1" and a field "level)" without a value.
func (d *definition) splitFormula(field string, n ast.Node) bool {
	open := func(text string) int { return strings.Count(text, "(") - strings.Count(text, ")") }
	list, _ := Fields(n)
	for i, f := range list {
		if name, _ := Text(f.Key); name != "formula" {
			continue
		}
		text, _ := Text(f.Value)
		for _, rest := range list[i+1:] {
			if open(text) <= 0 {
				break
			}
			text += ", " + rest.Key.GetToken().Value
			if kindOf(rest.Value) != "nothing" { // the formula also contains a colon
				text += " : " + rest.Value.GetToken().Value
			}
		}
		if whole, _ := Text(f.Value); text != whole && open(text) == 0 {
			d.fail(join(field, "formula"), at(f.Value), "a formula with a comma must be in quotes: write {formula: %s}", quote(text))
			return true
		}
	}
	return false
}

var numberFields = table{"number", nil, map[string]readFunc{
	"const": func(d *definition, f string, n ast.Node) { d.real(f, n, &d.loader.number.Const) },
	"curve": func(d *definition, f string, n ast.Node) {
		d.loader.number.From = define.FromCurve
		d.curve(f, n, &d.loader.number.Curve)
	},
	"attr": func(d *definition, f string, n ast.Node) {
		d.loader.number.From = define.FromAttr
		d.attribute(f, n, &d.loader.number.Attr)
	},
	"caller": func(d *definition, f string, n ast.Node) {
		d.loader.number.From = define.FromCaller
		d.name(f, n, false, &d.loader.number.Caller)
	},
	"formula":  (*definition).formula,
	"of":       func(d *definition, f string, n ast.Node) { d.word(f, n, &d.loader.number.Of) },
	"pre":      func(d *definition, f string, n ast.Node) { d.real(f, n, &d.loader.number.Pre) },
	"coef":     (*definition).coefficient,
	"post":     func(d *definition, f string, n ast.Node) { d.real(f, n, &d.loader.number.Post) },
	"snapshot": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.loader.number.Snapshot) },
	"default": func(d *definition, f string, n ast.Node) {
		d.loader.number.Default = true
		d.real(f, n, &d.loader.number.Const)
	},
}}

// coefficient reads the factor of an attribute. Zero is an error, because a define.Number uses 0
// for the default.
func (d *definition) coefficient(field string, n ast.Node) {
	if d.real(field, n, &d.loader.number.Coef); !d.isBad(field) && d.loader.number.Coef == 0 {
		d.fail(field, at(n), "must not be 0: the attribute would have no effect")
	}
}
