package judge

import (
	"encoding/json"
	"math"
	"math/big"
)

// Actions that do what the commands of one owner do, and the
// variables of a buff. If the owner has no such buff, the action has no effect and no line.

// idOrQuery is the ID of a definition, or a query.
type idOrQuery struct {
	ID    string
	query *query
}

// UnmarshalJSON reads an ID or a query.
func (q *idOrQuery) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &q.ID) == nil {
		return nil
	}
	q.query = &query{}
	return strictly(text, q.query)
}

// removed is the ID of a definition, or the buffs to remove.
type removed struct {
	Buff   idOrQuery
	Stacks int
	From   string // "source", or any source
}

// UnmarshalJSON reads an ID, or a JSON object with the fields of removed.
func (r *removed) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &r.Buff.ID) == nil {
		return nil
	}
	type plain removed
	return strictly(text, (*plain)(r))
}

type extended struct {
	Buff   idOrQuery
	From   string
	By     number // in seconds
	AtMost *span  `json:"at_most"`
}

type used struct {
	Buff    string
	From    string
	Charges int
}

// UnmarshalJSON reads an ID, or a JSON object with the fields of used.
func (u *used) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &u.Buff) == nil {
		return nil
	}
	type plain used
	return strictly(text, (*plain)(u))
}

type dispelled struct {
	query
	From   string
	Stacks int
}

type rated struct {
	Buff  string
	From  string
	Value number
}

// variable is a number that each instance of a definition has.
type variable struct {
	Base         number
	Min, Max     *float64
	AtMin, AtMax []action
}

type assigned struct {
	Var   string
	Value number
}

type added struct {
	Var string
	By  number
}

// UnmarshalJSON reads a number or the fields of a variable.
func (v *variable) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return v.Base.UnmarshalJSON(text)
	}
	var all struct {
		Base     *number
		Min, Max *float64
		AtMin    []action `json:"at_min"`
		AtMax    []action `json:"at_max"`
	}
	err := strictly(text, &all)
	if all.Base == nil {
		all.Base = &number{Const: new(float64)}
	}
	*v = variable{*all.Base, all.Min, all.Max, all.AtMin, all.AtMax}
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

func (c *command) removes() bool { return c.Remove.Buff.ID != "" || c.Remove.Buff.query != nil }

// named returns the buff that an action names: the source's oldest one or, unless the action is
// limited to buffs of the source, the oldest one.
func (o *owner) named(id, from string, c command) *instance {
	b := o.oldestBy(id, c.source)
	switch {
	case b == nil || from == "source" && b.source != c.source:
		return nil
	case b != o.oldest(id):
		o.all.mark(markRemoveSource)
	}
	return b
}

// chosen returns the buffs of an action that has an ID or a query.
func (o *owner) chosen(q idOrQuery, from string, c command, takes func(*instance) bool) []*instance {
	if q.query == nil {
		if b := o.named(q.ID, from, c); b != nil && takes(b) {
			return []*instance{b}
		}
		return nil
	}
	all := o.found(limitedTo(*q.query, from, c), takes)
	if q.query.Most > 0 && len(all) > q.query.Most {
		all = all[:q.query.Most]
	}
	return all
}

// limitedTo adds the source of an action to a query.
func limitedTo(q query, from string, c command) query {
	if from == "source" {
		q.Source = c.source
	}
	return q
}

// removeBy removes the buffs that an action names, or some of their stacks.
func (o *owner) removeBy(c command) {
	if c.Remove.Buff.query != nil {
		o.all.mark(markRemoveQuery)
	}
	for _, b := range o.chosen(c.Remove.Buff, c.Remove.From, c, func(*instance) bool { return true }) {
		if !b.gone {
			o.take(b, or0(c.Remove.Stacks, b.count()), or(c.Reason, "cancelled"))
		}
	}
}

// verb executes one of the commands that an action can give.
func (o *owner) verb(c command) {
	switch {
	case c.Extend != nil:
		for _, b := range o.chosen(c.Extend.Buff, c.Extend.From, c, (*instance).ends) {
			if !b.gone && b.ends() {
				o.extendOne(b, seconds(c.values[&c.Extend.By]), c.Extend.AtMost)
			}
		}
	case c.Revive:
		o.revive()
	case c.Use != nil:
		if b := o.named(c.Use.Buff, c.Use.From, c); b != nil && b.def.Charges != nil {
			o.useCharges(b, max(c.Use.Charges, 1), "consumed")
		}
	case c.Dispel != nil:
		o.dispelWhere(limitedTo(c.Dispel.query, c.Dispel.From, c), c.Dispel.Stacks)
	case c.Rate != nil:
		hundredths := math.Floor(c.values[&c.Rate.Value]*100 + 0.5)
		if hundredths < 1 || hundredths > 1000 {
			o.say("error %swhy=value", c.who)
			return
		}
		if b := o.named(c.Rate.Buff, c.Rate.From, c); b != nil {
			if o.catchesUp(b); !b.gone {
				o.pace(b, big.NewRat(int64(hundredths), 100))
			}
		}
	case c.Set != nil:
		o.assign(c, c.Set.Var, c.values[&c.Set.Value])
	case c.Add != nil && c.on != nil:
		o.assign(c, c.Add.Var, c.on.vars[c.Add.Var]+c.values[&c.Add.By])
	}
}
