package definition

import (
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/goccy/go-yaml/ast"
)

// actions reads a list of actions.
func (d *definition) actions(field string, n ast.Node, to *[]define.Action) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		d.fail(field, at(n), "want a list of actions, not %s: write [{call: handler}]", kindOf(n))
		return
	}
	for i, v := range list.Values {
		*to = append(*to, d.oneAction(element(field, i), v))
	}
}

// verbs are the kinds of actions.
var verbs = []string{"call", "apply", "remove", "kill", "change", "damage"}

// oneAction reads an action. If the action is invalid, oneAction returns a kill action, because a
// kill action names no definition that could be missing.
func (d *definition) oneAction(field string, n ast.Node) define.Action {
	d.places.set(field, place{position: at(n)})
	a := define.Action{Do: define.DoKill}
	before := d.loader.failed
	d.loader.action = &a
	d.fields(field, at(n), n, actionFields)
	if d.isBad(field) {
		return a
	}
	var does []string
	list, _ := Fields(n)
	for _, f := range list {
		if name, _ := Text(f.Key); slices.Contains(verbs, name) && !slices.Contains(does, name) {
			does = append(does, name)
		}
	}
	reason, hasReason := d.places.get(join(field, "reason"))
	switch {
	case len(does) > 1:
		d.fail(field, at(n), "%s in one action: write one action for each", strings.Join(does, " and "))
	case hasReason && len(does) == 1 && a.Do != define.DoRemove:
		d.fail(join(field, "reason"), reason.position, "only a remove has a reason, not %v", a.Do)
	case len(does) == 0 && d.loader.failed == before:
		d.fail(field, at(n), "want one of %s", orList(verbs))
	}
	return a
}

var actionFields = table{"action", nil, map[string]readFunc{
	"call":   func(d *definition, f string, n ast.Node) { d.named(define.DoCall, f, n, false) },
	"apply":  (*definition).applyAction,
	"remove": func(d *definition, f string, n ast.Node) { d.named(define.DoRemove, f, n, true) },
	"kill":   (*definition).kill,
	"change": func(d *definition, f string, n ast.Node) { d.changes(define.DoChange, f, n, changeFields) },
	"damage": func(d *definition, f string, n ast.Node) { d.changes(define.DoDamage, f, n, damageFields) },
	"to":     func(d *definition, f string, n ast.Node) { d.word(f, n, &d.loader.action.To) },
	"reason": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.loader.action.Reason) },
	"if": func(d *definition, f string, n ast.Node) {
		d.loader.action.If = &define.Number{Snapshot: define.SnapshotRun}
		d.loader.number = d.loader.action.If
		d.formula(f, n)
	},
	"if_tags": func(d *definition, f string, n ast.Node) { d.tagTest(f, n, &d.loader.action.IfTags) },
}}

// named reads the value of an action that names a handler or a definition.
func (d *definition) named(do define.Do, field string, n ast.Node, ref bool) {
	d.loader.action.Do = do
	d.name(field, n, ref, &d.loader.action.Name)
}

// applyAction reads the value of an action that applies a definition: its ID, or a map with numbers.
func (d *definition) applyAction(field string, n ast.Node) {
	if _, isMap := Fields(n); !isMap {
		d.named(define.DoApply, field, n, true)
		return
	}
	a := d.loader.action
	a.With = &define.ApplyWith{}
	d.fields(field, at(n), n, applyFields)
	a.Do = define.DoApply
	d.places.set(field, place{position: at(n), ref: a.Name})
}

var applyFields = table{"apply", []string{"id"}, map[string]readFunc{
	"id":        func(d *definition, f string, n ast.Node) { d.name(f, n, true, &d.loader.action.Name) },
	"magnitude": func(d *definition, f string, n ast.Node) { d.applyNumber(f, n, &d.loader.action.With.Magnitude) },
	"duration":  func(d *definition, f string, n ast.Node) { d.applyNumber(f, n, &d.loader.action.With.Duration) },
	"stacks":    func(d *definition, f string, n ast.Node) { d.applyNumber(f, n, &d.loader.action.With.Stacks) },
	"level":     func(d *definition, f string, n ast.Node) { d.applyNumber(f, n, &d.loader.action.With.Level) },
}}

func (d *definition) applyNumber(field string, n ast.Node, to **define.Number) {
	*to = &define.Number{}
	d.magnitude(field, n, *to)
}

// changes reads the value of an action that changes an attribute.
func (d *definition) changes(do define.Do, field string, n ast.Node, t table) {
	d.loader.action.Do, d.loader.action.Change = do, &define.Change{}
	d.fields(field, at(n), n, t)
}

// kill reads the value of a kill action.
func (d *definition) kill(field string, n ast.Node) {
	d.loader.action.Do = define.DoKill
	if b, ok := n.(*ast.BoolNode); !ok || !b.Value {
		d.fail(field, at(n), "must be true, not %s", Describe(n))
	}
}

// removeFields are the fields of on.remove: one for each reason that ends a buff, and "any".
var removeFields = func() table {
	t := table{"on.remove", nil, map[string]readFunc{
		"any": func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.RemoveAny) },
	}}
	for r := reason.None + 1; r.Removes(); r++ {
		t.read[r.String()] = func(d *definition, f string, n ast.Node) {
			var list []define.Action
			d.actions(f, n, &list)
			if d.spec.On.Remove == nil {
				d.spec.On.Remove = map[reason.Reason][]define.Action{}
			}
			d.spec.On.Remove[r] = list
		}
	}
	return t
}()
