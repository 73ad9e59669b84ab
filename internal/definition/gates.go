package definition

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

var groupFields = table{"group", []string{"name"}, map[string]readFunc{
	"name":     func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.spec.Group.Name) },
	"priority": func(d *definition, f string, n ast.Node) { d.integer(f, n, &d.spec.Group.Priority) },
	"rule":     func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Group.Rule) },
}}

var slotFields = table{"slot", []string{"class", "limit"}, map[string]readFunc{
	"class": func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.spec.Slot.Class) },
	"limit": func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.Slot.Limit) },
	"evict": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Slot.Evict) },
}}

// slot reads a class of slots. The value is a map, or the name of a class in the section "slots".
func (d *definition) slot(field string, n ast.Node) {
	if _, isText := Text(n); isText {
		d.fromTable(field, "slots", n, d.loader.slots, func(e *entry) { d.spec.Slot = e.slot })
		return
	}
	before := d.loader.failed
	d.fields(field, at(n), n, slotFields)
	d.notInTable(field+".class", "slots", d.loader.slots, &d.spec.Slot.Class)
	if d.loader.failed > before {
		d.loader.spoiled[shared{"slot.class", d.spec.Slot.Class}] = true
	}
}

var perSourceFields = table{"per_source", []string{"limit"}, map[string]readFunc{
	"limit": func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.PerSource.Limit) },
	"evict": func(d *definition, f string, n ast.Node) { d.oneOf(f, n, define.EvictOldest.String()) },
}}

var requireFields = table{"require", nil, map[string]readFunc{
	"apply":   (*definition).requireForApply,
	"ongoing": func(d *definition, f string, n ast.Node) { d.tagTest(f, n, &d.spec.Require.Ongoing) },
	"remove":  func(d *definition, f string, n ast.Node) { d.tagTest(f, n, &d.spec.Require.Remove) },
}}

// requireForApply reads the condition for an application: tags, and a formula.
func (d *definition) requireForApply(field string, n ast.Node) {
	r := &d.spec.Require
	t := tagTestFields(&r.Apply)
	t.read["if"] = func(d *definition, f string, n ast.Node) {
		r.If = &define.Number{Snapshot: define.SnapshotApply}
		d.loader.number = r.If
		d.formula(f, n)
	}
	t.read["from"] = func(d *definition, f string, n ast.Node) {
		r.FromSource = d.oneOf(f, n, define.ToSource.String())
	}
	t.read["why"] = func(d *definition, f string, n ast.Node) {
		if d.oneOf(f, n, reason.Requirement.String(), reason.Cost.String()) {
			if text, _ := Text(n); text == reason.Cost.String() {
				r.Why = reason.Cost
			}
		}
	}
	d.fields(field, at(n), n, t)
	if _, has := d.places.get(field + ".why"); has && r.If == nil {
		d.fail(field+".why", at(n), "is the reason of if, which is missing")
	}
}

func (d *definition) tagTest(field string, n ast.Node, to *define.TagTest) {
	d.fields(field, at(n), n, tagTestFields(to))
}

func tagTestFields(to *define.TagTest) table {
	return table{"condition", nil, map[string]readFunc{
		"all":  func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &to.All) },
		"any":  func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &to.Any) },
		"none": func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &to.None) },
	}}
}

// immunity reads the effects to which the owner becomes immune. At least one field is required,
// because an omitted field matches everything.
func (d *definition) immunity(field string, n ast.Node) {
	m, before := &d.spec.Immunity, d.loader.failed
	d.fields(field, at(n), n, table{"immunity", nil, map[string]readFunc{
		"tags": func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &m.Tags) },
		"type": func(d *definition, f string, n ast.Node) { d.name(f, n, false, &m.Type) },
		"polarity": func(d *definition, f string, n ast.Node) {
			if d.oneOf(f, n, define.Positive.String(), define.Negative.String()) {
				d.word(f, n, &m.Polarity)
			}
		},
	}})
	if d.loader.failed == before && len(m.Tags) == 0 && m.Type == "" && m.Polarity == define.Neutral {
		d.fail(field, at(n), "empty: want tags, type or polarity")
	}
}

// chance reads a chance. A chance of zero becomes define.ChanceNever, because 0 in a
// Spec means the default.
func (d *definition) chance(field string, n ast.Node) {
	i := 1000
	d.share(field, n, 1000, &i)
	switch i {
	case 0:
		d.spec.Chance = define.ChanceNever
	case 1000: // the default, which is 0 in a Spec
	default:
		d.spec.Chance = i
	}
}

var drFields = table{"dr", []string{"group", "steps", "reset"}, map[string]readFunc{
	"group": func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.spec.DR.Group) },
	"steps": func(d *definition, f string, n ast.Node) {
		d.list(f, n, "shares, such as [1, 0.5, 0]", func(f string, n ast.Node) {
			share := 0
			d.share(f, n, 100, &share)
			d.spec.DR.Steps = append(d.spec.DR.Steps, share)
		})
	},
	"reset": func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.DR.Reset) },
	"scope": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.DR.Scope) },
}}

// diminishing reads diminishing returns. The value is a map, or the name of a group in the section
// "dr".
func (d *definition) diminishing(field string, n ast.Node) {
	if _, isText := Text(n); isText {
		d.fromTable(field, "dr", n, d.loader.returns, func(e *entry) { d.spec.DR = e.dr })
		return
	}
	before := d.loader.failed
	d.fields(field, at(n), n, drFields)
	d.notInTable(field+".group", "dr", d.loader.returns, &d.spec.DR.Group)
	if d.loader.failed > before {
		d.loader.spoiled[shared{"dr.group", d.spec.DR.Group}] = true
	}
}

var dispelFields = table{"dispel", nil, map[string]readFunc{
	"type":   func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.spec.Dispel.Type) },
	"grade":  func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Dispel.Grade) },
	"per":    func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Dispel.Per) },
	"resist": func(d *definition, f string, n ast.Node) { d.share(f, n, 1000, &d.spec.Dispel.Resist) },
	"stealable": func(d *definition, f string, n ast.Node) {
		stealable := true
		d.truth(f, n, &stealable)
		d.spec.Dispel.Keep = !stealable
	},
}}
