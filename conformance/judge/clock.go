package judge

import "math/big"

// §1.1: "per-buff, per-owner and per-zone pause and rate (rational, exact ms arithmetic). Pause freezes end and phase."

// clock is a time that passes at a rational rate of an outer one: the owner's of the world's, a buff's of its owner's.
// Nothing is rounded but what is asked: what starts now starts at a whole ms that has not passed, and what is due comes
// at the first whole ms of the outer time at which it is.
type clock struct {
	outer int64    // since then
	inner *big.Rat // and from there
	rate  *big.Rat // if nothing holds it
	held  bool
}

// newClock is a time that has been the outer one until now.
func newClock(now int64) *clock {
	return &clock{outer: now, inner: big.NewRat(now, 1), rate: big.NewRat(1, 1)}
}

// at is the exact time.
func (c *clock) at(outer int64) *big.Rat {
	passed := new(big.Rat)
	if !c.held && outer > c.outer {
		passed.Mul(big.NewRat(outer-c.outer, 1), c.rate)
	}
	return passed.Add(passed, c.inner)
}

// now is the first whole ms that has not passed.
func (c *clock) now(outer int64) int64 { return up(c.at(outer)) }

// when is the first outer ms at which an inner one is reached.
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

// change gives it another rate, or holds it.
func (c *clock) change(outer int64, rate *big.Rat, held bool) {
	c.inner = c.at(outer)
	c.outer = max(c.outer, outer)
	c.rate, c.held = rate, held
}

// up rounds up, down rounds down.
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

// ratio is a rate: a number, or "1/3".
type ratio struct{ *big.Rat }

// UnmarshalJSON reads it.
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
