package sheet

import (
	"math"
	"math/bits"
)

// sum returns start plus all the values, added exactly and rounded once, to the nearest float64,
// ties to even. The result therefore does not depend on the order. The sum cannot overflow, because
// no value is above MaxValue and there are few values.
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

// pair is a sum as two numbers, which is exact for nearly all sums in a game. Invariant: unless
// inexact is set, head + rest, without rounding, is the sum so far.
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

// twoSum returns a + b rounded, and the exact rounding error (Knuth's algorithm). It contains no
// product, so a compiler cannot fuse anything.
func twoSum(a, b float64) (s, lost float64) {
	s = a + b
	b2 := s - a
	a2 := s - b2
	return s, (a - a2) + (b - b2)
}

// wide is a fixed-point binary sum: bit 0 is worth 2^-1074, the smallest float64. A limb holds 32
// bits of the sum and has 32 more bits for carries and the sign, so that thousands of numbers can
// be added before carries are propagated. MaxValue is below 2^997, and with twelve more bits there
// is room for the sum of all modifiers.
type wide [(1074+997+12)/limbBits + 2]int64

const (
	limbBits = 32
	limbMask = 1<<limbBits - 1
)

// wideSum is like sum, but for numbers whose exponents differ too much for a pair.
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
	if at > 0 { // the number is not subnormal
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

// round returns the sum as a float64. It overwrites w.
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
	// head gets the highest 64 bits, starting at the first bit that is set.
	limb := func(i int) uint64 {
		if i < 0 {
			return 0
		}
		return uint64(w[i])
	}
	lead := bits.LeadingZeros64(limb(top)) - limbBits
	head := limb(top)<<limbBits | limb(top-1)
	head = head<<lead | limb(top-2)>>(limbBits-lead)
	below := limb(top-2) << lead & limbMask // the bits below these 64
	for i := top - 3; i >= 0; i-- {
		below |= limb(i)
	}
	if below != 0 {
		head |= 1 // below the 53 bits that remain, so it only breaks a tie
	}
	// The conversion rounds to 53 bits. No value is rounded twice: only a value with at most 53
	// bits, which is exact, can be subnormal.
	return math.Ldexp(math.Copysign(float64(head), sign), (top-1)*limbBits-lead-1074)
}

// carry propagates the carries and returns the last limb, which has the sign of the sum.
func (w *wide) carry() int64 {
	last := len(w) - 1
	for i := range w[:last] {
		w[i+1] += w[i] >> limbBits
		w[i] &= limbMask
	}
	return w[last]
}
