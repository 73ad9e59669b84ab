package buff

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/stolen"
)

// stolen reads or writes the state of a stolen buff: its numbers by name, its shield and charges (-1
// if the buff has none), and its further applications. With this state, a command that waits for a
// busy thief can be stored, or executed by another process.
func (f *form) stolen(c *Command) {
	a := &c.Application
	if !f.next(a.Origin.Steal) {
		return
	}
	var args []Arg
	shield, charges := int64(-1), int64(-1)
	var rest []stolen.Part
	if n := stolen.Of(a.Origin.Stolen); n != nil {
		for k := range n.Spec.Numbers {
			args = append(args, Arg{n.Spec.Numbers[k].Name, n.Values[k]})
		}
		if rest = n.Rest; n.Spec.Shield.On {
			shield = n.Shield
		}
		if n.Spec.Charges.N > 0 {
			charges = int64(n.Charges)
		}
	}
	f.args(&args)
	f.signed(&shield)
	f.signed(&charges)
	f.stolenParts(&rest)
	if f.writing || f.err != nil {
		return
	}
	a.Origin.Steal = true
	if c.Verb != verb.Apply || a.Spec == nil || shield < -1 || shield > compile.MostPool || charges < -1 || charges > define.MaxStacks ||
		slices.ContainsFunc(args, func(x Arg) bool { return isInfinite(x.Value) }) {
		f.failf(ErrCommand, "what is left of a buff that was stolen can be of none")
		return
	}
	if len(args) > 0 || shield >= 0 || charges >= 0 || len(rest) > 0 {
		a.Origin.Stolen = newStolen(compile.Of(a.Spec), args, shield, charges, rest)
	}
}

// usesOfParts reads or writes the shields, charges and numbers of the further applications of a
// stolen buff. If this field is missing, they are equal to those of the first application.
func (f *form) usesOfParts(n *stolen.Buff) {
	if !f.next(n != nil && slices.ContainsFunc(n.Rest, func(l stolen.Part) bool {
		return l.Shield != n.Shield || l.Charges != n.Charges || l.Numbers != 0
	})) {
		return
	}
	if n == nil {
		f.failf(ErrCommand, "parts of a buff that was not stolen")
		return
	}
	for k := range n.Rest {
		l := &n.Rest[k]
		charges := int64(l.Charges)
		f.signed(&l.Shield)
		f.signed(&charges)
		if f.partNumbers(n, l); f.err != nil {
			return
		}
		if l.Shield < 0 || l.Shield > compile.MostPool || charges < 0 || charges > define.MaxStacks {
			f.failf(ErrCommand, "a part with a shield of %d and %d charges", l.Shield, charges)
			return
		}
		l.Charges = int32(charges)
	}
}

// partNumbers reads or writes the numbers of a further application. Their count is 0 if they are
// equal to the numbers of the first application, otherwise the count of the numbers of the buff.
func (f *form) partNumbers(n *stolen.Buff, l *stolen.Part) {
	var own []float64
	if f.writing && l.Numbers != 0 {
		own = n.ValuesOf(l)
	}
	length(f, &own, 8, "numbers")
	for k := range own {
		f.number(&own[k])
	}
	switch {
	case f.writing || f.err != nil || len(own) == 0:
		return
	case len(own) != len(n.Values):
		f.failf(ErrCommand, "a part with %d numbers of %d", len(own), len(n.Values))
	case slices.ContainsFunc(own, isInfinite):
		f.failf(ErrCommand, "a part with a number that is not finite")
	default:
		n.Waiting = append(n.Waiting, own...)
		l.Numbers = uint16(len(n.Waiting) / len(n.Values))
	}
}

func isInfinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// newStolen returns the state of a stolen buff. The definition may have other numbers now than when
// the buff was stolen, so the numbers are matched by name.
func newStolen(spec *compile.Program, args []Arg, shield, charges int64, rest []stolen.Part) *stolen.Buff {
	n := &stolen.Buff{Spec: spec, Values: make([]float64, len(args)), Shield: max(shield, 0), Charges: int32(max(charges, 0)), Rest: rest}
	for k := range rest {
		rest[k].Shield, rest[k].Charges = n.Shield, n.Charges // usesOfParts may replace these values later
	}
	same := len(args) == len(spec.Numbers) && spec.Shield.On == (shield >= 0) && (spec.Charges.N > 0) == (charges >= 0)
	for k := range args {
		n.Values[k] = args[k].Value
		same = same && args[k].Caller == spec.Numbers[k].Name
	}
	if same {
		return n
	}
	n.Spec = &compile.Program{Spec: Spec{Shield: define.Shield{On: shield >= 0}}}
	if charges >= 0 {
		n.Spec.Charges.N = 1
	}
	for k := range args {
		n.Spec.Numbers = append(n.Spec.Numbers, compile.Number{Name: args[k].Caller})
	}
	return n
}

// stolenParts reads or writes the further applications of a stolen buff.
func (f *form) stolenParts(v *[]stolen.Part) {
	length(f, v, 4, "stacks")
	for i := range *v {
		l := &(*v)[i]
		stacks, level := int64(l.Stacks), int64(l.Level)
		f.signed(&l.Left)
		f.signed(&l.Magnitude)
		f.signed(&stacks)
		f.signed(&level)
		if !f.writing && f.err == nil && (l.Left <= 0 || l.Left > define.MaxDuration.Milliseconds() || stacks < 1 || stacks > define.MaxStacks || level < 0 || level > define.MaxLevel) {
			f.failf(ErrCommand, "%d stacks of level %d that last %d ms", stacks, level, l.Left)
			return
		}
		l.Stacks, l.Level = int16(stacks), int16(level)
	}
}

// share encodes or decodes the share of an application: one flag, and the fields if it is not zero.
func (f *form) share(v *Share) {
	if !f.next(*v != Share{}) {
		return
	}
	count, stacks := int64(v.Count), int64(v.Stacks)
	f.signed(&v.Elapsed)
	f.signed(&v.Period)
	f.signed(&count)
	f.signed(&stacks)
	if !f.writing && f.err == nil &&
		(v.Period < 0 || v.Period > define.MaxDuration.Milliseconds() || v.Elapsed < 0 || v.Elapsed > v.Period || count < 0 || count > 1<<31-1 || stacks < 0 || stacks > define.MaxStacks) {
		f.failf(ErrCommand, "invalid share: %d/%d of a period, %d pulses, %d stacks", v.Elapsed, v.Period, count, stacks)
		return
	}
	v.Count, v.Stacks = int32(count), int32(stacks)
}
