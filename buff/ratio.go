package buff

import (
	"fmt"

	"github.com/bufftick/bufftick/internal/exact"
)

// Ratio is an exact fraction Num/Den. The zero Ratio means 1. In other Ratios, Num and Den are from
// 1 to MaxRatio, except that Num may be zero where a ratio of zero is allowed.
type Ratio struct {
	Num, Den uint32 // numerator and denominator
}

// Limits of a [Ratio].
const (
	MaxRatio = 1_000_000_000 // largest numerator or denominator
	MaxRate  = 1000          // largest numerator or denominator of a time rate
)

// Times returns the product in lowest terms. It panics if the numerator or the denominator of the
// product is above MaxRatio.
func (r Ratio) Times(o Ratio) Ratio {
	r, o = r.OrOne(), o.OrOne()
	n, d := uint64(r.Num)*uint64(o.Num), uint64(r.Den)*uint64(o.Den)
	if g := exact.GCD(n, d); g > 1 {
		n, d = n/g, d/g
	}
	if n > MaxRatio || d > MaxRatio {
		panic(fmt.Sprintf("buff: product of ratios %v and %v has a part above %d", r, o, MaxRatio))
	}
	return Ratio{uint32(n), uint32(d)}
}

// String returns the fraction, such as "3/4".
func (r Ratio) String() string {
	r = r.OrOne()
	return fmt.Sprintf("%d/%d", r.Num, r.Den)
}

func (r Ratio) OrOne() Ratio {
	if r == (Ratio{}) {
		return Ratio{1, 1}
	}
	return r
}
