package exact

import (
	"math"
	"math/bits"
	"time"
)

// Duration converts ms to a time.Duration, or to the longest Duration if the result overflows.
func Duration(ms int64) time.Duration {
	if ms > int64(MaxDuration/time.Millisecond) {
		return MaxDuration
	}
	return time.Duration(ms) * time.Millisecond
}

const MaxDuration time.Duration = 1<<63 - 1

func GCD(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// MulDiv returns ms × num / den, rounded half up, at most math.MaxInt64.
func MulDiv(ms int64, num, den uint64) int64 {
	hi, lo := bits.Mul64(uint64(ms), num)
	lo, carry := bits.Add64(lo, den/2, 0)
	hi += carry
	if hi >= den {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, den)
	return int64(min(q, math.MaxInt64))
}
