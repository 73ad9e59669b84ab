package judge

import (
	"encoding/json"
	"math/big"
	"slices"
)

// The second edition of the language: actions that do what the commands of one owner do, and the
// variables of a buff. If the owner has no such buff, the action has no effect and no line.

// selection is a query for an action. The tags are those of a definition.
type selection struct {
	query
	tagTest
}

// selects reports whether a query matches a buff.
func (s *selection) selects(b *instance) bool {
	has := func(tag string) bool { return b.def.tagged(tag) }
	return s.matches(b) && !slices.ContainsFunc(s.None, has) && (len(s.Any) == 0 || slices.ContainsFunc(s.Any, has)) &&
		!slices.ContainsFunc(s.All, func(tag string) bool { return !has(tag) })
}

// idOrQuery is the ID of a definition, or a query.
type idOrQuery struct {
	ID    string
	query selection
}

// UnmarshalJSON reads an ID or a query.
func (q *idOrQuery) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &q.ID) == nil {
		return nil
	}
	return strictly(text, &q.query)
}

// removed is the ID of a definition, or an ID with a number of stacks and a source, or a query.
type removed struct {
	ID     string `json:"buff"`
	Stacks int
	From   string // "source" or "any"; by default the source's buff or, if there is none, any
	Query  *selection
}

// UnmarshalJSON reads an ID, or a JSON object with the fields of removed.
func (r *removed) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &r.ID) == nil {
		return nil
	}
	type plain removed
	return strictly(text, (*plain)(r))
}

type extended struct {
	Buff   idOrQuery
	By     number // in seconds
	AtMost *span  `json:"at_most"`
}

type used struct {
	Buff    string
	Charges int
}

type dispelled struct {
	selection
	Stacks int
}

type rated struct {
	Buff  string
	Value number
}

// variable is a number that each instance of a definition has.
type variable struct {
	Base         number
	Min, Max     *float64
	AtMin, AtMax []action
}

type assigned struct {
	Var string
	To  number
}

type added struct {
	Var string
	By  number
}

func (v *variable) UnmarshalJSON(text []byte) error {
	var all struct {
		Base     number
		Min, Max *float64
		AtMin    []action `json:"at_min"`
		AtMax    []action `json:"at_max"`
	}
	err := strictly(text, &all)
	*v = variable{all.Base, all.Min, all.Max, all.AtMin, all.AtMax}
	return err
}

// limited returns x, or the limit that x exceeds.
func (v *variable) limited(x float64) float64 {
	if v.Max != nil {
		x = min(x, *v.Max)
	}
	if v.Min != nil {
		x = max(x, *v.Min)
	}
	return x
}

// newVars returns the variables of a new instance. A stolen buff has the values that it had.
func (d *definition) newVars(a application) map[string]float64 {
	all := map[string]float64{}
	for name, v := range d.Vars {
		if a.left != nil {
			all[name] = a.left.vars[name]
		} else {
			all[name] = v.limited(a.numbers[&v.Base].x)
		}
	}
	return all
}

// assign gives a variable a new value, within its limits. A change to the maximum or the minimum
// queues the actions of `at_max` or `at_min`. A buff that has ended has no variables to change.
func (o *owner) assign(c command, name string, to float64) {
	b := c.on
	if b == nil || b.gone || b.def.Vars[name] == nil {
		return
	}
	v, was := b.def.Vars[name], b.vars[name]
	is := v.limited(to)
	b.vars[name] = is
	e := b.eventOf(b.active())
	e.source, e.chain = c.source, c.chain
	if v.Max != nil && was < *v.Max && is == *v.Max {
		o.all.mark(markVarMax)
		o.issue(b.def, v.AtMax, e)
	}
	if v.Min != nil && was > *v.Min && is == *v.Min {
		o.all.mark(markVarMin)
		o.issue(b.def, v.AtMin, e)
	}
}

func (c *command) removes() bool { return c.Remove.ID != "" || c.Remove.Query != nil }

// removeBy removes one buff of a definition, some of its stacks, or all buffs that match a query.
func (o *owner) removeBy(c command) {
	why := or(c.Reason, "cancelled")
	if q := c.Remove.Query; q != nil {
		for _, b := range o.found(q.query, q.selects) {
			if !b.gone {
				o.all.mark(markRemoveQuery)
				o.remove(b, why, "")
			}
		}
		return
	}
	id := c.Remove.ID
	b := o.oldestBy(id, c.source)
	switch {
	case b == nil:
		return
	case c.Remove.From == "any":
		b = o.oldest(id)
	case c.Remove.From == "source" && b.source != c.source:
		return
	case b != o.oldest(id):
		o.all.mark(markRemoveSource)
	}
	o.take(b, or0(c.Remove.Stacks, b.count()), why)
}

// verb executes one of the commands that an action can give.
func (o *owner) verb(c command) {
	switch {
	case c.Extend != nil:
		by := seconds(c.values[&c.Extend.By])
		if c.Extend.Buff.ID != "" {
			o.extend(c.Extend.Buff.ID, by, c.Extend.AtMost)
			return
		}
		for _, b := range o.found(c.Extend.Buff.query.query, c.Extend.Buff.query.selects) {
			if !b.gone && b.ends() {
				o.extendOne(b, by, c.Extend.AtMost)
			}
		}
	case c.Use != nil:
		o.use(c.Use.Buff, c.Use.Charges)
	case c.Dispel != nil:
		o.dispelWhere(c.Dispel.query, c.Dispel.Stacks, c.Dispel.selects)
	case c.Rate != nil:
		rate := new(big.Rat).SetFloat64(c.values[&c.Rate.Value])
		if rate.Sign() <= 0 {
			o.say("error %swhy=value", c.who)
			return
		}
		o.rateBuff(c.Rate.Buff, rate)
	case c.Set != nil:
		o.assign(c, c.Set.Var, c.values[&c.Set.To])
	case c.Add != nil && c.on != nil:
		o.assign(c, c.Add.Var, c.on.vars[c.Add.Var]+c.values[&c.Add.By])
	}
}
