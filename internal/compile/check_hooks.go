package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
)

// hooks checks and compiles the lists of actions.
func (k *checker) hooks(s *Program) {
	h := &s.On
	if len(h.Exec) > 0 && s.Kind != define.Instant {
		k.failf("on.exec", "is for instant buffs, and this one is %v", s.Kind)
	}
	if s.Kind == define.Instant {
		for _, u := range []struct {
			field string
			used  bool
		}{
			{"on.apply", len(h.Apply) > 0},
			{"on.refresh", len(h.Refresh) > 0},
			{"on.overflow", len(h.Overflow) > 0},
			{"on.act", len(h.Act) > 0},
			{"on.death", len(h.Death) > 0},
			{"on.absorb", len(h.Absorb) > 0},
			{"on.when", h.When != nil},
			{"on.remove", len(h.Remove)+len(h.RemoveAny) > 0},
		} {
			if u.used {
				k.failf(u.field, "an instant buff is never carried: use on.exec")
			}
		}
	}
	s.Apply = k.ops("on.apply", &h.Apply)
	s.Refresh = k.ops("on.refresh", &h.Refresh)
	s.Pulse = k.ops("on.pulse", &h.Pulse)
	s.Exec = k.ops("on.exec", &h.Exec)
	s.Overflow = k.ops("on.overflow", &h.Overflow)
	s.Death = k.ops("on.death", &h.Death)
	s.Absorb = k.ops("on.absorb", &h.Absorb)
	if len(h.Absorb) > 0 && !s.Shield.On && s.Kind != define.Instant {
		k.failf("on.absorb", "needs a shield")
	}
	k.when(s)
	k.reactions(s)
	anyway := k.ops("on.remove.any", &h.RemoveAny) // these run after the actions for the reason: see Program.ending
	h.Remove = maps.Clone(h.Remove)
	for r := reason.None + 1; r <= reason.LastRemoval; r++ {
		list, ok := h.Remove[r]
		s.Remove[r] = append(k.ops("on.remove."+r.String(), &list), anyway...)
		if ok {
			h.Remove[r] = list
		}
	}
	for _, r := range slices.Sorted(maps.Keys(h.Remove)) {
		if !r.Removes() {
			k.failf("on.remove."+r.String(), "is not a reason that ends a buff")
		}
	}
}

// when checks and compiles on.when.
func (k *checker) when(s *Program) {
	if s.On.When == nil {
		return
	}
	w := *s.On.When
	s.On.When = &w
	w.If.Snapshot = define.SnapshotApply
	if w.If.From != define.FromFormula {
		k.failf("on.when.if", "want a formula")
		return
	}
	s.When = k.number("on.when.if", "", &w.If)
	for _, r := range s.When.Reads {
		if r.Kind == define.ReadCaller || r.Kind == define.ReadAttribute && r.Whom == define.OfSource {
			k.failf("on.when.if", "reads only attributes of the owner, level, stacks and magnitude")
			break
		}
	}
	if s.WhenDo = k.ops("on.when.do", &w.Do); len(s.WhenDo) == 0 {
		k.failf("on.when.do", "has no actions")
	}
}

// reactions checks and compiles the actions for acts, in the order of their names.
func (k *checker) reactions(s *Program) {
	names := slices.Sorted(maps.Keys(s.On.Act))
	s.On.Act = maps.Clone(s.On.Act)
	for _, name := range names {
		act := k.act("on.act."+name, name)
		list := s.On.Act[name]
		ops := k.ops("on.act."+name, &list)
		s.On.Act[name] = list
		if len(ops) > 0 {
			s.reactions = append(s.reactions, reaction{act, ops})
			s.ReactsTo |= Bit(act)
			if slices.Contains(s.On.ActBySource, name) {
				s.BySource |= Bit(act)
			}
		}
	}
	s.On.ActBySource = slices.Clone(s.On.ActBySource)
	for _, name := range s.On.ActBySource {
		if _, ok := s.On.Act[name]; !ok {
			k.failf("on.act."+name, "has no actions, so by: source has no effect")
		}
	}
}

// to checks the target of an action and returns it.
func (k *checker) to(at, field string, a *define.Action) define.To {
	switch {
	case a.To > define.ToBearers:
		k.failf(at, "%v is not one of owner, source, target and bearers", a.To)
		return define.ToOwner
	case a.To != define.ToOwner && a.Do == define.DoCall:
		k.failf(at, "a handler is called for the owner: it says itself whom its commands are for")
	case a.To != define.ToBearers && a.Of != "":
		k.failf(at, "want bearers for %q, not %v", a.Of, a.To)
	case a.To == define.ToTarget && field != "on.death" && field != "on.absorb" && !strings.HasPrefix(field, "on.act.") && !removersField(field):
		k.failf(at, "only an act, a death, an absorption and some removals have a target: on.act, on.death, on.absorb, on.remove.dispelled")
	}
	return a.To
}

