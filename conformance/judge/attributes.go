package judge

// §1.4 Magnitudes and modifiers, and the documentation of the format: Attributes, Curves, Numbers, modifiers.

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
)

// attribute is one of the numbers that every owner has.
type attribute struct {
	Base      float64
	Min, Max  *bound
	Aggregate aggregate
	AtMin     string `json:"at_min"`
}

// bound is a number, or the name of another attribute.
type bound struct {
	name string
	n    float64
}

// UnmarshalJSON reads one of the two.
func (b *bound) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &b.n) == nil {
		return nil
	}
	return json.Unmarshal(text, &b.name)
}

// aggregate is which of several modifiers of one op count: all, the greatest, the least, or the strongest n.
type aggregate struct{ count }

// of is what they come to.
func (a aggregate) of(all []float64) (sum float64) {
	switch {
	case len(all) == 0:
		return 0
	case a.word == "max":
		return slices.Max(all)
	case a.word == "min":
		return slices.Min(all)
	case a.word == "strongest": // "only the N that are farthest from 0"
		all = slices.Clone(all)
		sort.SliceStable(all, func(i, j int) bool { return math.Abs(all[i]) > math.Abs(all[j]) })
		all = all[:min(len(all), a.n)]
	}
	for _, x := range all {
		sum += x // what the dice make are halves and quarters: nothing is rounded
	}
	return sum
}

// curve is a number for each level, with straight lines between them.
type curve map[int]float64

// UnmarshalJSON reads a map from levels, or a list from level 1 on.
func (c *curve) UnmarshalJSON(text []byte) error {
	*c = curve{}
	var list []float64
	if json.Unmarshal(text, &list) == nil {
		for i, x := range list {
			(*c)[i+1] = x
		}
		return nil
	}
	var m map[string]float64
	if err := json.Unmarshal(text, &m); err != nil {
		return notCovered("curve %s", text)
	}
	for k, x := range m {
		level, err := strconv.Atoi(k)
		if err != nil {
			return notCovered("curve %s", text)
		}
		(*c)[level] = x
	}
	return nil
}

// at: "it begins at level 1 or 0; above its last level the last number holds".
func (c curve) at(level int) float64 {
	var levels []int
	for l := range c {
		levels = append(levels, l)
	}
	sort.Ints(levels)
	if level <= levels[0] {
		return c[levels[0]]
	}
	for i, l := range levels {
		if l >= level {
			below := levels[i-1]
			return c[below] + (c[l]-c[below])*float64(level-below)/float64(l-below)
		}
	}
	return c[levels[len(levels)-1]]
}

// number is one, or where it comes from.
type number struct {
	Const           *float64
	Attr, Of        string
	Caller, Curve   string
	Pre, Coef, Post *float64
	Default         *float64
	Formula         string
	Snapshot        string
}

// UnmarshalJSON reads a number, or a map.
func (n *number) UnmarshalJSON(text []byte) error {
	var x float64
	if json.Unmarshal(text, &x) == nil {
		n.Const = &x
		return nil
	}
	type plain number
	return strictly(text, (*plain)(n))
}

// asks says whether a number reads what an application brings under a name.
func (d *definition) asks(name string) bool {
	for _, n := range d.numbers() {
		if n.Caller == name || regexp.MustCompile(`\bcaller\.`+regexp.QuoteMeta(name)+`\b`).MatchString(n.Formula) {
			return true
		}
	}
	return false
}

type modifier struct {
	Attr, Op string
	Channel  int
	Value    number
	PerStack bool `json:"per_stack"`
}

// change is what an action does to an attribute.
type change struct {
	Attr, School string
	By           number
	PerStack     bool `json:"per_stack"`
}

// numbers are all numbers of a definition.
func (d *definition) numbers() (all []*number) {
	for i := range d.Modifiers {
		all = append(all, &d.Modifiers[i].Value)
	}
	for _, name := range sortedKeys(d.Params) {
		all = append(all, d.Params[name])
	}
	if d.Shield != nil && d.Shield.Pool != nil {
		all = append(all, d.Shield.Pool)
	}
	if d.DurationScale != nil {
		all = append(all, d.DurationScale)
	}
	on := d.on()
	lists := [][]action{on.Apply, on.Refresh, on.Pulse, on.Exec, on.Overflow}
	for _, why := range sortedKeys(on.Remove) {
		lists = append(lists, on.Remove[why])
	}
	for _, act := range sortedKeys(on.Act) {
		lists = append(lists, on.Act[act])
	}
	for _, list := range lists {
		for _, a := range list {
			for _, c := range []*change{a.Change, a.Damage} {
				if c != nil {
					all = append(all, &c.By)
				}
			}
		}
	}
	return all
}

// asks works the numbers of an application out. "Missing caller value without default ⇒ Denied{MissingParam}, never silent 0."
func (o *owner) asks(d *definition, a application) (of map[*number]float64, missing bool) {
	if a.left != nil {
		return a.left.numbers, false
	}
	if b := o.joins(d, a); b != nil && !d.queued() { // "the level and the number of stacks that the instance will have afterwards"
		a.stacks += b.count()
		if d.stack().Level == "sum" {
			a.level += b.level
		}
	}
	a.stacks = min(a.stacks, d.limit())
	of = map[*number]float64{}
	for _, n := range d.numbers() {
		x, ok := o.ask(n, a)
		if !ok {
			return nil, true
		}
		of[n] = x
	}
	return of, false
}

