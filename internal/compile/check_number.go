package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// kept checks and compiles a number, and returns a reference to its value. The value of a constant
// is stored in the definition. The values of all other numbers are stored in each instance. A blob
// saves these values by name, because their places may be different in a later version of the
// definition.
func (k *checker) kept(field, name string, n *define.Number) Ref {
	if n.From == define.FromConst {
		return Ref{value: k.number(field, name, n).Value, Place: -1}
	}
	k.keep(field, k.unique(name), n)
	return Ref{Place: int32(len(k.current.Numbers) - 1)}
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
	k.current.Numbers = append(k.current.Numbers, *k.number(field, name, n))
}

// inputs makes instances store the inputs of each formula that reads stacks, so that the formula
// can be evaluated again when the stacks have changed. For each such formula it adds these numbers,
// in this order: a flag, which is 1 if all inputs are known and otherwise 0; the level; the
// magnitude; and everything that the formula reads.
func (k *checker) inputs(s *Program) {
	for j := range s.Numbers {
		n := &s.Numbers[j]
		if n.From != define.FromFormula || !readsStacks(n.Formula) {
			continue
		}
		live, name, reads := int32(len(s.Numbers)), n.Name, n.Reads
		n.Live = live
		add := func(part string, c Number) {
			c.Name, c.Live, c.Input = k.unique(name+"/"+part), live, true
			s.Numbers = append(s.Numbers, c)
		}
		known := Number{From: FromLive, Snapshot: n.Snapshot, Known: n.Known, Reads: reads}
		input := Number{Snapshot: n.Snapshot, Known: n.Known, Coef: 1}
		add("live", known)
		for _, c := range []struct {
			part string
			from define.From
		}{{"level", FromLevel}, {"magnitude", FromMagnitude}} {
			input.From = c.from
			add(c.part, input)
		}
		for _, r := range reads {
			input.From, input.Caller, input.Whom, input.Attr = define.FromAttr, "", r.Whom, r.Attr
			if r.Kind == define.ReadCaller {
				input.From, input.Caller = define.FromCaller, r.Name
			}
			add(r.Name, input)
		}
	}
}

// readsStacks reports whether a formula reads Inputs.Stacks. A formula without the method
// ReadsStacks is assumed to read them.
func readsStacks(f define.Formula) bool {
	says, ok := f.(interface{ ReadsStacks() bool })
	return !ok || says.ReadsStacks()
}

// readsRunning reports whether a number is a formula with an input that is known only when an action
// runs.
func readsRunning(n *define.Number) bool {
	return n.From == define.FromFormula && n.Formula != nil &&
		slices.ContainsFunc(n.Formula.Reads(), func(r define.Read) bool { return r.Kind >= define.ReadAmount })
}

// run checks and compiles a number that is evaluated when an action of a list runs.
func (k *checker) run(field, list string, n *define.Number) *Number {
	own := *n
	if own.Snapshot == define.SnapshotRun || own.Snapshot == define.SnapshotCast {
		own.Snapshot = define.SnapshotApply
	}
	if n.From == define.FromConst || n.From == define.FromCurve {
		own.Snapshot = n.Snapshot // reported by snapshot
	}
	k.list, k.late = list, true
	c := k.number(field, "", &own)
	k.list, k.late = "", false
	if n.From == define.FromCaller || slices.ContainsFunc(c.Reads, func(r read) bool { return r.Kind == define.ReadCaller }) {
		k.failf(field, "it is evaluated when the action runs, which has no caller: take what the caller gives out of it")
	}
	return c
}

// number checks and compiles a number.
func (k *checker) number(field, name string, n *define.Number) *Number {
	c := &Number{
		Name: name, From: n.From, Snapshot: n.Snapshot, Whom: n.Of, Known: n.Default, Value: n.Const, Pre: n.Pre, Coef: n.Coef, Post: n.Post,
		Caller: n.Caller, Curve: n.Curve, Formula: n.Formula,
	}
	if c.Coef == 0 {
		c.Coef = 1
	}
	part := ".default"
	if n.From == define.FromConst {
		part = ".const"
	}
	if !Finite(n.Const) {
		k.failf(field+part, "must be finite, not %v", n.Const)
	}
	if n.Default && n.From == define.FromCurve {
		k.failf(field+".default", "means nothing, since the number is always known")
	}
	k.source(field, n, c)
	k.snapshot(field, n)
	if c.Whom > define.OfSource || c.Snapshot > define.SnapshotPulse {
		c.Whom, c.Snapshot = 0, 0 // the error has been reported
	}
	return c
}

