package definition

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// endless finds infinite buffs that have modifiers, if nothing in the files ends them.
func (l *linter) endless(d *definition) {
	s := d.spec
	if s.Kind != define.Infinite || len(s.Modifiers) == 0 || l.ends(d) {
		return
	}
	but := ""
	if s.OnDeath == define.FateDefault || s.OnDeath == define.FateRemove {
		but = " except the death of its owner; if that is enough, set on_death: remove"
	}
	l.warn(d, "duration", "infinite with modifiers, and nothing in the files ends it%s", but)
}

// ends reports whether anything in the files can end a buff.
func (l *linter) ends(d *definition) bool {
	s := d.spec
	for _, field := range []string{"on_death", "on_area", "on_source_gone", "interrupt", "charges", "shield", "require.remove", "group", "slot", "per_source"} {
		if _, ok := d.places.get(field); ok && (field != "charges" || s.Charges.Recharge == 0) {
			return true
		}
	}
	if s.Dispel.Type != "" && s.Dispel.Grade != define.GradeUndispellable || s.Immune == define.ImmuneRemove {
		return true
	}
	if slices.ContainsFunc(s.Stack.Thresholds, func(t define.Threshold) bool { return t.Consume != 0 }) || s.Stack.Overflow == define.OverflowClear {
		return true
	}
	return l.endedBy()[s.ID]
}

// endedBy returns the IDs of the definitions whose buffs can be ended by an action, a link or an
// aura.
func (l *linter) endedBy() map[string]bool {
	if l.ended != nil {
		return l.ended
	}
	l.ended = map[string]bool{}
	for _, d := range l.defs {
		for _, id := range d.spec.Links {
			l.ended[id] = true
		}
		if a := d.spec.Aura.Apply; a != "" {
			l.ended[a] = true
		}
		eachAction(d.spec, func(_ string, a *define.Action) {
			switch {
			case a.Do == define.DoRemove && a.Name != "":
				l.ended[a.Name] = true
			case a.Do == define.DoRemove:
				l.endedByQuery(a.Query)
			}
		})
	}
	return l.ended
}

// endedByQuery adds the definitions whose buffs a query can match.
func (l *linter) endedByQuery(q *define.Query) {
	for _, d := range l.defs {
		s := d.spec
		tagged := func(tag string) bool { return isBelow(tag, q.Tag) }
		if (q.Type == "" || q.Type == s.Dispel.Type) && (q.Tag == "" || slices.ContainsFunc(s.Tags, tagged) || slices.ContainsFunc(s.Grants, tagged)) {
			l.ended[s.ID] = true
		}
	}
}

// oneStack finds numbers that set per_stack in buffs that have at most one stack.
func (l *linter) oneStack(d *definition) {
	s := d.spec
	if s.Stack.Limit > 1 || s.Stack.Timers == define.TimersQueue || s.Kind == define.Instant {
		return
	}
	const text = "there is never more than one stack: set stack.limit, or leave it out"
	for i := range s.Modifiers {
		if s.Modifiers[i].PerStack {
			l.warn(d, element("modifiers", i)+".per_stack", text)
		}
	}
	eachAction(s, func(field string, a *define.Action) {
		if a.Change != nil && a.Change.PerStack {
			l.warn(d, join(join(field, a.Do.String()), "per_stack"), text)
		}
	})
}

// wrongWay finds negative buffs that multiply an attribute by more than 1, and positive buffs that
// multiply it by less than 1. The designer has probably written a factor, but the operation adds
// the value to 1. Attributes for which higher values are bad for the owner are not checked.
func (l *linter) wrongWay() {
	hurts := l.hurtful()
	for _, d := range l.defs {
		for i := range d.spec.Modifiers {
			m, sign := &d.spec.Modifiers[i], l.signOf(&d.spec.Modifiers[i].Value)
			if m.Op != stat.MulAdd && m.Op != stat.MulCompound || hurts[m.Attr] {
				continue
			}
			by, hint := "more than 1", "; is more of it worse?"
			switch {
			case d.spec.Polarity == define.Positive && sign < 0:
				by, hint = "less than 1", "; is less of it better?"
			case d.spec.Polarity != define.Negative || sign <= 0:
				continue
			}
			if v := m.Value.Const; m.Value.From == define.FromConst {
				by = sixDigits(1 + v)
				switch {
				case v < 0 && v > -1:
					hint = "; for ×" + sixDigits(1-v) + " write " + sixDigits(-v) + ", unless less of it is better"
				case v > 0 && v < 1: // the value was probably meant as the factor
					hint = "; for ×" + sixDigits(v) + " write " + sixDigits(v-1) + ", unless more of it is worse"
				}
			}
			l.warn(d, element("modifiers", i)+".value", "a %v buff multiplies %s by %s, since %v adds the value to 1%s", d.spec.Polarity, brief(m.Attr), by, m.Op, hint)
		}
	}
}

