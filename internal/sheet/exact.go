package sheet

import (
	"math"
	"math/bits"
)

// sum returns start and all the values, added exactly and rounded once, to the nearest
// float64 and to the even one of two. So it is the same in whatever order they come. None
// of them is above MaxValue, and they are few enough to leave no finite sum too large.
func sum(start float64, low, high []operand) float64 {
	p := pair{head: start}
	for _, o := range low {
		p.add(o.value)
	}
	for _, o := range high {
		p.add(o.value)
	}
	if p.inexact {
		return wideSum(start, low, high)
	}
	return p.head + p.rest
}

// pair holds a sum as two numbers, which is enough for nearly all that a game adds up.
// Invariant: unless inexact is set, head + rest, not rounded, is the sum so far.
type pair struct {
	head, rest float64
	inexact    bool
}

func (p *pair) add(v float64) {
	var lost float64
	p.head, lost = twoSum(p.head, v)
	p.rest, lost = twoSum(p.rest, lost)
	p.inexact = p.inexact || lost != 0
}

// twoSum returns a + b rounded, and what the rounding took away, exactly (Knuth's
// algorithm). There is no product in it that could be fused.
func twoSum(a, b float64) (s, lost float64) {
	s = a + b
	b2 := s - a
	a2 := s - b2
	return s, (a - a2) + (b - b2)
}

// wide is a sum in binary with a fixed point: bit 0 is worth 2^-1074, the least that a
// float64 can be. A limb holds 32 bits and has as many again to gather carries in, and
// its sign, so that thousands of numbers can be added before a carry is passed on.
// MaxValue is below 2^997, and twelve bits more hold the sum of all modifiers.
type wide [(1074+997+12)/limbBits + 2]int64

const (
	limbBits = 32
	limbMask = 1<<limbBits - 1
)

// wideSum is sum for numbers whose bits are too far apart for a pair.
func wideSum(start float64, low, high []operand) float64 {
	var w wide
	w.add(start)
	for _, o := range low {
		w.add(o.value)
	}
	for _, o := range high {
		w.add(o.value)
	}
	return w.round()
}

func (w *wide) add(v float64) {
	const mantissaBits = 52
	b := math.Float64bits(v)
	mantissa, at := b&(1<<mantissaBits-1), uint(b>>mantissaBits)&0x7ff
	if at > 0 { // not a subnormal number
		mantissa |= 1 << mantissaBits
		at--
	}
	limb, shift := at/limbBits, at%limbBits
	high, low := bits.Mul64(mantissa, 1<<shift)
	parts := [3]int64{int64(low & limbMask), int64(low >> limbBits), int64(high)}
	for i, p := range parts {
		if v < 0 {
			p = -p
		}
		w[limb+uint(i)] += p
	}
}

// round returns the sum as a float64. It uses w up.
func (w *wide) round() float64 {
	sign := 1.0
	if w.carry() < 0 {
		sign = -1
		for i := range w {
			w[i] = -w[i]
		}
		w.carry()
	}
	top := len(w) - 1
	for top > 0 && w[top] == 0 {
		top--
	}
	// The highest 64 bits from the first that is set; if there are fewer, all.
	limb := func(i int) uint64 {
		if i < 0 {
			return 0
		}
		return uint64(w[i])
	}
	lead := bits.LeadingZeros64(limb(top)) - limbBits
	head := limb(top)<<limbBits | limb(top-1)
	head = head<<lead | limb(top-2)>>(limbBits-lead)
	below := limb(top-2) << lead & limbMask // what is under the 64 bits
	for i := top - 3; i >= 0; i-- {
		below |= limb(i)
	}
	if below != 0 {
		head |= 1 // far under the 53 bits that will remain: it only breaks a tie
	}
	// The conversion rounds to 53 bits. What has no more than those is exact, and
	// only that can be subnormal, so that nothing is rounded twice.
	return math.Ldexp(math.Copysign(float64(head), sign), (top-1)*limbBits-lead-1074)
}

// carry leaves in every limb but the last what fits into it, and returns the last: its
// sign is the sum's.
func (w *wide) carry() int64 {
	last := len(w) - 1
	for i := range w[:last] {
		w[i+1] += w[i] >> limbBits
		w[i] &= limbMask
	}
	return w[last]
}
