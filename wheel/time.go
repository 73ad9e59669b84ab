package wheel

import (
	"fmt"
	"math"
	"time"
)

// Time is an instant, in whole milliseconds since the engine's start. It is a
// count, not a date: nothing in this package reads a clock. It may be negative.
type Time int64

// Never is the last instant there is: no deadline. A timer due at Never fires
// only if the hands are moved to Never itself.
const Never Time = math.MaxInt64

// earliest is the first instant there is.
const earliest Time = math.MinInt64

// After returns t + d, d cut to whole milliseconds toward zero. A sum beyond the
// range of Time saturates: it never wraps round.
func (t Time) After(d time.Duration) Time { return t.Add(d.Milliseconds()) }

// Add returns t + ms. A sum beyond the range of Time saturates: it never wraps
// round.
func (t Time) Add(ms int64) Time {
	sum := t + Time(ms)
	switch {
	case ms > 0 && sum < t:
		return Never
	case ms < 0 && sum > t:
		return earliest
	}
	return sum
}

// String returns t as hours, minutes, seconds and milliseconds: "01:02:03.450".
// The hours take as many digits as they need; an instant before the start has a
// leading "-", and Never is "never".
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	sign, ms := "", uint64(t)
	if t < 0 {
		sign, ms = "-", -ms
	}
	s := ms / 1000
	return fmt.Sprintf("%s%02d:%02d:%02d.%03d", sign, s/3600, s/60%60, s%60, ms%1000)
}
