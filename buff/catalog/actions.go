package catalog

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
)

// actions reads a list of actions.
func (d *definition) actions(field string, n ast.Node, to *[]buff.Action) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		d.fail(field, at(n), "want a list of actions, not %s: write [{call: handler}]", kindOf(n))
		return
	}
	for i, v := range list.Values {
		*to = append(*to, d.oneAction(element(field, i), v))
	}
}

// oneAction reads an action. A wrong one is replaced by a kill, which refers to
// nothing that could be missing.
func (d *definition) oneAction(field string, n ast.Node) buff.Action {
	d.places[field] = place{position: at(n)}
	a := buff.Action{Do: buff.DoKill}
	var verbs []string
	before := len(d.loader.faults)
	verb := func(do buff.Do, read readFunc) readFunc {
		return func(d *definition, f string, n ast.Node) {
			verbs = append(verbs, do.String())
			a.Do = do
			read(d, f, n)
		}
	}
	d.fields(field, at(n), n, table{"action", nil, map[string]readFunc{
		"call":   verb(buff.DoCall, func(d *definition, f string, n ast.Node) { d.name(f, n, false, &a.Name) }),
		"apply":  verb(buff.DoApply, func(d *definition, f string, n ast.Node) { d.name(f, n, true, &a.Name) }),
		"remove": verb(buff.DoRemove, func(d *definition, f string, n ast.Node) { d.name(f, n, true, &a.Name) }),
		"kill":   verb(buff.DoKill, (*definition).kill),
		"reason": func(d *definition, f string, n ast.Node) { d.word(f, n, &a.Reason) },
	}})
	reason, hasReason := d.places[join(field, "reason")]
	switch {
	case d.places[field].bad:
	case len(verbs) > 1:
		d.fail(field, at(n), "%s in one action: write one action for each", strings.Join(verbs, " and "))
	case hasReason && len(verbs) == 1 && a.Do != buff.DoRemove:
		d.fail(join(field, "reason"), reason.position, "only a remove has a reason, not %v", a.Do)
	case len(verbs) == 0 && len(d.loader.faults) == before:
		d.fail(field, at(n), "want one of call, apply, remove or kill")
	}
	return a
}

// kill reads the value of a kill.
func (d *definition) kill(field string, n ast.Node) {
	if b, ok := n.(*ast.BoolNode); !ok || !b.Value {
		d.fail(field, at(n), "can only be true, not %s", Describe(n))
	}
}

// removeFields are the fields of on.remove: every reason that ends a buff, and any.
var removeFields = func() table {
	t := table{"on.remove", nil, map[string]readFunc{
		"any": func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.RemoveAny) },
	}}
	for r := buff.NoReason + 1; r.Removes(); r++ {
		t.read[r.String()] = func(d *definition, f string, n ast.Node) {
			var list []buff.Action
			d.actions(f, n, &list)
			if d.spec.On.Remove == nil {
				d.spec.On.Remove = map[buff.Reason][]buff.Action{}
			}
			d.spec.On.Remove[r] = list
		}
	}
	return t
}()
