package buff

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// timeScale maps an outer time to an inner one that may stand still or pass at another rate:
// the world's to an owner's, or an owner's to that of one of its buffs.
//
// Since the outer instant at, num ms of inner time have passed in each den ms. The inner
// time at at was inner + rest/den: fractions of a millisecond are kept, so that no number
// of changes makes it drift, as long as the denominators have a common multiple below 2^31.
type timeScale struct {
	at, inner wheel.Time
	rest      int64 // below den
	num, den  int64 // num 0: it stands still
	cause     [3]cause
}

// cause is one reason why a time stands still or passes at another rate.
type cause struct {
	held bool
	rate Ratio
}

// causeOf returns the cause that is of the buff, of the owner or of the zone.
func (p *timeScale) causeOf(w define.Whose) *cause {
	switch w {
	case define.OfBuff:
		return &p.cause[0]
	case define.OfOwner:
		return &p.cause[1]
	case define.OfZone:
		return &p.cause[2]
	}
	panic(fmt.Sprintf("buff: a Command with the Whose %d", w))
}

// newTimeScale returns the time scale of a time that was like the outer one until now.
func newTimeScale(now wheel.Time) timeScale { return timeScale{at: now, inner: now, num: 1, den: 1} }

// elapsed returns the inner time at an outer instant, p.at if it is before that: whole ms
// since p.inner, and what is above them, in 1/den.
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

// floor returns the last inner instant that has been reached at an outer one.
func (p *timeScale) floor(outer wheel.Time) wheel.Time {
	ms, _ := p.elapsed(outer)
	return p.inner.Add(ms)
}

// ceil returns the first inner instant that is not before an outer one: what starts there
// is never early.
func (p *timeScale) ceil(outer wheel.Time) wheel.Time {
	ms, rest := p.elapsed(outer)
	if rest > 0 {
		ms++
	}
	return p.inner.Add(ms)
}

// outer returns the first outer instant at which an inner one has been reached, Never if
// that does not come: while it stands still nothing does, not even what is due in the very
// instant in which it was held.
//
// It is floor turned round: the smallest outer with floor(outer) ≥ inner. With a rate of 3/4, 3 ms of the inner time have been
// reached after 4 of the outer, 1 ms after 2 and not after 1⅓. The products need 128 bits, since an instant may be far away.
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

// outerBefore is outer for an inner instant before the scale began, as if the rate had always been the same. Only what ended
// while its owner was away ends so early.
//
// Story: testdata/save/chain_scaled.txt.
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

// The time of an owner is nil until something changes it: it is the world's.

// toWorld returns the first instant of the world at which an instant of the owner's time has
// been reached.
func (p *timeScale) toWorld(at wheel.Time) wheel.Time {
	if p == nil {
		return at
	}
	return p.outer(at)
}

// lastReached returns the last instant of the owner's time up to which what is due happens at one
// of the world's: none while that time stands still.
func (p *timeScale) lastReached(at wheel.Time) wheel.Time {
	switch {
	case p == nil:
		return at
	case p.num == 0:
		return math.MinInt64
	}
	return p.floor(at)
}

// firstReached returns the instant of the owner's time from which what starts at one of the
// world's is counted.
func (p *timeScale) firstReached(at wheel.Time) wheel.Time {
	if p == nil {
		return at
	}
	return p.ceil(at)
}

// paused reports whether the owner's time stands still.
func (p *timeScale) paused() bool { return p != nil && p.num == 0 }

// ownerZero returns the instance's own instant, rounded up, that stands for the zero of its owner's
// time: where that would have been if the instance's own rate had always been as it is, and its
// time had never stood still since. While it is held, as if it went on where it was held.
//
// Stories: testdata/align_owner.txt, align_owner_pause.txt.
func (p *timeScale) ownerZero() int64 {
	r := p.causeOf(define.OfBuff).rate.orOne()
	num, den, at := int64(r.Num), int64(r.Den), int64(p.at)
	parts := at % den * num // of den, beside the whole ms
	zero := int64(p.inner) - at/den*num - parts/den
	parts = p.rest*den - parts%den*p.den // of p.den × den
	zero += parts / (p.den * den)
	if parts%(p.den*den) > 0 {
		zero++
	}
	return zero
}

// change gives one of the causes a new rate, or holds it.
//
// The rates of all causes are multiplied, and one that holds is enough to stop. What has passed so far is settled at the old
// rate: to the whole ms in inner, and the part of one in rest, which is carried over, so that a rate that changes often
// loses nothing; see fit for what is too fine. Stories: testdata/rate_owner.txt, rate_buff.txt, pause_buff.txt.
func (p *timeScale) change(now wheel.Time, w define.Whose, held bool, rate Ratio) {
	*p.causeOf(w) = cause{held, rate}
	num, den := uint64(1), uint64(1)
	for _, c := range p.cause {
		r := c.rate.orOne()
		num, den = num*uint64(r.Num), den*uint64(r.Den)
		if g := gcd(num, den); g > 1 {
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

// fit writes the rate num/den over a denominator in which the rest, in 1/p.den, is whole;
// if that is too great, the rest is rounded down.
func (p *timeScale) fit(rest int64, num, den uint64) (int64, int64, int64) {
	if rest == 0 {
		return int64(num), int64(den), 0
	}
	old := uint64(p.den)
	common := old / gcd(old, den) * den
	if common >= 1<<31 {
		hi, lo := bits.Mul64(uint64(rest), den)
		q, _ := bits.Div64(hi, lo, old)
		return int64(num), int64(den), int64(q)
	}
	return int64(num * (common / den)), int64(common), rest * int64(common/old)
}

// Ratio is a fraction Num/Den, exact. The zero Ratio stands for 1; otherwise both parts
// are above zero and at most MaxRatio, or Num is zero, where that has a meaning.
type Ratio struct {
	Num, Den uint32 // the part above the line and the one below
}

// Limits of a [Ratio].
const (
	MaxRatio = 1_000_000_000 // its greatest part
	MaxRate  = 1000          // its greatest part where it is a rate of time
)

// Times returns the product, in lowest terms. It panics if that has a part above
// MaxRatio.
func (r Ratio) Times(o Ratio) Ratio {
	r, o = r.orOne(), o.orOne()
	n, d := uint64(r.Num)*uint64(o.Num), uint64(r.Den)*uint64(o.Den)
	if g := gcd(n, d); g > 1 {
		n, d = n/g, d/g
	}
	if n > MaxRatio || d > MaxRatio {
		panic(fmt.Sprintf("buff: the product of the ratios %v and %v has a part above %d", r, o, MaxRatio))
	}
	return Ratio{uint32(n), uint32(d)}
}

// String returns "3/4".
func (r Ratio) String() string {
	r = r.orOne()
	return fmt.Sprintf("%d/%d", r.Num, r.Den)
}

func (r Ratio) orOne() Ratio {
	if r == (Ratio{}) {
		return Ratio{1, 1}
	}
	return r
}

// within reports whether both parts are at most limit, and it is a number.
func (r Ratio) within(limit uint32) bool {
	r = r.orOne()
	return r.Den > 0 && r.Den <= limit && r.Num <= limit
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// mulDiv returns ms × num / den, half up, and the highest int64 if it is more.
func mulDiv(ms int64, num, den uint64) int64 {
	hi, lo := bits.Mul64(uint64(ms), num)
	lo, carry := bits.Add64(lo, den/2, 0)
	hi += carry
	if hi >= den {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, den)
	return int64(min(q, math.MaxInt64))
}
