package stat

import (
	"fmt"
	"math"
)

// MaxValue is the largest absolute value of a base, a modifier, a limit or a value. It is so far
// below the maximum of a float64 that the sum of [MaxModifiers] such numbers cannot overflow.
const MaxValue = 1e300

// badNumber returns why v is not a valid number, or "" if it is valid.
func badNumber(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN is not a number"
	case v > MaxValue || v < -MaxValue:
		return fmt.Sprintf("%v is beyond the limit of %v", v, MaxValue)
	}
	return ""
}

// unsigned returns v, with -0 replaced by +0, so that equal numbers have equal bits.
func unsigned(v float64) float64 {
	if v == 0 {
		return 0
	}
	return v
}
