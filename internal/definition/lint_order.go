package definition

import (
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// All actions of a list run before their consequences, such as the actions of buffs that they
// apply. Therefore an action does not see the consequences of earlier actions in its list. The
// numbers of all actions are evaluated before the first action, so a number does not even see the
// direct effects of earlier actions. The rules in this file find actions that probably expect
// otherwise.

// touched lists parts of an owner: either parts that are changed or parts that are read.
type touched struct {
	attrs, tags, buffs []string
}

// add adds what changes when a buff starts or ends: the buff itself, the attributes that it
// modifies, and the tags that it grants.
func (t *touched) add(s *buff.Spec) {
	t.buffs = append(t.buffs, s.ID)
	if s.Kind == define.Instant {
		return
	}
	t.tags = append(t.tags, s.Grants...)
	for i := range s.Modifiers {
		t.attrs = append(t.attrs, s.Modifiers[i].Attr)
	}
}

// after returns the parts of the owner that the actions of a buff change when the buff is applied.
// These actions run after the list that applies the buff. The parameter `id` is the buff's
// definition, and `seen` contains the definitions that were visited before.
func (l *linter) after(id string, seen map[string]bool) (t touched) {
	if seen[id] {
		return t
	}
	seen[id] = true
	s := l.byID[id].spec
	list := s.On.Exec
	if s.Kind != define.Instant {
		list = s.On.Apply
	}
	for i := range list {
		a := &list[i]
		if a.To != define.ToOwner {
			continue
		}
		switch a.Do {
		case define.DoChange, define.DoDamage:
			t.attrs = append(t.attrs, a.Change.Attr)
		case define.DoRemove:
			if a.Name != "" {
				t.add(l.byID[a.Name].spec)
			}
		case define.DoApply:
			t.add(l.byID[a.Name].spec)
			more := l.after(a.Name, seen)
			t.attrs, t.tags, t.buffs = append(t.attrs, more.attrs...), append(t.tags, more.tags...), append(t.buffs, more.buffs...)
		}
	}
	return t
}

// readBy returns the parts that an action reads. The result `turn` has the parts that are read when
// the action runs. The result `early` has the parts that are read before the first action of the
// list runs, because the action's number depends on them.
func (l *linter) readBy(a *define.Action) (turn, early touched) {
	if a.If != nil {
		turn.attrs = ownAttrs(a.If)
	}
	turn.tags = slices.Concat(a.IfTags.All, a.IfTags.Any, a.IfTags.None)
	switch a.Do {
	case define.DoChange, define.DoDamage:
		if a.Change.By.Snapshot == define.SnapshotRun {
			turn.attrs = append(turn.attrs, ownAttrs(&a.Change.By)...)
		} else {
			early.attrs = ownAttrs(&a.Change.By)
		}
	case define.DoRemove, define.DoExtend, define.DoUse, define.DoRate:
		turn.buffs = []string{a.Name}
	case define.DoApply:
		s := l.byID[a.Name].spec
		r := &s.Require.Apply
		turn.tags = slices.Concat(turn.tags, r.All, r.Any, r.None)
		eachNumber(s, func(n *define.Number) { turn.attrs = append(turn.attrs, ownAttrs(n)...) })
	}
	return turn, early
}

// ownAttrs returns the attributes of the owner that a number reads.
func ownAttrs(n *define.Number) (attrs []string) {
	switch {
	case n.From == define.FromAttr && n.Of == define.OfOwner:
		return []string{n.Attr}
	case n.From == define.FromFormula && n.Formula != nil:
		for _, r := range n.Formula.Reads() {
			if r.Kind == define.ReadAttribute && r.Of == define.OfOwner {
				attrs = append(attrs, r.Name)
			}
		}
	}
	return attrs
}

// eachNumber calls `do` with each number of a definition.
func eachNumber(s *buff.Spec, do func(*define.Number)) {
	for i := range s.Params {
		do(&s.Params[i].Value)
	}
	for i := range s.Vars {
		do(&s.Vars[i].Base)
	}
	for i := range s.Modifiers {
		do(&s.Modifiers[i].Value)
	}
	eachAction(s, func(_ string, a *define.Action) {
		if a.Change != nil {
			do(&a.Change.By)
		}
		for _, n := range []*define.Number{a.If, a.By} {
			if n != nil {
				do(n)
			}
		}
		if a.With != nil {
			for _, w := range a.With.Numbers() {
				if *w.Number != nil {
					do(*w.Number)
				}
			}
		}
	})
	for _, n := range []*define.Number{s.DurationScale, s.HasteBy, s.PeriodFrom, s.Require.If, s.Shield.By} {
		if n != nil {
			do(n)
		}
	}
}

// meets returns the name of a part that is both in `changed` and in `read`, or "" if there is none.
// An action that reads a tag also reads the tags below it.
func meets(changed, read touched) string {
	for _, a := range read.attrs {
		if slices.Contains(changed.attrs, a) {
			return "the attribute " + brief(a)
		}
	}
	for _, tag := range read.tags {
		if slices.ContainsFunc(changed.tags, func(t string) bool { return isBelow(t, tag) }) {
			return "the tag " + brief(tag)
		}
	}
	for _, id := range read.buffs {
		if slices.Contains(changed.buffs, id) {
			return "the buff " + brief(id)
		}
	}
	return ""
}

// readsEarly finds actions that read a part of the owner too early. An earlier action of the same
// list changes that part, but the change has not taken effect yet.
func (l *linter) readsEarly(d *definition) {
	eachList(d.spec, func(field string, list []define.Action) {
		for j := range list {
			if list[j].To == define.ToOwner || list[j].Change != nil {
				l.readEarly(d, field, list, j)
			}
		}
	})
}

// readEarly checks the action with index j of a list.
func (l *linter) readEarly(d *definition, field string, list []define.Action, j int) {
	turn, early := l.readBy(&list[j])
	at := element(field, j) + "." + list[j].Do.String()
	for i := range list[:j] {
		a := &list[i]
		if a.To != define.ToOwner {
			continue
		}
		var now, after touched
		switch a.Do {
		case define.DoChange, define.DoDamage:
			now.attrs = []string{a.Change.Attr}
		case define.DoApply:
			now.add(l.byID[a.Name].spec)
			after = l.after(a.Name, map[string]bool{})
		case define.DoRemove:
			if a.Name != "" {
				now.add(l.byID[a.Name].spec)
			}
		}
		if what := meets(after, turn); what != "" {
			l.warn(d, at, "reads %s before %s changes it: the actions of a list run first, and the buffs that they apply act after them; make this the last action of %s",
				what, brief(a.Name), brief(a.Name))
			return
		}
		if what := meets(now, early); what != "" {
			l.warn(d, at, "reads %s as it is before %s: the numbers of a list are evaluated before its first action; move this action up, or put it into an instant and apply that here",
				what, element(field, i))
			return
		}
		if what := meets(after, early); what != "" {
			l.warn(d, at, "reads %s as it is before %s: the numbers of a list are evaluated before its first action; make this the last action of %s",
				what, element(field, i), brief(a.Name))
			return
		}
	}
}

// eachList calls `do` with each list of actions in a definition, in the order of the fields.
func eachList(s *buff.Spec, do func(field string, list []define.Action)) {
	var fields []string
	lists := map[string][]define.Action{}
	eachAction(s, func(field string, a *define.Action) {
		list := field[:strings.LastIndexByte(field, '[')]
		if lists[list] == nil {
			fields = append(fields, list)
		}
		lists[list] = append(lists[list], *a)
	})
	for _, f := range fields {
		do(f, lists[f])
	}
}

// reaction is an action that applies a buff in reaction to an act or to the owner's death.
type reaction struct {
	d        *definition
	list, at string // fields, such as on.act.hit and on.act.hit[0].apply
	spec     *buff.Spec
}

// asksTogether finds buffs that react to the same act and share a cooldown that has no effect. The
// cooldown is a tag that each reaction requires to be absent and later grants. The cooldown has no
// effect because all reactions check the tag before any of them has granted it.
func (l *linter) asksTogether() {
	var all []reaction
	for _, d := range l.defs {
		eachList(d.spec, func(field string, list []define.Action) {
			for i := range list {
				if (strings.HasPrefix(field, "on.act.") || field == "on.death") && list[i].Do == define.DoApply && list[i].To == define.ToOwner {
					all = append(all, reaction{d, field, element(field, i) + ".apply", l.byID[list[i].Name].spec})
				}
			}
		})
	}
	for _, r := range all {
		tag, other := "", reaction{}
		for _, o := range all {
			same := o.d == r.d
			if r.list != o.list || same && (other.d != nil || r.d.spec.Stack.By == define.ByTarget) || !same && other.d != nil && other.d != r.d {
				continue
			}
			if t := meets(l.after(o.spec.ID, map[string]bool{}), touched{tags: r.spec.Require.Apply.None}); t != "" {
				tag, other = t, o
			}
		}
		if other.d == nil {
			continue
		}
		whom := brief(r.d.spec.ID) + " and " + brief(other.d.spec.ID)
		if r.d == other.d {
			whom = "two of " + brief(r.d.spec.ID)
		}
		l.warn(r.d, r.at, "%s requires that %s is missing: at one act %s on one owner check this before any of them has granted it; move the requirement to the buff that grants it, and let that buff apply the rest",
			brief(r.spec.ID), tag, whom)
	}
}
