package definition

import (
	"maps"
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
	for _, v := range list.Values {
		if f := fieldOf(v, "one_of"); f != nil {
			d.alternatives(field, v, f, to)
			continue
		}
		*to = append(*to, d.oneAction(element(field, len(*to)), v))
		d.noWeight(element(field, len(*to)-1))
	}
}

// alternatives reads an action with the field "one_of". Its alternatives are elements of the list.
func (d *definition) alternatives(field string, n ast.Node, f *ast.MappingValueNode, to *[]define.Action) {
	first := len(*to)
	path := element(field, first)
	d.places.set(path, place{position: at(n)})
	if others, _ := Fields(n); len(others) > 1 {
		d.fail(path, at(n), "one_of stands alone: write the other fields in its alternatives")
	}
	list, ok := f.Value.(*ast.SequenceNode)
	if !ok || len(list.Values) < 2 {
		d.fail(path, valueAt(f), "want two alternatives or more, such as [{weight: 3, call: heal}, {nothing: true}]")
		return
	}
	for _, v := range list.Values {
		if fieldOf(v, "one_of") != nil {
			d.fail(path, at(v), "an alternative cannot have alternatives")
			return
		}
		a := d.oneAction(element(field, len(*to)), v)
		a.Weight = max(a.Weight, 1)
		*to = append(*to, a)
	}
	(*to)[first].OneOf = len(*to) - first
}

// noWeight reports the fields of an alternative in an action that is none.
func (d *definition) noWeight(field string) {
	for _, name := range []string{"weight", "nothing"} {
		if p, ok := d.places.get(join(field, name)); ok && !p.bad {
			d.fail(join(field, name), p.position, "is for the alternatives of one_of")
		}
	}
}

// verbs are the kinds of actions.
var verbs = []string{"call", "apply", "remove", "kill", "change", "damage", "extend", "use", "rate", "dispel", "set", "add", "revive", "nothing"}

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
		d.fail(field, at(n), "want one of %s", orList(append(slices.Clone(verbs), "one_of")))
	}
	return a
}

var actionFields = table{"action", nil, map[string]readFunc{
	"call":   func(d *definition, f string, n ast.Node) { d.named(define.DoCall, f, n, false) },
	"apply":  (*definition).applyAction,
	"remove": func(d *definition, f string, n ast.Node) { d.onBuffs(define.DoRemove, f, n, removeFields, true) },
	"extend": func(d *definition, f string, n ast.Node) { d.onBuffs(define.DoExtend, f, n, extendFields, false) },
	"use":    func(d *definition, f string, n ast.Node) { d.onBuffs(define.DoUse, f, n, useFields, true) },
	"rate":   func(d *definition, f string, n ast.Node) { d.onBuffs(define.DoRate, f, n, rateFields, false) },
	"dispel": (*definition).dispelAction,
	"set":    func(d *definition, f string, n ast.Node) { d.setVar(define.DoSet, f, n, setFields) },
	"add":    func(d *definition, f string, n ast.Node) { d.setVar(define.DoAdd, f, n, addFields) },
	"kill":   (*definition).kill,
	"one_of": func(d *definition, f string, n ast.Node) {}, // see alternatives
	"revive": func(d *definition, f string, n ast.Node) {
		d.loader.action.Do = define.DoRevive
		d.mustBeTrue(f, n)
	},
	"nothing": func(d *definition, f string, n ast.Node) {
		d.loader.action.Do = define.DoNothing
		d.mustBeTrue(f, n)
	},
	"weight": func(d *definition, f string, n ast.Node) {
		i, _ := d.whole(f, n, 1, define.MaxWeight)
		d.loader.action.Weight = int(i)
	},
	"change": func(d *definition, f string, n ast.Node) { d.changes(define.DoChange, f, n, changeFields) },
	"damage": func(d *definition, f string, n ast.Node) { d.changes(define.DoDamage, f, n, damageFields) },
	"to":     (*definition).target,
	"reason": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.loader.action.Reason) },
	"if": func(d *definition, f string, n ast.Node) {
		d.loader.action.If = &define.Number{Snapshot: define.SnapshotRun}
		d.loader.number = d.loader.action.If
		d.formula(f, n)
	},
	"if_tags": func(d *definition, f string, n ast.Node) { d.tagTest(f, n, &d.loader.action.IfTags) },
}}