// HasRemover reports whether buffs that end for a reason may have been ended by another owner, which
// is the target of the actions of on.remove: who dispelled or stole the buff, or killed its owner.
func HasRemover(why reason.Reason) bool {
	switch why {
	case reason.Cancelled, reason.Dispelled, reason.Stolen, reason.Consumed, reason.Broken, reason.Death, reason.Interrupted:
		return true
	}
	return false
}

// removersField reports whether a field is the list of on.remove for such a reason.
func removersField(field string) bool {
	word, ok := strings.CutPrefix(field, "on.remove.")
	var why reason.Reason
	return ok && why.UnmarshalText([]byte(word)) == nil && HasRemover(why)
}

// ops checks and compiles a list of actions, and replaces the list with a copy that the caller of
// NewCatalog cannot change. An action with an error keeps its place in the result, so that the
// places of the others do not change and all errors are found.
func (k *checker) ops(field string, list *[]define.Action) []Op {
	*list = slices.Clone(*list)
	ops := make([]Op, 0, len(*list))
	for i, a := range *list {
		o := Op{Do: a.Do, To: k.to(element(field, i)+".to", field, &a)}
		k.readsBuff = false
		at := fmt.Sprintf("%s[%d].%v", field, i, a.Do)
		if a.To == define.ToBearers {
			if o.Of = k.ref(element(field, i)+".to.bearers", a.Of); o.Of != nil {
				o.Of.Borne = true
			}
		}
		switch a.Do {
		case define.DoCall:
			if a.Name == "" {
				k.failf(at, "the handler's name is missing")
			}
			o.Handler = k.catalog.handler(a.Name)
		case define.DoApply:
			o.Spec = k.ref(at, a.Name)
			o.With = k.with(at, field, &(*list)[i])
		case define.DoRemove, define.DoExtend, define.DoUse, define.DoRate, define.DoDispel:
			k.onBuffs(element(field, i), at, field, &(*list)[i], &o)
		case define.DoSet, define.DoAdd:
			k.setVar(at, field, &(*list)[i], &o)
		case define.DoKill, define.DoRevive:
		case define.DoNothing:
			if a.Weight == 0 {
				k.failf(at, "is for alternatives of one_of, with a weight")
			}
		case define.DoChange, define.DoDamage:
			o.Change = k.change(at, field, &(*list)[i])
		default:
			k.failf(at, "%v is not an action", a.Do)
		}
		if a.If != nil {
			c := *a.If
			(*list)[i].If = &c
			o.If = k.run(element(field, i)+".if", field, &c)
		}
		o.Tags = k.condition(element(field, i)+".if_tags", &(*list)[i].IfTags)
		k.within(element(field, i)+".weight", a.Weight, 0, define.MaxWeight)
		o.OneOf, o.Weight = int32(a.OneOf), int32(max(a.Weight, 1))
		o.ReadsBuff = k.readsBuff
		k.current.readsBuff = k.current.readsBuff || k.readsBuff
		ops = append(ops, o)
	}
	k.alternatives(field, ops)
	return ops
}

// alternatives checks which actions of a list are alternatives.
func (k *checker) alternatives(field string, ops []Op) {
	for i := 0; i < len(ops); i++ {
		n := int(ops[i].OneOf)
		if n < 0 || n > len(ops)-i {
			k.failf(element(field, i)+".one_of", "%d alternatives, and the list has %d more actions", n, len(ops)-i)
			return
		}
		for j := i + 1; j < i+n; j++ {
			if ops[j].OneOf != 0 {
				k.failf(element(field, j)+".one_of", "an alternative cannot have alternatives")
			}
		}
		i += max(n-1, 0)
	}
}

// onBuffs checks and compiles an action on running buffs.
func (k *checker) onBuffs(element, at, list string, a *define.Action, o *Op) {
	o.FromSource, o.Stacks, o.AtMost = a.FromSource, a.Stacks, a.AtMost
	switch {
	case a.Query != nil && (a.Do == define.DoUse || a.Do == define.DoRate):
		k.failf(at, "want the ID of a definition, not a query")
	case a.Query == nil && a.Do == define.DoDispel, a.Query != nil && a.Name != "":
		k.failf(at, "want an ID or a query")
	case a.Query == nil:
		o.Spec = k.ref(at, a.Name)
	default:
		o.Query = k.query(at, a)
	}
	k.within(at+".stacks", a.Stacks, 0, define.MaxStacks)
	k.whole(at+".at_most", a.AtMost)
	if a.Do == define.DoRemove {
		o.Reason = reason.Cancelled
		if a.Reason.Removes() {
			o.Reason = a.Reason
		} else if a.Reason != reason.None {
			k.failf(element+".reason", "%v is not a reason that ends a buff", a.Reason)
		}
	}
	switch a.Do {
	case define.DoExtend:
		k.by(at+".by", list, a, o, a.Name)
	case define.DoRate:
		k.by(at+".value", list, a, o, a.Name)
	}
}

