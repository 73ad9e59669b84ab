package view

import (
	"math/bits"
	"time"
)

// Histogram counts durations, by classes of which four make a doubling: from 1 µs to 17 s.
// What is above is in the last class. The zero value is empty.
type Histogram [97]uint64

// Add counts d.
func (h *Histogram) Add(d time.Duration) { h[ClassOf(d)]++ }

// ClassOf returns the class of a [Histogram] that d is in.
func ClassOf(d time.Duration) int {
	n := uint64(max(d, 0)) >> 8
	if n < 4 {
		return 0
	}
	octave := bits.Len64(n) - 3
	return min(4*octave+int(n>>octave&3)+1, len(Histogram{})-1)
}

// Bound returns the upper bound of class i, which is not in it.
func (h *Histogram) Bound(i int) time.Duration {
	if i == 0 {
		return 4 << 8
	}
	return time.Duration((5+(i-1)%4)<<((i-1)/4)) << 8
}

// Len returns how many durations were counted.
func (h *Histogram) Len() (n uint64) {
	for _, c := range h {
		n += c
	}
	return n
}

// Quantile returns the upper bound of the class in which the share q of all durations ends,
// 0 if there are none: q of 0.99 is what 99 of 100 stayed below.
func (h *Histogram) Quantile(q float64) time.Duration {
	want, n := q*float64(h.Len()), uint64(0)
	for i, c := range h {
		if n += c; c > 0 && float64(n) >= want {
			return h.Bound(i)
		}
	}
	return 0
}
