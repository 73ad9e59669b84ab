package sheet

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff/stat"
)

// operand is a modifier during evaluation.
type operand struct {
	value float64
	rank  uint16 // channel<<8 | op: operands are applied in this order
}

func (o operand) channel() uint16 { return o.rank >> 8 }

func (o operand) op() stat.Op { return stat.Op(o.rank) }

// few is the largest number of modifiers whose operands fit into the array on the stack.
const few = 16

// evaluate returns the value of an attribute with its modifiers but without its limits. It also
// reports whether an intermediate result was above MaxValue.
func (s *Sheet) evaluate(a stat.Attr) (float64, bool) {
	var stack [few]operand
	c := &s.cells[a]
	ops := stack[:0]
	if int(c.count) > few {
		if cap(s.spare) < int(c.count) {
			s.spare = make([]operand, 0, 2*int(c.count))
		}
		ops = s.spare[:0]
	}
	running, ops := s.gather(a, ops)
	// Sort, so that the result does not depend on the order of the list. Operands that compare
	// equal are identical.
	slices.SortFunc(ops, func(x, y operand) int {
		if x.rank != y.rank {
			return cmp.Compare(x.rank, y.rank)
		}
		return cmp.Compare(x.value, y.value)
	})
	r := evaluation{attr: &s.layout.attrs[a], running: running}
	for len(ops) > 0 {
		n := 1
		for n < len(ops) && ops[n].channel() == ops[0].channel() {
			n++
		}
		r.channel(ops[:n])
		ops = ops[n:]
	}
	return unsigned(r.running), r.overflow
}

// gather returns the starting value of the attribute and appends the effective modifiers to ops. If
// there are overrides, the starting value is the newest override of the highest channel with an
// override. This override cancels the modifiers of its channel and of all lower channels.
func (s *Sheet) gather(a stat.Attr, ops []operand) (float64, []operand) {
	c := &s.cells[a]
	start, from := c.base, uint8(0)
	for i := c.head; i != none; i = s.slots[i].next {
		if sl := &s.slots[i]; sl.op == stat.Override && sl.channel+1 >= from {
			start, from = sl.value, sl.channel+1 // sl is later in the list, so it is newer
		}
	}
	for i := c.head; i != none; i = s.slots[i].next {
		if sl := &s.slots[i]; sl.channel >= from && sl.op != stat.Override {
			ops = append(ops, operand{value: sl.value, rank: uint16(sl.channel)<<8 | uint16(sl.op)})
		}
	}
	return start, ops
}

// evaluation is the intermediate value of one attribute while its channels are applied.
type evaluation struct {
	attr     *attribute
	running  float64
	overflow bool
}

// channel applies the modifiers of one channel, which must be sorted.
func (r *evaluation) channel(ops []operand) {
	for len(ops) > 0 {
		op, n := ops[0].op(), 1
		for n < len(ops) && ops[n].op() == op {
			n++
		}
		switch op {
		case stat.Add, stat.FinalAdd:
			r.set(r.attr.total(r.running, ops[:n]))
		case stat.MulAdd:
			r.multiply(r.attr.total(1, ops[:n]))
		case stat.MulCompound:
			for _, o := range ops[:n] {
				r.multiply(1 + o.value)
			}
		}
		ops = ops[n:]
	}
}

// multiply multiplies the intermediate value. The conversion prevents a fused multiply-add: on
// processors such as arm64, a compiler may otherwise fuse the product with a following sum, which
// rounds once and not twice. This is the only product of float64 values in the package.
func (r *evaluation) multiply(factor float64) { r.set(float64(r.running * factor)) }

// set sets the intermediate value. It is never NaN, because each infinity is clamped immediately,
// before it can be multiplied by zero or added to an infinity of the opposite sign.
func (r *evaluation) set(v float64) {
	r.running = within(v, -stat.MaxValue, stat.MaxValue)
	r.overflow = r.overflow || r.running != v
}

// total returns the exact sum of `start` and the operands that take effect. Aggregate decides which
// of them take effect. The operands are sorted by value, so those that take effect are at the start
// and at the end of the list.
func (a *attribute) total(start float64, ops []operand) float64 {
	switch a.Aggregate {
	case stat.Max:
		return sum(start, nil, ops[len(ops)-1:])
	case stat.Min:
		return sum(start, ops[:1], nil)
	case stat.Strongest:
		low, high := 0, len(ops)
		for range min(a.N, len(ops)) {
			if weaker := -ops[low].value <= ops[high-1].value; weaker {
				high--
			} else {
				low++
			}
		}
		return sum(start, ops[:low], ops[high:])
	default:
		return sum(start, ops, nil)
	}
}