// by checks and compiles the number Action.By. Of is a name for it within the list.
func (k *checker) by(at, list string, a *define.Action, o *Op, of string) {
	if a.By == nil {
		k.failf(at, "missing")
		return
	}
	c := *a.By
	a.By, o.Change = &c, &Change{Pulsed: c.Snapshot == define.SnapshotPulse}
	k.operand(at, list, fmt.Sprintf("%s.%v.%s", list, a.Do, of), &c, o.Change)
}

// setVar checks and compiles an action that changes a variable.
func (k *checker) setVar(at, list string, a *define.Action, o *Op) {
	vars := k.current.Spec.Vars
	o.Var = slices.IndexFunc(vars, func(v define.Var) bool { return v.Name == a.Var })
	switch {
	case list == "on.exec":
		k.failf(at, "an instant buff has no variables")
	case o.Var < 0:
		o.Var = 0
		k.failf(at+".var", "no variable %q%s", a.Var, k.nearVar(a.Var))
	case a.To != define.ToOwner:
		k.failf(at, "changes a variable of this buff, so to must be owner")
	}
	if a.Do == define.DoSet {
		at += ".value"
	} else {
		at += ".by"
	}
	k.by(at, list, a, o, a.Var)
}

// vars checks and compiles the variables.
func (k *checker) vars(s *Program) {
	if n := len(s.Spec.Vars); n > define.MaxVars {
		k.failf("vars", "%d are more than %d", n, define.MaxVars)
	}
	if len(s.Spec.Vars) > 0 && s.Stack.Timers != define.TimersShared {
		k.failf("vars", "need timers shared, not %v", s.Stack.Timers)
	}
	s.Spec.Vars = slices.Clone(s.Spec.Vars)
	seen := map[string]bool{}
	for i := range min(len(s.Spec.Vars), define.MaxVars) {
		v := &s.Spec.Vars[i]
		field := "vars." + v.Name
		switch {
		case v.Name == "":
			field = element("vars", i)
			k.failf(field, "the name is empty")
		case !isWord(v.Name) || strings.Contains(v.Name, "/"):
			k.failf(field, "the name must not have spaces, control characters or slashes")
		case seen[v.Name]:
			k.failf(field, "there is one of that name already")
		}
		seen[v.Name] = true
		c := Var{Name: v.Name, Min: -stat.MaxValue, Max: stat.MaxValue, Base: k.kept(field+".base", field, &v.Base)}
		if v.Min != nil {
			c.Min = *v.Min
		}
		if v.Max != nil {
			c.Max = *v.Max
		}
		switch {
		case !Finite(c.Min) || !Finite(c.Max):
			k.failf(field, "min and max must be finite")
		case c.Min > c.Max:
			k.failf(field+".min", "%v is above max, which is %v", c.Min, c.Max)
		case v.Min == nil && len(v.AtMin) > 0:
			k.failf(field+".at_min", "needs min")
		case v.Max == nil && len(v.AtMax) > 0:
			k.failf(field+".at_max", "needs max")
		}
		c.AtMin, c.AtMax = k.ops(field+".at_min", &v.AtMin), k.ops(field+".at_max", &v.AtMax)
		s.Vars = append(s.Vars, c)
	}
}

// query checks and compiles the query of an action.
func (k *checker) query(at string, a *define.Action) *Query {
	c := *a.Query
	a.Query = &c
	q := &Query{Query: c}
	if a.Do != define.DoDispel {
		at += ".buff"
	}
	if c.ID != "" {
		q.Spec = k.ref(at+".buff", c.ID)
	}
	if c.Tag != "" {
		tags := []string{c.Tag}
		if list := k.tagList(at+".tag", &tags); len(list) > 0 {
			q.Tag = list[0]
		}
	}
	if c.Polarity > define.Negative || c.Neutral && c.Polarity != define.Neutral {
		k.failf(at+".polarity", "%v is not one of neutral, positive and negative", c.Polarity)
	}
	switch {
	case c.Grade > define.GradeDeath:
		k.failf(at+".grade", "must be basic, strong or death, not %v", c.Grade)
	case c.Grade != 0 && a.Do != define.DoDispel:
		k.failf(at+".grade", "is for dispel")
	}
	k.within(at+".most", c.Most, 0, maxCount)
	return q
}
