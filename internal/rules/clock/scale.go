package clock

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/exact"
)

// Scale maps an outer time to an inner time that may be paused or have another rate. Use [New]. A
// nil Scale maps each instant to itself.
//
// From the outer instant `at`, inner time advances `num` ms in every `den` ms. At that instant the
// inner time was `inner` + `rest`/`den`. Keeping the fraction prevents drift, however often the
// rate changes, as long as the denominators have a common multiple below 2^31.
type Scale[Outer, Inner instant] struct {
	at       Outer
	inner    Inner
	rest     int64 // invariant: 0 ≤ rest < den
	num, den int64 // the product of the rates of all causes; num is 0 while a cause is held
	causes   [3]Cause
}

// Owner is the scale of an owner, and Buff is the scale of a buff.
type (
	Owner = Scale[WorldTime, OwnerTime]
	Buff  = Scale[OwnerTime, BuffTime]
)

// Cause is the pause and the rate that a buff, an owner or an area contributes to a Scale.
type Cause struct {
	Held bool // paused
	Rate buff.Ratio
}

// ByDeath is the cause of a death pause in the scale of a buff. It has the same value as the cause
// "area", which occurs only in the scale of an owner.
const ByDeath = define.OfArea

// New returns a Scale with the rate 1 that has the inner time `inner` at the outer instant `at`.
// Before this instant, inner time does not advance.
func New[Outer, Inner instant](at Outer, inner Inner) Scale[Outer, Inner] {
	return Scale[Outer, Inner]{at: at, inner: inner, num: 1, den: 1}
}

// Cause returns the cause of a buff, an owner or an area.
func (p *Scale[Outer, Inner]) Cause(w define.Whose) Cause { return *p.cause(w) }

func (p *Scale[Outer, Inner]) cause(w define.Whose) *Cause {
	switch w {
	case define.OfBuff:
		return &p.causes[0]
	case define.OfOwner:
		return &p.causes[1]
	case define.OfArea:
		return &p.causes[2]
	}
	panic(fmt.Sprintf("buff: Command with invalid Whose %d", w))
}

// Paused reports whether inner time is paused.
func (p *Scale[Outer, Inner]) Paused() bool { return p != nil && p.num == 0 }

// Speed returns the rate of inner time relative to outer time; 0 means paused.
func (p *Scale[Outer, Inner]) Speed() float64 { return float64(p.num) / float64(p.den) }

// ToInner returns the first inner instant that is reached at or after an outer instant. Something
// that starts at this inner instant does not start too early.
func (p *Scale[Outer, Inner]) ToInner(at Outer) Inner {
	if p == nil {
		return Inner(at)
	}
	return p.toInner(at)
}

func (p *Scale[Outer, Inner]) toInner(at Outer) Inner {
	ms, rest := p.elapsed(at)
	if rest > 0 {
		ms++
	}
	return add(p.inner, ms)
}

// Reached returns the last inner instant that has been reached at an outer instant. Events up to
// this instant are due. While inner time is paused no event is due, so the result is math.MinInt64.
func (p *Scale[Outer, Inner]) Reached(at Outer) Inner {
	switch {
	case p == nil:
		return Inner(at)
	case p.num == 0:
		return math.MinInt64
	}
	ms, _ := p.elapsed(at)
	return add(p.inner, ms)
}

// ToOuter returns the first outer instant at which an inner instant has been reached. While the
// inner time is paused it returns Never, even for the instant of the pause.
func (p *Scale[Outer, Inner]) ToOuter(inner Inner) Outer {
	if p == nil {
		return Outer(inner)
	}
	return p.toOuter(inner)
}

// toOuter inverts Reached: it returns the smallest outer instant with Reached(outer) ≥ inner. For
// example, at a rate of 3/4 an inner time of 3 ms takes 4 ms, and an inner time of 1 ms takes 2 ms.
// The products need 128 bits, because instants may be far apart.
func (p *Scale[Outer, Inner]) toOuter(inner Inner) Outer {
	switch {
	case p.num == 0 || inner == Never:
		return Never
	case inner <= p.inner:
		return p.at
	}
	hi, lo := bits.Mul64(uint64(inner)-uint64(p.inner), uint64(p.den))
	lo, borrow := bits.Sub64(lo, uint64(p.rest), 0)
	lo, carry := bits.Add64(lo, uint64(p.num)-1, 0)
	hi += carry - borrow
	if hi >= uint64(p.num) {
		return Never
	}
	q, _ := bits.Div64(hi, lo, uint64(p.num))
	if q > math.MaxInt64 {
		return Never
	}
	return add(p.at, int64(q))
}

// toOuterBefore does the same as toOuter, but for an inner instant before p.inner. It computes the
// result as if the rate had always been the same.
func (p *Scale[Outer, Inner]) toOuterBefore(inner Inner) Outer {
	hi, lo := bits.Mul64(uint64(p.inner)-uint64(inner), uint64(p.den))
	lo, carry := bits.Add64(lo, uint64(p.rest), 0)
	hi += carry
	if hi >= uint64(p.num) {
		return p.at
	}
	q, _ := bits.Div64(hi, lo, uint64(p.num))
	if q > math.MaxInt64 {
		return p.at
	}
	return add(p.at, -int64(q))
}

