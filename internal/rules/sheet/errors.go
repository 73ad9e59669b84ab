package sheet

import (
	"errors"
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff/stat"
)

// The errors of a [Sheet], for errors.Is.
var (
	ErrValue    = errors.New("stat: bad value")
	ErrModifier = errors.New("stat: bad modifier")
	ErrFull     = errors.New("stat: the sheet is full")
	ErrStale    = errors.New("stat: stale key")
)

// number returns v, with +0 for -0, or an error if v is NaN or too large. The error uses `what` as
// the name of the value.
func number(v float64, what string) (float64, error) {
	switch {
	case math.IsNaN(v):
		return 0, fmt.Errorf("%w: %s: NaN is not a number", ErrValue, what)
	case v > stat.MaxValue || v < -stat.MaxValue:
		return 0, fmt.Errorf("%w: %s: %v is beyond the limit of %v", ErrValue, what, v, stat.MaxValue)
	}
	return unsigned(v), nil
}

// unsigned returns v, with +0 for -0, so that equal numbers have equal bits.
func unsigned(v float64) float64 {
	if v == 0 {
		return 0
	}
	return v
}
