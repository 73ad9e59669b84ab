package wheel

import (
	"math"
	"time"
)

// Time is an instant, in whole milliseconds since the engine's start. It is a
// count, not a date: nothing in this package reads a clock.
type Time int64

// Never is later than every instant that can be reached: no deadline.
const Never Time = math.MaxInt64

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
		return math.MinInt64
	}
	return sum
}
