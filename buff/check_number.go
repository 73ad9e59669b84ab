package buff

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// kept checks and compiles a number, and returns a reference to its value. The value of a constant
// is stored in the definition. The values of all other numbers are stored in each instance. A blob
// saves these values by name, because their places may be different in a later version of the
// definition.
func (k *checker) kept(field, name string, n *define.Number) ref {
	if n.From == define.FromConst {
		return ref{value: k.number(field, name, n).value, place: -1}
	}
	k.keep(field, k.unique(name), n)
	return ref{place: int32(len(k.current.numbers) - 1)}
}

// unique returns an unused name for a number of the definition: the given name, with a suffix if it
// is already used.
func (k *checker) unique(name string) string {
	plain := name
	for k.numbers[name] > 0 {
		k.numbers[plain]++
		name = fmt.Sprintf("%s#%d", plain, k.numbers[plain])
	}
	return k.named(name)
}

// named marks a name as used and returns it.
func (k *checker) named(name string) string {
	if k.numbers == nil {
		k.numbers = map[string]int{}
	}
	k.numbers[name] = max(k.numbers[name], 1)
	return name
}

// keep checks and compiles a number whose value is stored in each instance.
func (k *checker) keep(field, name string, n *define.Number) {
	k.current.numbers = append(k.current.numbers, *k.number(field, name, n))
}

// inputs makes instances store the inputs of each formula that reads stacks, so that the formula
// can be evaluated again when the stacks have changed. Each input is stored as a number. The inputs
// are the level, the magnitude and everything that the formula reads; the first input is 1 if all
// others are known, otherwise 0.
func (k *checker) inputs(s *program) {
	for j := range s.numbers {
		n := &s.numbers[j]
		if n.from != define.FromFormula || !readsStacks(n.formula) {
			continue
		}
		live, name, reads := int32(len(s.numbers)), n.name, n.reads
		n.live = live
		add := func(part string, c number) {
			c.name, c.live, c.input = k.unique(name+"/"+part), live, true
			s.numbers = append(s.numbers, c)
		}
		known := number{from: fromLive, snapshot: n.snapshot, known: n.known, reads: reads}
		input := number{snapshot: n.snapshot, known: n.known, coef: 1}
		add("live", known)
		for _, c := range []struct {
			part string
			from define.From
		}{{"level", fromLevel}, {"magnitude", fromMagnitude}} {
			input.from = c.from
			add(c.part, input)
		}
		for _, r := range reads {
			input.from, input.caller, input.whom, input.attr = define.FromAttr, "", r.whom, r.attr
			if r.caller {
				input.from, input.caller = define.FromCaller, r.name
			}
			add(r.name, input)
		}
	}
}

// readsStacks reports whether a formula reads Inputs.Stacks. A formula without the method
// ReadsStacks is assumed to read them.
func readsStacks(f define.Formula) bool {
	says, ok := f.(interface{ ReadsStacks() bool })
	return !ok || says.ReadsStacks()
}

// readsAmount reports whether a number is a formula that reads the amount of an act.
func readsAmount(n *define.Number) bool {
	return n.From == define.FromFormula && n.Formula != nil &&
		slices.ContainsFunc(n.Formula.Reads(), func(r define.Read) bool { return r.Amount })
}

// atAct checks and compiles a number that is evaluated when an act happens.
func (k *checker) atAct(field string, n *define.Number) *number {
	k.acting = true
	c := k.number(field, "", n)
	k.acting = false
	if slices.ContainsFunc(c.reads, func(r read) bool { return r.caller }) {
		k.failf(field+".formula", "a formula with amount is evaluated at the act, which has no caller: take caller.NAME out of it")
	}
	return c
}

// number checks and compiles a number.
func (k *checker) number(field, name string, n *define.Number) *number {
	c := &number{
		name: name, from: n.From, snapshot: n.Snapshot, whom: n.Of, known: n.Default, value: n.Const, pre: n.Pre, coef: n.Coef, post: n.Post,
		caller: n.Caller, curve: n.Curve, formula: n.Formula,
	}
	if c.coef == 0 {
		c.coef = 1
	}
	part := ".default"
	if n.From == define.FromConst {
		part = ".const"
	}
	if !finite(n.Const) {
		k.failf(field+part, "must be finite, not %v", n.Const)
	}
	if n.Default && n.From == define.FromCurve {
		k.failf(field+".default", "means nothing, since the number is always known")
	}
	k.source(field, n, c)
	k.snapshot(field, n)
	if c.whom > define.OfSource || c.snapshot > define.SnapshotPulse {
		c.whom, c.snapshot = 0, 0 // the error has been reported
	}
	return c
}