// source checks and compiles the source of a number.
func (k *checker) source(field string, n *define.Number, c *Number) {
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
		c.Attr = k.attr(field+".attr", n.Attr)
		if n.Of > define.OfSource {
			k.failf(field+".of", "%v is not one of the rules", n.Of)
		}
		for _, f := range []struct {
			part string
			v    float64
		}{{".pre", n.Pre}, {".coef", n.Coef}, {".post", n.Post}} {
			if !Finite(f.v) {
				k.failf(field+f.part, "must be finite, not %v", f.v)
			}
		}
		k.reads(c.Whom, c)
	case define.FromFormula:
		k.formula(field, n, c)
	default:
		k.failf(field, "define.From(%d) is nowhere that a number comes from", n.From)
		c.From = define.FromConst
	}
}

// formula checks and compiles the inputs of a formula.
func (k *checker) formula(field string, n *define.Number, c *Number) {
	if n.Formula == nil {
		k.failf(field+".formula", "missing")
		c.From = define.FromConst
		return
	}
	for _, r := range n.Formula.Reads() {
		read := read{Kind: r.Kind, Whom: r.Of, Name: r.Name}
		switch {
		case r.Kind >= define.ReadAmount:
			k.running(field+".formula", &read)
		case r.Kind == define.ReadCaller && r.Name == "":
			k.failf(field+".formula", "it reads what a caller gives without a name")
		case r.Kind == define.ReadCaller:
			k.current.asks(r.Name)
		default:
			read.Attr = k.attr(field+".formula", r.Name)
			k.reads(r.Of, &Number{Attr: read.Attr, Snapshot: n.Snapshot})
		}
		c.Reads = append(c.Reads, read)
	}
}

// running checks an input that is known only when an action runs.
func (k *checker) running(field string, r *read) {
	s := k.current
	switch {
	case r.Kind > define.ReadVar:
		k.failf(field, "define.ReadKind(%d) is not an input", r.Kind)
	case k.list == "":
		k.failf(field, "%s is known only when an action runs: a modifier, a parameter and the duration cannot read it", readWord(r))
	case r.Kind == define.ReadAmount:
		if !strings.HasPrefix(k.list, "on.act.") && k.list != "on.absorb" && k.list != "on.overflow" {
			k.failf(field, "amount is known only in on.act, on.absorb and on.overflow; a buff that an act applies has the amount as its magnitude")
		}
		return
	case k.list == "on.exec":
		k.failf(field, "%s belongs to a running buff, and an instant buff never runs", readWord(r))
	case k.list == "on.overflow" && s.Stack.Overflow == define.OverflowClear:
		k.failf(field, "%s is not known in on.overflow with overflow clear, which ends the buff first", readWord(r))
	case r.Kind == define.ReadVar:
		if r.Var = slices.IndexFunc(s.Spec.Vars, func(v define.Var) bool { return v.Name == r.Name }); r.Var < 0 {
			r.Var = 0
			k.failf(field, "no variable %q%s", r.Name, k.nearVar(r.Name))
		}
	case r.Kind != define.ReadLeft:
		s.ReadsLive = true
	}
	k.readsBuff = true
}

// readWord returns the word of an input in a formula.
func readWord(r *read) string {
	return [...]string{"amount", "left", "age", "absorbed", "var." + r.Name}[r.Kind-define.ReadAmount]
}

// nearVar returns a hint for the name of an unknown variable.
func (k *checker) nearVar(name string) string {
	var names []string
	for i := range k.current.Spec.Vars {
		names = append(names, k.current.Spec.Vars[i].Name)
	}
	if near := misspelt.Near(name, names); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

// asks records that the definition reads a parameter of applications.
func (s *Program) asks(caller string) {
	if !slices.Contains(s.Callers, caller) {
		s.Callers = append(s.Callers, caller)
	}
}

// reads records the attribute that a number reads, if that attribute belongs to the source.
func (k *checker) reads(whom define.Whose, c *Number) {
	if whom == define.OfSource && c.Snapshot < define.SnapshotPulse {
		k.current.addCapture(capture{c.Attr, c.Snapshot})
		if k.late {
			k.current.addLateCapture(capture{c.Attr, c.Snapshot})
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
	case n.Snapshot > define.SnapshotRun:
		k.failf(field, "%v is not one of the rules", n.Snapshot)
	case n.Snapshot == define.SnapshotRun:
		k.failf(field, "only a formula or an attribute of a change or a damage is evaluated when an action runs")
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
	case !k.current.Pulses():
		k.failf(field, "%v needs a period", n.Snapshot)
	}
}
