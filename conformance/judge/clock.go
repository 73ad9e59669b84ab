package judge

import "math/big"

// Section 1.1 of the rules: a buff, an owner and an area each have a pause and a rational rate,
// exact to the ms. A pause stops the duration and the phase of the buff.

// clock is an inner time that runs at a rational rate relative to an outer time. For the clock of
// an owner, the outer time is the world's time; for the clock of a buff, it is the owner's time. A
// clock is exact; only the results of "now" and "when" are rounded up to whole ms.
type clock struct {
	outer int64    // the outer time at the last change of the clock
	inner *big.Rat // the inner time at the last change of the clock
	rate  *big.Rat // inner ms per outer ms, while the clock is not stopped
	held  bool     // the clock is stopped
}

// newClock returns a clock with rate 1, whose inner time equals the outer time.
func newClock(now int64) *clock {
	return &clock{outer: now, inner: big.NewRat(now, 1), rate: big.NewRat(1, 1)}
}

// at returns the exact inner time at an outer time.
func (c *clock) at(outer int64) *big.Rat {
	passed := new(big.Rat)
	if !c.held && outer > c.outer {
		passed.Mul(big.NewRat(outer-c.outer, 1), c.rate)
	}
	return passed.Add(passed, c.inner)
}

// now returns the inner time at an outer time, rounded up to whole ms.
func (c *clock) now(outer int64) int64 { return up(c.at(outer)) }

// when returns the first outer ms at which the given inner time is reached. If the inner time was
// reached before the last change of the clock, "when" returns the time of this change. The result
// "ok" is false while the clock is stopped.
func (c *clock) when(inner int64) (outer int64, ok bool) {
	left := new(big.Rat).Sub(big.NewRat(inner, 1), c.inner)
	switch {
	case c.held:
		return 0, false
	case left.Sign() <= 0:
		return c.outer, true
	}
	return c.outer + up(left.Quo(left, c.rate)), true
}

// past is like "when", but if the inner time was reached before the last change of the clock,
// "past" extrapolates with the present rate, so its result is before the change.
func (c *clock) past(inner int64) (outer int64, ok bool) {
	left := new(big.Rat).Sub(big.NewRat(inner, 1), c.inner)
	if c.held {
		return 0, false
	}
	return c.outer + up(left.Quo(left, c.rate)), true
}

// change sets the rate, and stops the clock if held is true.
func (c *clock) change(outer int64, rate *big.Rat, held bool) {
	c.inner = c.at(outer)
	c.outer = max(c.outer, outer)
	c.rate, c.held = rate, held
}

// up rounds up to whole ms; down rounds down.
func up(x *big.Rat) int64 {
	q, m := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if m.Sign() > 0 {
		return q.Int64() + 1
	}
	return q.Int64()
}

func down(x *big.Rat) int64 {
	return new(big.Int).Div(x.Num(), x.Denom()).Int64()
}

// ratio is a rate, written as a number or as a fraction such as 1/3.
type ratio struct{ *big.Rat }

// UnmarshalJSON reads a positive ratio.
func (r *ratio) UnmarshalJSON(text []byte) error {
	word := string(text)
	if len(word) > 1 && word[0] == '"' {
		word = word[1 : len(word)-1]
	}
	x, ok := new(big.Rat).SetString(word)
	if !ok || x.Sign() <= 0 {
		return notCovered("ratio %s", text)
	}
	r.Rat = x
	return nil
}
