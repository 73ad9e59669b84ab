package rules

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/wheel"
)

// timeScale maps an outer time to an inner time that may be paused or have another rate. It maps
// world time to owner time, or owner time to buff time.
//
// From the outer instant `at`, inner time advances `num` ms in every `den` ms. At that instant the
// inner time was `inner` + `rest`/`den`. Keeping the fraction prevents drift, however often the
// rate changes, as long as the denominators have a common multiple below 2^31.
type timeScale struct {
	at, inner wheel.Time
	rest      int64 // below den
	num, den  int64 // num is 0 while paused
	cause     [3]cause
}

// cause is the pause and the rate that a buff, an owner or a zone contributes to a timeScale.
type cause struct {
	held bool // paused
	rate buff.Ratio
}

// causeOf returns the cause of a buff, an owner or a zone.
func (p *timeScale) causeOf(w define.Whose) *cause {
	switch w {
	case define.OfBuff:
		return &p.cause[0]
	case define.OfOwner:
		return &p.cause[1]
	case define.OfZone:
		return &p.cause[2]
	}
	panic(fmt.Sprintf("buff: Command with invalid Whose %d", w))
}

// newTimeScale returns a scale with the rate 1 and both times equal to now.
func newTimeScale(now wheel.Time) timeScale { return timeScale{at: now, inner: now, num: 1, den: 1} }

// elapsed returns the inner time since p.inner at an outer instant, in whole ms and a remainder in
// 1/den ms. Before p.at it returns the values at p.at.
func (p *timeScale) elapsed(outer wheel.Time) (ms, rest int64) {
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

// floor returns the last inner instant that has been reached at an outer instant.
func (p *timeScale) floor(outer wheel.Time) wheel.Time {
	ms, _ := p.elapsed(outer)
	return p.inner.Add(ms)
}

// ceil returns the first inner instant that is reached at or after an outer instant. Something that
// starts at this inner instant does not start too early.
func (p *timeScale) ceil(outer wheel.Time) wheel.Time {
	ms, rest := p.elapsed(outer)
	if rest > 0 {
		ms++
	}
	return p.inner.Add(ms)
}

// outer returns the first outer instant at which an inner instant has been reached. While the
// inner time is paused it returns wheel.Never, even for the instant of the pause.
//
// It inverts floor: it returns the smallest outer with floor(outer) ≥ inner. For example, at a rate
// of 3/4 an inner time of 3 ms takes 4 ms, and an inner time of 1 ms takes 2 ms. The products need
// 128 bits, because instants may be far apart.
func (p *timeScale) outer(inner wheel.Time) wheel.Time {
	switch {
	case p.num == 0 || inner == wheel.Never:
		return wheel.Never
	case inner <= p.inner:
		return p.at
	}
	hi, lo := bits.Mul64(uint64(inner)-uint64(p.inner), uint64(p.den))
	lo, borrow := bits.Sub64(lo, uint64(p.rest), 0)
	lo, carry := bits.Add64(lo, uint64(p.num)-1, 0)
	hi += carry - borrow
	if hi >= uint64(p.num) {
		return wheel.Never
	}
	q, _ := bits.Div64(hi, lo, uint64(p.num))
	if q > math.MaxInt64 {
		return wheel.Never
	}
	return p.at.Add(int64(q))
}

// outerBefore does the same as the method outer, but for an inner instant before p.inner. It
// computes the result as if the rate had always been the same. It is needed only for buffs that
// ended while their owner was away.
//
// Example: testdata/save/chain_scaled.txt.
func (p *timeScale) outerBefore(inner wheel.Time) wheel.Time {
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
	return p.at.Add(-int64(q))
}

// The time scale of an owner is nil until a pause or a rate changes its time.

// toWorld returns the first world instant at which an instant of owner time has been reached.
func (p *timeScale) toWorld(at wheel.Time) wheel.Time {
	if p == nil {
		return at
	}
	return p.outer(at)
}

// lastReached returns the last instant of owner time that has been reached at a world instant.
// Events up to this instant are due. While the owner is paused no event is due, so the result is
// math.MinInt64.
func (p *timeScale) lastReached(at wheel.Time) wheel.Time {
	switch {
	case p == nil:
		return at
	case p.num == 0:
		return math.MinInt64
	}
	return p.floor(at)
}

// firstReached returns the first instant of owner time that is reached at or after a world instant.
// It is the start, in owner time, of a buff that is applied at that world instant.
func (p *timeScale) firstReached(at wheel.Time) wheel.Time {
	if p == nil {
		return at
	}
	return p.ceil(at)
}

// paused reports whether the owner's time is paused.
func (p *timeScale) paused() bool { return p != nil && p.num == 0 }

// ownerZero returns the instant zero of owner time in the instance's time, rounded up. It is
// computed as if the instance had always had its present rate and had never been paused. For a
// paused instance it is computed as if its time continued now.
//
// Examples: testdata/align_owner.txt, align_owner_pause.txt.
func (p *timeScale) ownerZero() int64 {
	r := p.causeOf(define.OfBuff).rate.OrOne()
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

// change sets the pause and the rate of one cause.
//
// The rates of all causes are multiplied, and each paused cause stops the time. The time up to now
// is converted at the old rate: the whole ms are added to `inner`, and the remainder is kept in
// `rest`, so that frequent changes stay exact. [timeScale.fit] limits the denominator.
//
// Examples: testdata/rate_owner.txt, rate_buff.txt, pause_buff.txt.
func (p *timeScale) change(now wheel.Time, w define.Whose, held bool, rate buff.Ratio) {
	*p.causeOf(w) = cause{held, rate}
	num, den := uint64(1), uint64(1)
	for _, c := range p.cause {
		r := c.rate.OrOne()
		num, den = num*uint64(r.Num), den*uint64(r.Den)
		if g := exact.GCD(num, den); g > 1 {
			num, den = num/g, den/g
		}
		if c.held {
			num, den = 0, 1
			break
		}
	}
	ms, rest := p.elapsed(now)
	p.at, p.inner = now, p.inner.Add(ms)
	p.num, p.den, p.rest = p.fit(rest, num, den)
}

// fit expands the rate num/den to a denominator in which rest, which is in units of 1/p.den ms, is
// a whole number. If that denominator is too large, it keeps den and rounds rest down. fit returns
// the new num, den and rest.
func (p *timeScale) fit(rest int64, num, den uint64) (int64, int64, int64) {
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

// ratioWithin reports whether Den is not zero and both Num and Den are at most `limit`.
func ratioWithin(r buff.Ratio, limit uint32) bool {
	r = r.OrOne()
	return r.Den > 0 && r.Den <= limit && r.Num <= limit
}