// source checks and compiles the source of a number.
func (k *checker) source(field string, n *define.Number, c *number) {
	switch n.From {
	case define.FromConst:
	case define.FromCurve:
		k.curve(field+".curve", n.Curve)
	case define.FromCaller:
		if n.Caller == "" {
			k.failf(field+".caller", "missing: an application could not give what it needs")
		}
		k.current.asks(n.Caller)
	case define.FromAttr:
		c.attr = k.attr(field+".attr", n.Attr)
		if n.Of > define.OfSource {
			k.failf(field+".of", "%v is not one of the rules", n.Of)
		}
		for _, f := range []struct {
			part string
			v    float64
		}{{".pre", n.Pre}, {".coef", n.Coef}, {".post", n.Post}} {
			if !finite(f.v) {
				k.failf(field+f.part, "must be finite, not %v", f.v)
			}
		}
		k.reads(c.whom, c)
	case define.FromFormula:
		k.formula(field, n, c)
	default:
		k.failf(field, "define.From(%d) is nowhere that a number comes from", n.From)
		c.from = define.FromConst
	}
}

// formula checks and compiles the inputs of a formula.
func (k *checker) formula(field string, n *define.Number, c *number) {
	if n.Formula == nil {
		k.failf(field+".formula", "missing")
		c.from = define.FromConst
		return
	}
	for _, r := range n.Formula.Reads() {
		read := read{caller: r.Caller, amount: r.Amount, whom: r.Of, name: r.Name}
		switch {
		case r.Amount && !k.acting:
			k.failf(field+".formula", "amount is known only to the change and damage of on.act; a buff that an act applies has the amount as its magnitude")
		case r.Amount:
		case r.Caller && r.Name == "":
			k.failf(field+".formula", "it reads what a caller gives without a name")
		case r.Caller:
			k.current.asks(r.Name)
		case !r.Caller:
			read.attr = k.attr(field+".formula", r.Name)
			k.reads(r.Of, &number{attr: read.attr, snapshot: n.Snapshot})
		}
		c.reads = append(c.reads, read)
	}
}

// asks records that the definition reads a parameter of applications.
func (s *program) asks(caller string) {
	if !slices.Contains(s.callers, caller) {
		s.callers = append(s.callers, caller)
	}
}

// reads records the attribute that a number reads if it is an attribute of the source.
func (k *checker) reads(whom define.Whose, c *number) {
	if whom == define.OfSource && c.snapshot < define.SnapshotPulse {
		k.current.addCapture(capture{c.attr, c.snapshot})
		if k.acting { // the number is evaluated at each act
			k.current.addLateCapture(capture{c.attr, c.snapshot})
		}
	}
}

// curve checks a curve over levels. Its first point must be at level 1 or below.
func (k *checker) curve(field string, c *define.Curve) {
	if c == nil {
		k.failf(field, "missing")
		return
	}
	switch points := c.Points(); {
	case len(points) == 0:
		k.failf(field, "has no points")
	case points[0].Level > 1:
		k.failf(field, "%q begins at level %d, and must have a point at 1 or below", c.Name(), points[0].Level)
	}
}

// snapshot checks the time at which a number is evaluated.
func (k *checker) snapshot(field string, n *define.Number) {
	field += ".snapshot"
	switch {
	case n.Snapshot > define.SnapshotPulse:
		k.failf(field, "%v is not one of the rules", n.Snapshot)
	case n.Snapshot == define.SnapshotCast:
	case n.From == define.FromConst || n.From == define.FromCurve:
		k.failf(field, "%v means nothing for what stands in the definition", n.Snapshot)
	case n.Snapshot == define.SnapshotApply:
	case n.From == define.FromFormula:
		k.failf(field, "a formula is worked out when the buff is applied, never in a pulse")
	case n.From == define.FromCaller:
		k.failf(field, "a pulse has no caller")
	case n.Of == define.OfSource:
		k.failf(field, "a pulse reads only its owner, not the source")
	case !k.current.pulses():
		k.failf(field, "%v needs a period", n.Snapshot)
	}
}