// target reads the field "to": a word, or a map for the bearers of a definition.
func (d *definition) target(field string, n ast.Node) {
	a := d.loader.action
	if _, isMap := Fields(n); isMap {
		d.fields(field, at(n), n, toFields)
		a.To = define.ToBearers
	} else if d.oneOf(field, n, define.ToOwner.String(), define.ToSource.String(), define.ToTarget.String()) {
		d.word(field, n, &a.To)
	}
}

var toFields = table{"to", []string{"bearers"}, map[string]readFunc{
	"bearers": func(d *definition, f string, n ast.Node) { d.name(f, n, true, &d.loader.action.Of) },
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
	"magnitude": func(d *definition, f string, n ast.Node) { d.actionNumber(f, n, &d.loader.action.With.Magnitude) },
	"duration":  func(d *definition, f string, n ast.Node) { d.seconds(f, n, &d.loader.action.With.Duration) },
	"stacks":    func(d *definition, f string, n ast.Node) { d.actionNumber(f, n, &d.loader.action.With.Stacks) },
	"level":     func(d *definition, f string, n ast.Node) { d.actionNumber(f, n, &d.loader.action.With.Level) },
}}

// actionNumber reads a number that an action may lack.
func (d *definition) actionNumber(field string, n ast.Node, to **define.Number) {
	*to = &define.Number{}
	d.magnitude(field, n, *to)
}

// seconds reads a number of seconds, which may also be written as a span such as 1.5s.
func (d *definition) seconds(field string, n ast.Node, to **define.Number) {
	if _, isText := Text(n); !isText {
		d.actionNumber(field, n, to)
		return
	}
	span, why := spanOf(n, spanForm+", or a number of seconds")
	if why != "" {
		d.fail(field, at(n), "%s", why)
	}
	*to = &define.Number{Const: span.Seconds()}
}

// changes reads the value of an action that changes an attribute.
func (d *definition) changes(do define.Do, field string, n ast.Node, t table) {
	d.loader.action.Do, d.loader.action.Change = do, &define.Change{}
	d.fields(field, at(n), n, t)
}

// kill reads the value of a kill action.
func (d *definition) kill(field string, n ast.Node) {
	d.loader.action.Do = define.DoKill
	d.mustBeTrue(field, n)
}

func (d *definition) mustBeTrue(field string, n ast.Node) {
	if b, ok := n.(*ast.BoolNode); !ok || !b.Value {
		d.fail(field, at(n), "must be true, not %s", Describe(n))
	}
}

// onBuffs reads the value of an action on running buffs: a map or, if short is set, the ID of a
// definition.
func (d *definition) onBuffs(do define.Do, field string, n ast.Node, t table, short bool) {
	if _, isMap := Fields(n); short && !isMap {
		d.named(do, field, n, true)
		return
	}
	a := d.loader.action
	d.fields(field, at(n), n, t)
	if a.Do = do; a.Name != "" {
		d.places.set(field, place{position: at(n), ref: a.Name})
	}
}

var (
	removeFields = table{"remove", []string{"buff"}, map[string]readFunc{
		"buff": (*definition).idOrQuery, "from": (*definition).fromSource,
		"stacks": func(d *definition, f string, n ast.Node) { d.actionStacks(f, n) },
	}}
	extendFields = table{"extend", []string{"buff", "by"}, map[string]readFunc{
		"buff": (*definition).idOrQuery, "from": (*definition).fromSource,
		"by":      func(d *definition, f string, n ast.Node) { d.seconds(f, n, &d.loader.action.By) },
		"at_most": func(d *definition, f string, n ast.Node) { d.span(f, n, &d.loader.action.AtMost) },
	}}
	useFields = table{"use", []string{"buff"}, map[string]readFunc{
		"buff": (*definition).actionID, "from": (*definition).fromSource,
		"charges": func(d *definition, f string, n ast.Node) { d.actionStacks(f, n) },
	}}
	rateFields = table{"rate", []string{"buff", "value"}, map[string]readFunc{
		"buff": (*definition).actionID, "from": (*definition).fromSource,
		"value": func(d *definition, f string, n ast.Node) { d.actionNumber(f, n, &d.loader.action.By) },
	}}
)

func (d *definition) actionID(field string, n ast.Node) {
	d.name(field, n, true, &d.loader.action.Name)
}

func (d *definition) actionStacks(field string, n ast.Node) {
	i, _ := d.whole(field, n, 1, define.MaxStacks)
	d.loader.action.Stacks = int(i)
}

// fromSource reads the field "from", which has only one value.
func (d *definition) fromSource(field string, n ast.Node) {
	d.loader.action.FromSource = d.oneOf(field, n, define.ToSource.String())
}

