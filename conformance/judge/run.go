package judge

import (
	"math"
	"slices"
)

// The second edition of the language: conditions of actions, and numbers that are evaluated when an
// action runs. The present state is the state of the owner of the buff at this moment, after all earlier
// actions of the list, but before their own effects.

// runNames are the names in formulas that have a value only when an action runs.
var runNames = map[string]bool{"amount": true, "left": true, "age": true, "absorbed": true, "var": true}

// runs reports whether a number is evaluated when its action runs, and not at the application.
func (n *number) runs() bool {
	return n.Snapshot == "run" || n.Formula != nil && slices.ContainsFunc(n.Formula.names, func(path []string) bool { return runNames[path[0]] })
}

// allows reports whether the condition of a command is true: first its formula, then its tags. It
// logs an error if the formula has no value.
func (o *owner) allows(c *command, e event) bool {
	if n := c.condition; n != nil {
		x, why := o.present(n, e)
		if why != "" {
			o.say("error %swhy=%s", c.who, why)
			return false
		}
		if x == 0 {
			o.all.mark(markIf)
			return false
		}
	}
	if !o.holds(&c.IfTags) {
		o.all.mark(markIfTags)
		return false
	}
	return true
}

// evaluates stores the values of those numbers of a command that are evaluated when it runs, if run
// is true, or of its other numbers. If a number has no value, it logs an error and returns false.
func (o *owner) evaluates(c *command, e event, run bool) bool {
	for _, n := range c.numbers() {
		if n.runs() != run {
			continue
		}
		change := slices.ContainsFunc([]*change{c.Change, c.Damage}, func(by *change) bool { return by != nil && n == &by.By })
		perStack := change && c.perStack()
		x, why := 0.0, ""
		if run {
			if x, why = o.present(n, e); perStack {
				x *= float64(e.n)
			}
		} else {
			x, why = e.value(n, perStack)
		}
		if why != "" {
			o.say("error %swhy=%s", c.who, why)
			return false
		}
		if change || c.Add != nil {
			x = e.share.scale(x)
		}
		c.values[n] = x
	}
	return true
}

// present evaluates a number with the present attributes of the owner, and the attributes of the
// source as with `snapshot: apply`. If the number has no value and no default, it returns the
// reason.
func (o *owner) present(n *number, e event) (x float64, why string) {
	a := application{source: e.source, stacks: e.n, magnitude: e.own, level: e.level, chain: e.chain}
	missing := false
	read := func(path []string) (x float64, ok bool) {
		if runNames[path[0]] {
			x, ok = o.runName(path, e)
		} else {
			x, ok = o.readName(path, "apply", a)
		}
		missing = missing || !ok
		return x, ok
	}
	ok := true
	switch {
	case n.Const != nil:
		return *n.Const, ""
	case n.Formula != nil:
		x, ok = n.Formula.evaluate(read)
	case n.Curve != "":
		x, ok = read([]string{"curve", n.Curve})
	default:
		if x, ok = read([]string{or(n.Of, "owner"), n.Attr}); ok {
			x = n.reads(x)
		}
	}
	switch {
	case missing && n.Default != nil:
		return *n.Default, ""
	case missing:
		return 0, "param"
	case !ok:
		return 0, "value"
	}
	return x, ""
}

// runName returns the value of a name that is known only when an action runs. The names "left" and
// "age" are in seconds of the buff's own time.
func (o *owner) runName(path []string, e event) (x float64, ok bool) {
	if path[0] == "amount" {
		if e.amount == nil {
			return 0, false
		}
		o.all.mark(markAmount)
		return *e.amount, true
	}
	if e.on == nil {
		return 0, false
	}
	now := e.on.clock(o.own)
	switch path[0] {
	case "var":
		x, ok = e.on.vars[path[1]]
		return x, ok
	case "left":
		return float64(max(0, e.on.last()-now)) / 1000, e.on.ends()
	case "age":
		return float64(now-e.on.started) / 1000, true
	}
	return float64(e.on.absorbed), true
}

// applyBy executes a command that applies a buff. The numbers of the command are rounded half up.
func (o *owner) applyBy(c command) {
	a := application{id: c.Apply.ID, source: c.source, magnitude: c.magnitude, level: c.level, head: c.head, chain: c.chain}
	whole := func(n *number, least, most float64, set func(x int64)) bool {
		if n == nil {
			return true
		}
		x := math.Floor(c.values[n] + 0.5)
		if x < least || x > most {
			return false
		}
		set(int64(x))
		return true
	}
	ok := whole(c.Apply.Magnitude, -1<<53, 1<<53, func(x int64) { a.magnitude = x }) &&
		whole(c.Apply.Stacks, 1, 1<<15-1, func(x int64) { a.stacks = int(x) }) &&
		whole(c.Apply.Level, 0, 1<<15-1, func(x int64) { a.level = int(x) })
	if !ok {
		o.say("error %s why=value", a.id)
		return
	}
	if n := c.Apply.Duration; n != nil {
		a.override, a.duration = true, seconds(c.values[n])
	}
	o.apply(a)
}

// seconds converts seconds to ms, rounded half up.
func seconds(x float64) int64 { return int64(math.Floor(x*1000 + 0.5)) }
