package stat

import (
	"fmt"
	"math"
)

// MaxValue is the greatest number that a base, a modifier, a limit or a value can be; its
// negative is the least. It is below what a float64 can hold by more than the sum of
// [MaxModifiers] such numbers, so that no sum overflows.
const MaxValue = 1e300

// badNumber says what is wrong with v, or "" if nothing is.
func badNumber(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN is not a number"
	case v > MaxValue || v < -MaxValue:
		return fmt.Sprintf("%v is beyond the limit of %v", v, MaxValue)
	}
	return ""
}

// unsigned returns v, and +0 for -0: equal numbers have equal bits.
func unsigned(v float64) float64 {
	if v == 0 {
		return 0
	}
	return v
}