// hurtful returns the attributes for which higher values are bad for the owner, because they
// increase the damage that the owner takes or lower an attribute with the setting "at_min: kill".
func (l *linter) hurtful() map[string]bool {
	hurts := map[string]bool{}
	for _, a := range l.attrs.list {
		if a.DamageTaken != "" {
			hurts[a.Name] = true
		}
	}
	for _, d := range l.defs {
		eachAction(d.spec, func(_ string, a *define.Action) {
			if a.Change == nil || a.Do == define.DoChange && !l.kills(a.Change.Attr) {
				return
			}
			for _, attr := range ownAttrs(&a.Change.By) {
				more := l.risesWith(&a.Change.By, attr)
				if a.Do == define.DoDamage && more > 0 || a.Do == define.DoChange && more < 0 {
					hurts[attr] = true
				}
			}
		})
	}
	return hurts
}

// kills reports whether the owner dies when an attribute reaches its minimum.
func (l *linter) kills(attr string) bool {
	return slices.ContainsFunc(l.attrs.list, func(a define.Attribute) bool { return a.Name == attr && a.AtMin == define.AtMinKill })
}

// risesWith returns a value that is positive if a number rises with an attribute, and negative if
// it falls. For a formula, this is the change of the result if the attribute rises by a tenth of
// its base while all parameters of the application are 100.
func (l *linter) risesWith(n *define.Number, attr string) float64 {
	if n.From == define.FromAttr {
		return cmp.Or(n.Coef, 1)
	}
	f, ok := n.Formula.(*formula)
	if !ok {
		return 0
	}
	at := func(more float64) float64 {
		in := define.Inputs{Level: 1, Stacks: 1, Magnitude: 100}
		for _, r := range f.reads {
			v := l.attrs.bases[r.Name]
			if r.Kind != define.ReadAttribute {
				v = 100
			} else if r.Name == attr && r.Of == define.OfOwner {
				v += more
			}
			in.Reads = append(in.Reads, v)
		}
		v, _ := f.Eval(in)
		return v
	}
	return at(max(1, math.Abs(l.attrs.bases[attr]))/10) - at(0)
}

// sixDigits formats a number with at most six digits.
func sixDigits(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// signOf returns 1 if all values of n are positive, -1 if all are negative, and otherwise 0. Only
// the values that the files determine are considered.
func (l *linter) signOf(n *define.Number) int {
	values := l.valuesOf(n)
	switch {
	case len(values) == 0:
		return 0
	case slices.Min(values) > 0:
		return 1
	case slices.Max(values) < 0:
		return -1
	}
	return 0
}

// valuesOf returns the values of a number at some levels, with all attributes at their bases. If
// the number depends on the application and has no default, valuesOf returns nil.
func (l *linter) valuesOf(n *define.Number) (values []float64) {
	switch n.From {
	case define.FromConst:
		return []float64{n.Const}
	case define.FromCurve:
		for _, p := range n.Curve.Points() {
			values = append(values, p.Value)
		}
	case define.FromAttr:
		return []float64{(l.attrs.bases[n.Attr]+n.Pre)*cmp.Or(n.Coef, 1) + n.Post}
	case define.FromCaller:
		if n.Default {
			return []float64{n.Const}
		}
	case define.FromFormula:
		if f, ok := n.Formula.(*formula); ok {
			return f.samples(l.attrs.bases)
		}
	}
	return values
}