// ask is one of them.
func (o *owner) ask(n *number, a application) (x float64, ok bool) {
	preset := func() (float64, bool) {
		if n.Default == nil {
			return 0, false
		}
		return *n.Default, true
	}
	switch {
	case n.Const != nil:
		return *n.Const, true
	case n.Curve != "":
		return o.all.curves[n.Curve].at(a.level), true
	case n.Formula != "":
		return formulas[n.Formula](o, a), true
	case n.Caller != "":
		if x, ok := a.params[n.Caller]; ok {
			return x, true
		}
		return preset()
	}
	from := o
	if n.Of == "source" {
		if from = o.all.find(a.source); from == nil || from.away || a.indirect && from != o {
			return preset()
		}
	}
	return n.reads(from.value(n.Attr)), true
}

// formulas are those that the dice know: the language of formulas is the catalog's, and has tests of its own.
var formulas = map[string]func(o *owner, a application) float64{
	"2 * level + magnitude": func(_ *owner, a application) float64 { return 2*float64(a.level) + float64(a.magnitude) },
	"owner.pow > 8 ? 1.5 : stacks": func(o *owner, a application) float64 {
		if o.value("pow") > 8 {
			return 1.5
		}
		return float64(a.stacks)
	},
}

// reads: "an attribute: (attribute + pre) * coef + post".
func (n *number) reads(x float64) float64 {
	part := func(p *float64, preset float64) float64 {
		if p == nil {
			return preset
		}
		return *p
	}
	return (x+part(n.Pre, 0))*part(n.Coef, 1) + part(n.Post, 0)
}

// value is an attribute with all modifiers of the buffs that have their effect: channel by channel "add, mul-additive,
// mul-compound, final-add, override", then "brought within the attribute's limits: down to max, then up to min".
func (o *owner) value(name string) float64 {
	at := o.all.attributes[name]
	x, ok := o.bases[name]
	if !ok {
		x = at.Base
	}
	for channel := range 10 {
		ops := map[string][]float64{}
		for _, b := range o.byModifier() {
			for i := range b.def.Modifiers {
				if m := &b.def.Modifiers[i]; m.Attr == name && m.Channel == channel {
					y := b.numbers[&m.Value]
					if m.PerStack {
						n, _ := b.pulsingNow()
						y *= float64(n)
					}
					ops[or(m.Op, "add")] = append(ops[or(m.Op, "add")], y)
				}
			}
		}
		x += at.Aggregate.of(ops["add"])
		x *= 1 + at.Aggregate.of(ops["mul_add"])
		sort.Float64s(ops["mul_compound"])
		for _, y := range ops["mul_compound"] {
			x *= 1 + y
		}
		x += at.Aggregate.of(ops["final_add"])
		if n := len(ops["override"]); n > 0 {
			x = ops["override"][n-1]
		}
	}
	return o.limited(name, x)
}

// byModifier are the buffs that have their effect, in the order in which their modifiers came: "override newest wins".
func (o *owner) byModifier() []*instance {
	var all []*instance
	for _, b := range o.buffs {
		if b.works() {
			all = append(all, b)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].given < all[j].given })
	return all
}

func (o *owner) limited(name string, x float64) float64 {
	at := o.all.attributes[name]
	if at.Max != nil {
		x = min(x, o.bound(at.Max))
	}
	if at.Min != nil {
		x = max(x, o.bound(at.Min))
	}
	return x
}

func (o *owner) bound(b *bound) float64 {
	if b.name != "" {
		return o.value(b.name)
	}
	return b.n
}

func (o *owner) base(name string) float64 {
	if x, ok := o.bases[name]; ok {
		return x
	}
	return o.all.attributes[name].Base
}

// changes adds to a base: "permanent: instant and periodic change the base". It starts from the base within its limits, and
// nothing brings it beyond them.
func (o *owner) changes(who, name string, by float64) {
	if by != 0 {
		o.adds(who, name, by, 0, false)
	}
}

func (o *owner) adds(who, name string, by float64, absorbed int64, damage bool) {
	from := o.limited(name, o.base(name))
	to := o.limited(name, from+by)
	if to != from+by {
		by = to - from
	}
	o.rebase(who, name, by, to, absorbed, damage)
}

// rebase gives a base another value, and says so. "at_min: kill: a change brings it down to min: the owner dies."
func (o *owner) rebase(who, name string, by, to float64, absorbed int64, damage bool) {
	was := o.base(name)
	o.bases[name] = to
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	text := "change " + who + name + " by=" + number(by) + " value=" + number(to)
	if absorbed > 0 {
		text += " absorbed=" + strconv.FormatInt(absorbed, 10)
	}
	o.say("%s", text)
	if damage {
		o.breaks()
	}
	if at := o.all.attributes[name]; at.AtMin == "kill" && at.Min != nil && was > o.bound(at.Min) && to <= o.bound(at.Min) {
		o.todo = append(o.todo, command{action: action{Kill: true}, round: o.running + 1})
	}
}

// damages: "the attribute loses so many whole points, half up, of which the shields against that school take theirs first".
func (o *owner) damages(who, name string, by float64, school string) {
	points := math.Floor(by + 0.5)
	if points < 1 {
		return
	}
	rest := o.meets(int64(points), school)
	absorbed := int64(points) - rest
	if rest == 0 {
		o.rebase(who, name, 0, o.base(name), absorbed, true)
	} else {
		o.adds(who, name, -float64(rest), absorbed, true)
	}
}