// idOrQuery reads the buffs of an action: the ID of a definition, or a query.
func (d *definition) idOrQuery(field string, n ast.Node) {
	if _, isMap := Fields(n); !isMap {
		d.actionID(field, n)
		return
	}
	d.loader.action.Query = &define.Query{}
	d.fields(field, at(n), n, queryFields)
}

// dispelAction reads the value of an action that dispels.
func (d *definition) dispelAction(field string, n ast.Node) {
	d.loader.action.Query = &define.Query{}
	d.fields(field, at(n), n, dispelActionFields)
	d.loader.action.Do = define.DoDispel
}

// setVar reads the value of an action that changes a variable.
func (d *definition) setVar(do define.Do, field string, n ast.Node, t table) {
	d.loader.action.Do = do
	d.fields(field, at(n), n, t)
}

var (
	setFields = table{"set", []string{"var", "value"}, map[string]readFunc{
		"var":   func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.loader.action.Var) },
		"value": func(d *definition, f string, n ast.Node) { d.actionNumber(f, n, &d.loader.action.By) },
	}}
	addFields = table{"add", []string{"var", "by"}, map[string]readFunc{
		"var": func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.loader.action.Var) },
		"by":  func(d *definition, f string, n ast.Node) { d.actionNumber(f, n, &d.loader.action.By) },
	}}
)

// vars reads the variables of a definition.
func (d *definition) vars(field string, n ast.Node) {
	list, ok := Fields(n)
	if !ok {
		d.fail(field, at(n), "want a map of variables, not %s: write {NAME: {base: 0}}", kindOf(n))
		return
	}
	d.spec.Vars = make([]define.Var, len(list)) // full length, so that the elements never move
	for i, f := range list {
		name, isText := Text(f.Key)
		v := &d.spec.Vars[i]
		if v.Name = name; !isText || name == "" {
			d.fail(field, at(f.Key), "want the name of a variable, not %s", Describe(f.Key))
			continue
		}
		path := join(field, name)
		d.places.set(path, place{position: at(f.Key)})
		if _, isMap := Fields(f.Value); !isMap {
			d.real(path, f.Value, &v.Base.Const)
			continue
		}
		d.fields(path, at(f.Value), f.Value, table{"variable", nil, map[string]readFunc{
			"base":   func(d *definition, f string, n ast.Node) { d.magnitude(f, n, &v.Base) },
			"min":    func(d *definition, f string, n ast.Node) { v.Min = d.varLimit(f, n) },
			"max":    func(d *definition, f string, n ast.Node) { v.Max = d.varLimit(f, n) },
			"at_min": func(d *definition, f string, n ast.Node) { d.actions(f, n, &v.AtMin) },
			"at_max": func(d *definition, f string, n ast.Node) { d.actions(f, n, &v.AtMax) },
		}})
	}
}

func (d *definition) varLimit(field string, n ast.Node) *float64 {
	limit := new(float64)
	d.real(field, n, limit)
	return limit
}

var queryFields = table{"query", nil, map[string]readFunc{
	"type":   func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.loader.action.Query.Type) },
	"tag":    func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.loader.action.Query.Tag) },
	"newest": func(d *definition, f string, n ast.Node) { d.truth(f, n, &d.loader.action.Query.Newest) },
	"polarity": func(d *definition, f string, n ast.Node) {
		q := d.loader.action.Query
		d.word(f, n, &q.Polarity)
		q.Neutral = q.Polarity == define.Neutral
	},
	"most": func(d *definition, f string, n ast.Node) {
		i, _ := d.whole(f, n, 1, define.MaxStacks)
		d.loader.action.Query.Most = int(i)
	},
}}

var dispelActionFields = func() table {
	t := table{"dispel", nil, map[string]readFunc{
		"buff": func(d *definition, f string, n ast.Node) { d.name(f, n, true, &d.loader.action.Query.ID) },
		"grade": func(d *definition, f string, n ast.Node) {
			if d.oneOf(f, n, define.GradeBasic.String(), define.GradeStrong.String(), define.GradeDeath.String()) {
				d.word(f, n, &d.loader.action.Query.Grade)
			}
		},
		"from":   (*definition).fromSource,
		"stacks": func(d *definition, f string, n ast.Node) { d.actionStacks(f, n) },
	}}
	maps.Copy(t.read, queryFields.read)
	return t
}()

// removeReasons are the fields of on.remove: one for each reason that ends a buff, and "any".
var removeReasons = func() table {
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
