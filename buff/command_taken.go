package buff

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// taken reads or writes the state of a stolen buff: its numbers by name, its shield and charges (-1
// if the buff has none), and its further applications. With this state, a command that waits for a
// busy thief can be stored, or executed by another process.
func (f *form) taken(c *Command) {
	a := &c.Application
	if !f.next(a.Origin.Steal) {
		return
	}
	var args []Arg
	shield, charges := int64(-1), int64(-1)
	var rest []stolenPart
	if n := stolenOf(a); n != nil {
		for k := range n.spec.numbers {
			args = append(args, Arg{n.spec.numbers[k].name, n.values[k]})
		}
		if rest = n.rest; n.spec.Shield.On {
			shield = n.shield
		}
		if n.spec.Charges.N > 0 {
			charges = int64(n.charges)
		}
	}
	f.args(&args)
	f.signed(&shield)
	f.signed(&charges)
	f.stolenParts(&rest)
	if f.mode == writing || f.err != nil {
		return
	}
	a.Origin.Steal = true
	if c.Verb != verb.Apply || a.Spec == nil || shield < -1 || shield > mostPool || charges < -1 || charges > define.MaxStacks ||
		slices.ContainsFunc(args, func(x Arg) bool { return math.IsNaN(x.Value) || math.IsInf(x.Value, 0) }) {
		f.failf(ErrCommand, "what is left of a buff that was stolen can be of none")
		return
	}
	if len(args) > 0 || shield >= 0 || charges >= 0 || len(rest) > 0 {
		a.Origin.Stolen = newStolen(programFor(a.Spec), args, shield, charges, rest)
	}
}

// ownOfParts reads or writes the shields, charges and numbers of the further applications of a
// stolen buff. If this field is missing, they are equal to those of the first application.
func (f *form) ownOfParts(n *stolenState) {
	if !f.next(n != nil && slices.ContainsFunc(n.rest, func(l stolenPart) bool {
		return l.shield != n.shield || l.charges != n.charges || l.numbers != 0
	})) {
		return
	}
	if n == nil {
		f.failf(ErrCommand, "parts of a buff that was not stolen")
		return
	}
	for k := range n.rest {
		l := &n.rest[k]
		charges := int64(l.charges)
		f.signed(&l.shield)
		f.signed(&charges)
		if f.ownNumbers(n, l); f.err != nil {
			return
		}
		if l.shield < 0 || l.shield > mostPool || charges < 0 || charges > define.MaxStacks {
			f.failf(ErrCommand, "a part with a shield of %d and %d charges", l.shield, charges)
			return
		}
		l.charges = int32(charges)
	}
}

// ownNumbers reads or writes the numbers of a further application. Their count is either that of
// the buff, or 0 if they are equal to the numbers of the first application.
func (f *form) ownNumbers(n *stolenState, l *stolenPart) {
	if f.mode == writing {
		own := n.waiting[:0]
		if l.numbers != 0 {
			own = n.valuesOf(l)
		}
		f.data = binary.AppendUvarint(f.data, uint64(len(own)))
		for _, v := range own {
			bits := math.Float64bits(v)
			f.word(&bits)
		}
		return
	}
	count := f.count()
	switch {
	case count == 0:
		return
	case count != uint64(len(n.values)):
		f.failf(ErrCommand, "a part with %d numbers of %d", count, len(n.values))
		return
	}
	for range count {
		var bits uint64
		if f.word(&bits); f.err != nil {
			return
		}
		v := math.Float64frombits(bits)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			f.failf(ErrCommand, "a part with the number %v", v)
			return
		}
		n.waiting = append(n.waiting, v)
	}
	l.numbers = uint16(len(n.waiting) / len(n.values))
}

// newStolen returns the state of a stolen buff. The definition may have other numbers now than when
// the buff was stolen, so the numbers are matched by name.
func newStolen(spec *program, args []Arg, shield, charges int64, rest []stolenPart) *stolenState {
	n := &stolenState{spec: spec, values: make([]float64, len(args)), shield: max(shield, 0), charges: int32(max(charges, 0)), rest: rest}
	for k := range rest {
		rest[k].shield, rest[k].charges = n.shield, n.charges // ownOfParts may replace these values later
	}
	same := len(args) == len(spec.numbers) && spec.Shield.On == (shield >= 0) && (spec.Charges.N > 0) == (charges >= 0)
	for k := range args {
		n.values[k] = args[k].Value
		same = same && args[k].Caller == spec.numbers[k].name
	}
	if same {
		return n
	}
	n.spec = &program{Spec: Spec{Shield: define.Shield{On: shield >= 0}}}
	if charges >= 0 {
		n.spec.Charges.N = 1
	}
	for k := range args {
		n.spec.numbers = append(n.spec.numbers, number{name: args[k].Caller})
	}
	return n
}

// stolenParts reads or writes the further applications of a stolen buff. Each application takes at
// least 4 bytes, so the length of the data limits their number.
func (f *form) stolenParts(v *[]stolenPart) {
	if f.mode == writing {
		f.data = binary.AppendUvarint(f.data, uint64(len(*v)))
	} else {
		n := f.count()
		if n > uint64(len(f.data)/4) {
			f.failf(ErrCommand, "%d stacks in %d bytes", n, len(f.data))
			return
		}
		*v = make([]stolenPart, n)
	}
	for i := range *v {
		l := &(*v)[i]
		stacks, level := int64(l.stacks), int64(l.level)
		f.signed(&l.left)
		f.signed(&l.magnitude)
		f.signed(&stacks)
		f.signed(&level)
		if f.mode == reading && f.err == nil && (l.left <= 0 || l.left > define.MaxDuration.Milliseconds() || stacks < 1 || stacks > define.MaxStacks || level < 0 || level > define.MaxLevel) {
			f.failf(ErrCommand, "%d stacks of level %d that last %d ms", stacks, level, l.left)
			return
		}
		l.stacks, l.level = int16(stacks), int16(level)
	}
}
