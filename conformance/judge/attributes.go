package judge

// Section 1.4 of the rules, and the documentation of the format: attributes, curves, numbers,
// modifiers.

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// attribute is one of the numbers that every owner has.
type attribute struct {
	Base      float64
	Min, Max  *bound
	Aggregate aggregate
	AtMin     string `json:"at_min"`

	DamageTaken string `json:"damage_taken"`
}

// bound is a number, or the name of another attribute.
type bound struct {
	name string
	n    float64
}

// UnmarshalJSON reads a number or a name.
func (b *bound) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &b.n) == nil {
		return nil
	}
	return json.Unmarshal(text, &b.name)
}

// aggregate says which modifiers take effect if several have the same operation: all of them, the
// greatest, the least, or the n strongest.
type aggregate struct{ count }

// of returns the sum of the values that take effect.
func (a aggregate) of(all []float64) (sum float64) {
	switch {
	case len(all) == 0:
		return 0
	case a.word == "max":
		return slices.Max(all)
	case a.word == "min":
		return slices.Min(all)
	case a.word == "strongest": // only the n values farthest from 0 count
		all = slices.Clone(all)
		sort.SliceStable(all, func(i, j int) bool { return math.Abs(all[i]) > math.Abs(all[j]) })
		all = all[:min(len(all), a.n)]
	}
	for _, x := range all {
		sum += x // exact, because the random scenarios use only halves and quarters
	}
	return sum
}

// curve maps some levels to numbers. Between two of these levels it is linear.
type curve map[int]float64

// UnmarshalJSON reads a map from levels to numbers, or a list whose first number is for level 1.
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

// at returns the value at a level. A curve starts at level 0 or 1. Above the last level of the
// curve, the value is that of the last level.
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

// number is a number in a definition: a constant, or the source of the value, which is an
// attribute, a parameter of the caller, a curve or a formula.
type number struct {
	Const           *float64
	Attr, Of        string
	Caller, Curve   string
	Pre, Coef, Post *float64
	Default         *float64
	Formula         *formula
	Snapshot        string
}

// UnmarshalJSON reads a constant, or a JSON object with the fields of number.
func (n *number) UnmarshalJSON(text []byte) error {
	var x float64
	if json.Unmarshal(text, &x) == nil {
		n.Const = &x
		return nil
	}
	var d span                         // a number of seconds
	if string(text) == `"unlimited"` { // the pool of a shield
		x = 1 << 53
		n.Const = &x
		return nil
	}
	if text[0] == '"' {
		err := d.UnmarshalJSON(text)
		x = float64(d) / 1000
		n.Const = &x
		return err
	}
	type plain number
	return strictly(text, (*plain)(n))
}