// elapsed returns the inner time since p.inner at an outer instant, in whole ms and a remainder in
// 1/den ms. Before p.at it returns the values at p.at.
func (p *Scale[Outer, Inner]) elapsed(outer Outer) (ms, rest int64) {
	if outer <= p.at {
		return 0, p.rest
	}
	hi, lo := bits.Mul64(uint64(outer)-uint64(p.at), uint64(p.num))
	lo, carry := bits.Add64(lo, uint64(p.rest), 0)
	hi += carry
	if hi >= uint64(p.den) {
		return math.MaxInt64, 0
	}
	q, r := bits.Div64(hi, lo, uint64(p.den))
	return int64(min(q, math.MaxInt64)), int64(r)
}

// OuterZero returns the outer instant zero in inner time, rounded up. It is computed as if the
// scale had always had its present rate OfBuff and had never been paused. For a paused scale it is
// computed as if its time continued now.
func (p *Scale[Outer, Inner]) OuterZero() int64 {
	r := p.Cause(define.OfBuff).Rate.OrOne()
	num, den, at := int64(r.Num), int64(r.Den), int64(p.at)
	parts := at % den * num // the fraction of at, in units of 1/den ms
	zero := int64(p.inner) - at/den*num - parts/den
	parts = p.rest*den - parts%den*p.den // in units of 1/(p.den × den) ms
	zero += parts / (p.den * den)
	if parts%(p.den*den) > 0 {
		zero++
	}
	return zero
}

// Set sets one cause from an outer instant on, which must not be before an earlier Set.
//
// The rates of all causes are multiplied, and each held cause stops the time. The time up to now
// is converted at the old rate: the whole ms are added to `inner`, and the remainder is kept in
// `rest`, so that frequent changes stay exact. The method fit limits the denominator.
func (p *Scale[Outer, Inner]) Set(now Outer, w define.Whose, to Cause) {
	*p.cause(w) = to
	num, den := uint64(1), uint64(1)
	for _, c := range p.causes {
		num, den = product(num, den, c.Rate)
		if c.Held {
			num, den = 0, 1
			break
		}
	}
	ms, rest := p.elapsed(now)
	p.at, p.inner = now, add(p.inner, ms)
	p.num, p.den, p.rest = p.fit(rest, num, den)
}

// product returns num/den × r as a reduced fraction.
func product(num, den uint64, r buff.Ratio) (uint64, uint64) {
	r = r.OrOne()
	num, den = num*uint64(r.Num), den*uint64(r.Den)
	if g := exact.GCD(num, den); g > 1 {
		num, den = num/g, den/g
	}
	return num, den
}

// fit expands the rate num/den to a denominator in which rest, which is in units of 1/p.den ms, is
// a whole number. If that denominator is too large, it keeps den and rounds rest down. fit returns
// the new num, den and rest.
func (p *Scale[Outer, Inner]) fit(rest int64, num, den uint64) (int64, int64, int64) {
	if rest == 0 {
		return int64(num), int64(den), 0
	}
	old := uint64(p.den)
	common := old / exact.GCD(old, den) * den
	if common >= 1<<31 {
		hi, lo := bits.Mul64(uint64(rest), den)
		q, _ := bits.Div64(hi, lo, old)
		return int64(num), int64(den), int64(q)
	}
	return int64(num * (common / den)), int64(common), rest * int64(common/old)
}

// Save returns the exact inner time at an outer instant, which must not be before Start: the last
// inner instant that has been reached, and the part of a ms since then as the fraction rest/parts.
func (p *Scale[Outer, Inner]) Save(at Outer) (inner Inner, rest, parts int64) {
	ms, rest := p.elapsed(at)
	g := int64(exact.GCD(uint64(p.den), uint64(rest)))
	return add(p.inner, ms), rest / g, p.den / g
}

// Restore returns the Scale with one cause that has the inner time `inner` + rest/parts at the outer
// instant `at`.
func Restore[Outer, Inner instant](at Outer, inner Inner, rest, parts int64, w define.Whose, cause Cause) Scale[Outer, Inner] {
	p := New(at, inner)
	p.rest, p.den = rest, parts
	p.Set(at, w, cause)
	return p
}

// Start returns the outer instant from which the present rate applies. A scale that was made
// between two ms of outer time starts at the second of them.
func (p *Scale[Outer, Inner]) Start() Outer { return p.at }

// Elapsed returns the whole ms of inner time from Start until an outer instant.
func (p *Scale[Outer, Inner]) Elapsed(until Outer) int64 {
	ms, _ := p.elapsed(until)
	return ms
}

// Skip returns the whole ms of inner time that pass until an outer instant, and keeps only the
// fraction: the scale has the same inner time as before, but at the outer instant `at`. A paused
// scale does not move.
func (p *Scale[Outer, Inner]) Skip(until, at Outer) (ms int64) {
	ms, p.rest = p.elapsed(until)
	if p.num > 0 {
		p.at = at
	}
	return ms
}
