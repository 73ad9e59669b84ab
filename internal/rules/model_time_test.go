package rules_test

import (
	"math/big"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// clock maps an outer time to an inner time: world time to owner time, or owner time to buff time.
// From the outer instant at, the inner time advances from inner at the given speed. With a nil
// clock both times are equal.
type clock struct {
	at    int64
	inner *big.Rat
	held  [4]bool
	rate  [4]*big.Rat
	dead  bool
}

func (c *clock) speed() *big.Rat {
	speed := big.NewRat(1, 1)
	for i := range c.held {
		if c.held[i] || c.dead {
			return new(big.Rat)
		}
		if c.rate[i] != nil {
			speed.Mul(speed, c.rate[i])
		}
	}
	return speed
}

func (c *clock) stands() bool { return c != nil && c.speed().Sign() == 0 }

func (c *clock) now(outer int64) *big.Rat {
	passed := new(big.Rat).SetInt64(max(outer-c.at, 0))
	return passed.Mul(passed, c.speed()).Add(passed, c.inner)
}

// floor returns the last whole inner instant reached at an outer instant. ceil returns the first
// whole inner instant that is not before the outer instant, so that nothing starts too early.
func (c *clock) floor(outer int64) int64 {
	if c == nil {
		return outer
	}
	return rounded(c.now(outer), 0)
}

func (c *clock) ceil(outer int64) int64 {
	if c == nil {
		return outer
	}
	return rounded(c.now(outer), 1)
}

// reach returns the first outer instant at which an inner instant is reached.
func (c *clock) reach(inner int64) int64 {
	if c == nil || inner == never {
		return inner
	}
	speed := c.speed()
	if speed.Sign() == 0 {
		return never // a paused buff has no events
	}
	missing := new(big.Rat).SetInt64(inner)
	if missing.Sub(missing, c.inner); missing.Sign() <= 0 {
		return c.at
	}
	return c.at + rounded(missing.Quo(missing, speed), 1)
}

// zero returns the instant of buff time at the zero of owner time, computed as if the rate of the
// buff had always been the present one.
func (c *clock) zero() int64 {
	if c == nil {
		return 0
	}
	rate := c.rate[define.OfBuff]
	if rate == nil {
		rate = big.NewRat(1, 1)
	}
	at := new(big.Rat).SetInt64(c.at)
	return rounded(at.Sub(c.inner, at.Mul(at, rate)), 1)
}

func rounded(r *big.Rat, up int64) int64 {
	q, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() == 0 {
		up = 0
	}
	return q.Int64() + up
}

// change records a change of the rate at an outer instant.
func (c *clock) change(outer int64) { c.inner, c.at = c.now(outer), max(outer, c.at) }

// now converts an instant of owner time to buff time.
func (b *carried) now(owner int64) int64 { return b.clock.ceil(owner) }

// world converts an instant of buff time to world time.
func (m *model) world(b *carried, at int64) int64 { return m.own.reach(b.clock.reach(at)) }

// endTold returns the end that events report, which is never while the time is paused.
func (m *model) endTold(b *carried, end int64) int64 { return m.world(b, end) }

func (m *model) setTimeScale(b *carried, o Op) string {
	if o.verb == verb.SetRate && (o.rate.Num == 0 || o.rate.Num > buff.MaxRate || o.rate.Den == 0 || o.rate.Den > buff.MaxRate) {
		return "rate"
	}
	c := m.own
	switch {
	case o.whose != define.OfBuff && c == nil:
		c = &clock{at: m.at, inner: new(big.Rat).SetInt64(m.at)}
		m.own = c
	case o.whose == define.OfBuff && (b == nil || b.gone):
		return "stale"
	case o.whose == define.OfBuff:
		m.flush(b)
		c = m.clockOf(b)
	}
	if o.whose == define.OfBuff {
		c.change(m.now)
	} else {
		for _, b := range m.buffs {
			m.flush(b)
		}
		c.change(m.at)
	}
	switch o.verb {
	case verb.SetRate:
		c.rate[o.whose] = big.NewRat(int64(o.rate.Num), int64(o.rate.Den))
	default:
		c.held[o.whose] = o.verb == verb.Pause
	}
	if o.whose != define.OfBuff {
		m.now = m.own.ceil(m.at)
	}
	return ""
}

func (m *model) clockOf(b *carried) *clock {
	if b.clock == nil {
		b.clock = &clock{at: m.now, inner: new(big.Rat).SetInt64(m.now)}
	}
	return b.clock
}

// left returns the ms until an instant, at least 0. The present instant of a buff is rounded up, so
// it can be after an instant that is due in the same millisecond.
func left(now, at int64) int64 { return max(at-now, 0) }

// halfUp returns ms × num / den, rounded half up.
func halfUp(ms, num, den int64) int64 {
	r := big.NewRat(num, den)
	r.Mul(r, new(big.Rat).SetInt64(ms)).Add(r, big.NewRat(1, 2))
	return rounded(r, 0)
}

// setPeriod executes a SetPeriod by the haste rule.
func (m *model) setPeriod(b *carried, by time.Duration) string {
	to := ms(by)
	if b.period == 0 || by < define.MinPeriod || by > define.MaxDuration {
		return "period"
	}
	m.flush(b)
	was, now, end := b.period, b.now(m.now), int64(never)
	switch b.spec.Haste {
	case define.HasteSnapshot:
		b.wanted = to
	case define.HasteRescale:
		for _, l := range b.async {
			if b.running == nil {
				l.lag += b.next // for now, the end of the own period
			}
		}
		runs := b.length
		b.next, b.length = now+max(halfUp(left(now, b.next), to, runs), 1), to
		for _, l := range b.async {
			if b.running == nil {
				l.lag = max(now+max(halfUp(left(now, l.lag), to, runs), 1), b.next) - b.next
			}
		}
	}
	if b.spec.Haste != define.HasteSnapshot {
		b.period = to
		if b.spec.HasteDuration && b.end != never && b.spec.Stack.Timers != define.TimersEach {
			b.end = now + max(halfUp(left(now, b.end), to, was), 1)
			for _, h := range b.holders {
				if h.end != never {
					h.end = now + max(halfUp(left(now, h.end), to, was), 1)
				}
			}
			for _, l := range b.async { // the waiting applications
				l.left = max(halfUp(l.left, to, was), 1)
			}
			b.duration = max(halfUp(b.duration, to, was), 1)
			end = m.endTold(b, b.end)
		}
	}
	m.about(b, "period", field("end", end)+field("next", m.world(b, b.nextPulse())))
	return ""
}

// left returns the remaining buff time of a paused buff, or never if it has no end.
func (m *model) left(b *carried) int64 {
	if !b.clock.stands() && !m.own.stands() || b.end == never {
		return never
	}
	return left(b.now(m.own.ceil(m.at)), b.end)
}