// asks reports whether any number in the definition reads the parameter with this name.
func (d *definition) asks(name string) bool {
	for _, n := range d.numbers() {
		if n.Caller == name || n.Formula != nil && regexp.MustCompile(`\bcaller\.`+regexp.QuoteMeta(name)+`\b`).MatchString(n.Formula.text) {
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

// change is the content of a change or damage action.
type change struct {
	Attr, School string
	By           number
	PerStack     bool `json:"per_stack"`
}

// actions returns all actions of a definition.
func (d *definition) actions() (all []*action) {
	on := d.on()
	lists := [][]action{on.Apply, on.Refresh, on.Pulse, on.Exec, on.Overflow, on.Death, on.Absorb}
	for _, why := range sortedKeys(on.Remove) {
		lists = append(lists, on.Remove[why])
	}
	for _, act := range sortedKeys(on.Act) {
		lists = append(lists, on.Act[act].Do)
	}
	if on.When != nil {
		lists = append(lists, on.When.Do)
	}
	for _, name := range sortedKeys(d.Vars) {
		lists = append(lists, d.Vars[name].AtMax, d.Vars[name].AtMin)
	}
	for _, list := range lists {
		for i := range list {
			all = append(all, &list[i])
			for j := range list[i].OneOf {
				all = append(all, &list[i].OneOf[j])
			}
		}
	}
	return all
}

// numbers returns all numbers of a definition except the conditions of actions, in the order of their evaluation.
func (d *definition) numbers() (all []*number) {
	for _, name := range sortedKeys(d.Params) {
		all = append(all, d.Params[name])
	}
	for i := range d.Modifiers {
		all = append(all, &d.Modifiers[i].Value)
	}
	for _, a := range d.actions() {
		all = append(all, a.numbers()...)
	}
	if d.Period.number != nil {
		all = append(all, d.Period.number)
	}
	if d.Haste.rate != nil {
		all = append(all, d.Haste.rate)
	}
	if d.DurationScale != nil {
		all = append(all, d.DurationScale)
	}
	if n := d.Require.Apply.condition(); n != nil {
		all = append(all, n)
	}
	if d.Shield != nil && d.Shield.Pool != nil {
		all = append(all, d.Shield.Pool)
	}
	for _, name := range sortedKeys(d.Vars) {
		all = append(all, &d.Vars[name].Base)
	}
	return all
}

// amount is the value of a number. A formula that reads "stacks" is evaluated again at each use,
// with the number of stacks at that time. The other names in the formula keep the values that they
// had at the application.
type amount struct {
	x      float64            // the value at the application
	live   *formula           // the formula to evaluate again at each use, or nil
	frozen map[string]float64 // values that the names in the formula had at the application
	stacks int                // number of stacks at the application
	mark   func(rule string)
}

// of returns the amount for n stacks or, if perStack is true, n times this amount. The result "ok"
// is false if x is not a finite number.
func (a amount) of(n int, perStack bool) (x float64, ok bool) {
	x, ok = a.x, true
	if a.live != nil {
		if a.mark != nil && n != a.stacks {
			a.mark(markLiveStacks)
		}
		x, ok = a.live.evaluate(func(path []string) (float64, bool) {
			if path[0] == "stacks" {
				return float64(n), true
			}
			y, ok := a.frozen[strings.Join(path, "\x00")]
			return y, ok
		})
	}
	if perStack {
		x *= float64(n)
	}
	return x, ok
}

func (a amount) equal(b amount) bool { return a.x == b.x && maps.Equal(a.frozen, b.frozen) }

// knowledge holds what is known about the attributes of an application's source.
type knowledge struct {
	cast map[string]float64 // the source's attributes at the start of the chain of causes; nil if the source was missing
	last map[string]float64 // by attribute: the value at the last read
	// If look is true, the search of an aura has filled the field "last", and the application by
	// the aura uses only these values.
	look bool
}

// knows captures the attributes of a source when a command starts a chain of causes.
func (w *world) knows(source string) *knowledge {
	k := &knowledge{last: map[string]float64{}}
	if o := w.find(source); o != nil && !o.away {
		k.cast = o.values()
		k.last = maps.Clone(k.cast)
	}
	return k
}

// reread reads the attributes of all sources of the owner's buffs again, so that their latest
// values are known if a source leaves later. It is called before each command, and before the first
// due event of a frame.
func (o *owner) reread() {
	if !o.all.views {
		return
	}
	read := func(source string, k *knowledge) *knowledge {
		s := o.all.find(source)
		switch {
		case s == nil || s.away || s == o || k == nil:
			return k
		case o.all.inFrame:
			return &knowledge{cast: k.cast, last: maps.Clone(s.view)}
		}
		return &knowledge{cast: k.cast, last: s.values()}
	}
	for _, b := range o.buffs {
		b.known = read(b.source, b.known)
		for i := range b.waiting {
			w := &b.waiting[i]
			w.known = read(w.source, w.known)
		}
	}
}

// values returns all attributes of an owner.
func (o *owner) values() map[string]float64 {
	all := map[string]float64{}
	for name := range o.all.attributes {
		all[name] = o.value(name)
	}
	return all
}

// asks evaluates the numbers of an application. If a number has no value and no default, the
// application is denied, and "asks" returns the reason.
func (o *owner) asks(d *definition, a application) (of map[*number]amount, why string) {
	if a.left != nil {
		return a.left.numbers, ""
	}
	// Numbers depend on the level and the stacks that the buff has after the application.
	if b := o.joins(d, a); b != nil && !d.queued() {
		a.stacks += b.count()
		if d.stack().Level == "sum" {
			a.level = sumOfLevels(a.level, b.level)
		}
	}
	a.stacks = min(a.stacks, d.limit())
	if d.Duration.instant {
		a.stacks = max(a.share.stacks, 1)
	}
	of = map[*number]amount{}
	for _, n := range d.numbers() {
		if n.runs() {
			continue
		}
		if of[n], why = o.ask(n, a); why != "" {
			return nil, why
		}
	}
	if s := d.Shield; s != nil {
		a.numbers = of
		switch pool := d.poolOf(a); {
		case s.Pool == nil && pool <= 0:
			o.all.mark(markNoPool)
			return nil, "param"
		case pool < 1:
			o.all.mark(markNoPool)
			return nil, "value"
		}
	}
	return of, ""
}

// ask evaluates one number of an application.
func (o *owner) ask(n *number, a application) (x amount, why string) {
	given := func(x float64, ok bool) (amount, string) {
		switch {
		case ok:
			return amount{x: x}, ""
		case n.Default != nil:
			return amount{x: *n.Default}, ""
		}
		return amount{}, "param"
	}
	switch {
	case n.Const != nil:
		return amount{x: *n.Const}, ""
	case n.Curve != "":
		return amount{x: o.all.curves[n.Curve].at(a.level)}, ""
	case n.Formula != nil:
		return o.askFormula(n, a, given)
	case n.Caller != "":
		return given(a.params[n.Caller], has(a.params, n.Caller))
	case n.Of == "source":
		x, ok := o.ofSource(n.Attr, n.Snapshot, a)
		if ok {
			x = n.reads(x)
		}
		return given(x, ok)
	}
	return amount{x: n.reads(o.value(n.Attr))}, ""
}

func has[V any](m map[string]V, key string) bool { _, ok := m[key]; return ok }

// askFormula evaluates a formula, and keeps the values of all its names except "stacks".
func (o *owner) askFormula(n *number, a application, given func(float64, bool) (amount, string)) (amount, string) {
	missing := false
	frozen := map[string]float64{}
	x, ok := n.Formula.evaluate(func(path []string) (float64, bool) {
		x, ok := o.readName(path, n.Snapshot, a)
		missing = missing || !ok
		return x, ok
	})
	switch {
	case missing:
		return given(0, false)
	case !ok:
		return amount{}, "value"
	}
	for _, path := range n.Formula.names {
		if x, ok := o.readName(path, n.Snapshot, a); ok && path[0] != "stacks" {
			frozen[strings.Join(path, "\x00")] = x
		}
	}
	if !slices.ContainsFunc(n.Formula.names, func(path []string) bool { return path[0] == "stacks" }) {
		return amount{x: x}, ""
	}
	return amount{x, n.Formula, frozen, a.stacks, o.all.mark}, ""
}

// ofSource returns an attribute of the source of an application. With `snapshot: cast`, the
// default, it returns the value at the start of the chain of causes. With `snapshot: apply` it
// returns the present value. During a frame, the present value of another owner's attribute is the
// value at the start of the frame. If the source has left, ofSource returns the value of the last
// read.
func (o *owner) ofSource(name, snapshot string, a application) (x float64, ok bool) {
	if a.known == nil {
		return 0, false
	}
	if or(snapshot, "cast") != "apply" {
		x, ok = a.known.cast[name]
		if now := o.all.find(a.source); ok && now != nil && now.value(name) != x {
			o.all.mark(markCastChain)
		}
		return x, ok
	}
	source := o.all.find(a.source)
	switch {
	case source == nil || source.away || a.known.look && source != o:
		x, ok = a.known.last[name]
		return x, ok
	case source != o && o.all.inFrame:
		x = source.view[name]
	default:
		x = source.value(name)
	}
	a.known.last[name] = x
	if x != a.known.cast[name] {
		o.all.mark(markApplyLive)
	}
	return x, true
}

// readName returns the value of a name in a formula. The names "level", "stacks" and "magnitude"
// are values of the application; "owner.NAME" and "source.NAME" are attributes; "caller.NAME" is a
// parameter of the application; "curve.NAME" is the value of a curve at the application's level.
func (o *owner) readName(path []string, snapshot string, a application) (x float64, ok bool) {
	switch path[0] {
	case "level":
		return float64(a.level), true
	case "stacks":
		return float64(a.stacks), true
	case "magnitude":
		return float64(a.magnitude), true
	case "owner":
		return o.value(path[1]), true
	case "source":
		return o.ofSource(path[1], snapshot, a)
	case "caller":
		x, ok = a.params[path[1]]
		return x, ok
	case "curve":
		return o.all.curves[path[1]].at(a.level), true
	}
	return 0, false
}

// reads returns the value of a number whose attribute has the value x. The result is (x + pre) *
// coef + post.
func (n *number) reads(x float64) float64 {
	part := func(p *float64, preset float64) float64 {
		if p == nil {
			return preset
		}
		return *p
	}
	return (x+part(n.Pre, 0))*part(n.Coef, 1) + part(n.Post, 0)
}

// value returns an attribute with the modifiers of all buffs in effect. In each channel the
// operations apply in the order add, mul_add, mul_compound, final_add, override. The result is
// limited to the maximum of the attribute, and then to its minimum.
func (o *owner) value(name string) float64 { return o.limited(name, o.unlimited(name)) }

// unlimited is like "value", but ignores the limits of the attribute.
func (o *owner) unlimited(name string) float64 {
	at := o.all.attributes[name]
	x := o.base(name)
	ops := map[int]map[string][]float64{}
	for _, b := range o.byModifier() {
		for i := range b.def.Modifiers {
			m := &b.def.Modifiers[i]
			if m.Attr != name {
				continue
			}
			y, ok := b.active().value(b, &m.Value, m.PerStack)
			if b.modified == nil {
				b.modified = map[*number]float64{}
			}
			if !ok { // keep the last value if the formula is undefined now
				y = b.modified[&m.Value]
			}
			b.modified[&m.Value] = y
			if ops[m.Channel] == nil {
				ops[m.Channel] = map[string][]float64{}
			}
			ops[m.Channel][or(m.Op, "add")] = append(ops[m.Channel][or(m.Op, "add")], y)
		}
	}
	for channel := range 10 {
		ops := ops[channel]
		if ops == nil {
			continue
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
	return x
}

// byModifier returns the buffs in effect that have modifiers, in the order in which the modifiers
// took effect. The order matters because, of several override modifiers, the newest wins.
func (o *owner) byModifier() []*instance {
	var all []*instance
	for _, b := range o.buffs {
		if b.works() && len(b.def.Modifiers) > 0 {
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

// limits handles changes of those minima and maxima that are other attributes. If a maximum has
// changed and the base is above it, the base is permanently lowered to the maximum. If a minimum
// with `at_min: kill` has risen to the base, the owner dies. The method is called after each
// command and each due event.
func (o *owner) limits() {
	for _, name := range o.all.bounded {
		at := o.all.attributes[name]
		if _, _, moved := o.moved(at.Max, o.maxima, name); moved {
			o.cut(name)
		}
		if was, is, moved := o.moved(at.Min, o.minima, name); moved && is > was && !o.dead {
			if o.checkMin("", name, o.base(name)) {
				o.all.mark(markMinRose)
			}
		}
	}
}

// moved reports whether a limit has changed since the last call, and returns its previous and its
// present value. Only a limit that is an attribute can change.
func (o *owner) moved(limit *bound, last map[string]float64, name string) (was, is float64, moved bool) {
	if limit == nil || limit.name == "" {
		return 0, 0, false
	}
	was, seen := last[name]
	is = o.value(limit.name)
	last[name] = is
	return was, is, seen && was != is
}

// cut lowers a base that is above its maximum to the maximum. If the minimum is above the maximum,
// it lowers the base to the minimum.
func (o *owner) cut(name string) {
	at := o.all.attributes[name]
	if at.Max == nil {
		return
	}
	most, was := o.bound(at.Max), o.base(name)
	if at.Min != nil {
		most = max(most, o.bound(at.Min))
	}
	if was <= most {
		return
	}
	o.all.mark(markMaxFell)
	o.bases[name] = most
	if at.Min != nil && was > o.bound(at.Min) {
		o.checkMin("", name, was)
	}
}

// checkMin queues the death of the owner if a base with `at_min: kill` has reached its minimum, and
// reports whether the owner dies. An owner that is already dead dies again only if the base was
// above the minimum before. The parameter "who" is the buff that changed the base; the log line of
// the death names this buff.
func (o *owner) checkMin(who, name string, was float64) (dies bool) {
	at := o.all.attributes[name]
	if at.AtMin != "kill" || at.Min == nil {
		return false
	}
	if least := o.bound(at.Min); o.base(name) <= least && (!o.dead || was > least) {
		cause := o.cause
		cause.reaction = cause.reaction || o.reaction
		o.todo = append(o.todo, command{action: action{Kill: true}, round: o.running + 1, source: o.killer, who: who, chain: cause})
		return true
	}
	return false
}

// changes first limits a base to the minimum and maximum of its attribute, and then adds the given
// amount. A change by 0 logs a line only if the base was outside its limits.
func (o *owner) changes(who, name string, by float64) {
	outside := o.base(name) != o.limited(name, o.base(name))
	if by == 0 && outside {
		o.all.mark(markZeroClamps)
	}
	if by != 0 || outside {
		o.adds(who, name, by, 0, nil)
	}
}

func (o *owner) adds(who, name string, by float64, absorbed int64, after func()) {
	from := o.limited(name, o.base(name))
	to := o.limited(name, from+by)
	if to != from+by {
		by = to - from
	}
	o.rebase(who, name, by, to, absorbed, after)
}

// rebase sets a base to the value of the parameter "to", and logs the change. If the function
// "after" is not nil, "rebase" calls it before the owner can die. Damage uses it to run its acts.
func (o *owner) rebase(who, name string, by, to float64, absorbed int64, after func()) {
	was := o.base(name)
	o.bases[name] = to
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	text := "change " + who + name + " by=" + number(by) + " value=" + number(to)
	if absorbed > 0 {
		text += " absorbed=" + strconv.FormatInt(absorbed, 10)
	}
	o.say("%s", text)
	if after != nil {
		after()
	}
	o.checkMin(who, name, was)
}

// damages deals damage of a school. It rounds the damage half up to whole points, lets shields
// against the school absorb a part of it, and subtracts the rest from an attribute. If the rest is
// not 0, the act "damaged" happens to the victim and the act "dealt" to the source.
func (o *owner) damages(who, name string, by float64, school, source string, why chain) {
	if by == 0 {
		return // the amount is a formula without a result
	}
	by = o.scaled(by, school)
	points := int64(math.Floor(by + 0.5))
	if by < 0.5 {
		o.all.mark(markSmallDamage)
		o.killer, o.cause = source, why
		o.rebase(who, name, 0, o.limited(name, o.base(name)), 0, nil)
		o.killer, o.cause = "", chain{}
		return
	}
	rest := o.meets(points, school, name)
	acts := func() {
		o.tellAbsorbed(source, why.reaction)
		o.breaks()
		if rest > 0 {
			o.tellDamage(rest, source, why)
		}
	}
	if o.killer, o.cause = source, why; rest == 0 {
		o.rebase(who, name, 0, o.limited(name, o.base(name)), points, acts)
	} else {
		o.adds(who, name, -float64(rest), points-rest, acts)
	}
	o.killer, o.cause = "", chain{}
}

// scaled returns damage of a school, multiplied by each attribute of its owner whose `damage_taken`
// is the school or a tag above it. A value below 0 counts as 0.
func (o *owner) scaled(by float64, school string) float64 {
	for _, name := range sortedKeys(o.all.attributes) {
		if of := o.all.attributes[name].DamageTaken; of != "" && under(school, of) {
			if x := o.value(name); x != 1 {
				o.all.mark(markDamageTaken)
			}
			by *= max(o.value(name), 0)
		}
	}
	return by
}

// tellDamage runs the acts "damaged" and "dealt". The act "damaged" happens to the victim at once.
// The act "dealt" happens to the source: at once if the source is the victim itself, otherwise at
// the end of the frame.
func (o *owner) tellDamage(amount int64, source string, why chain) {
	quiet := why.reaction || o.reaction
	o.happened("damaged", source, amount, quiet)
	switch other := o.all.find(source); {
	case other == nil || !o.all.usesAct("dealt"):
	case other == o:
		o.happened("dealt", o.name, amount, quiet)
	default:
		o.post(other, func() {
			other.reaction, other.by = quiet, o.name
			other.happened("dealt", o.name, amount, quiet)
		})
	}
}

// usesAct reports whether any definition reacts to an act, is interrupted by it, or consumes
// charges on it.
func (w *world) usesAct(act string) bool {
	for _, d := range w.defs {
		if len(d.on().Act[act].Do) > 0 || slices.Contains(d.Interrupt, act) || d.Charges != nil && slices.Contains(d.Charges.ConsumeOn, act) {
			return true
		}
	}
	return false
}
