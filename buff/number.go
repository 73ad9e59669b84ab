package buff

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bufftick/bufftick/buff/stat"
)

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

// scaled returns ms × num / den, half up, and the highest int64 if it is more.
func scaled(ms int64, num, den uint64) int64 {
	hi, lo := bits.Mul64(uint64(ms), num)
	lo, carry := bits.Add64(lo, den/2, 0)
	hi += carry
	if hi >= den {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, den)
	return int64(min(q, math.MaxInt64))
}

// finite reports whether v is a number that an attribute may have.
func finite(v float64) bool { return math.Abs(v) <= stat.MaxValue }
