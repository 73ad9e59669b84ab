package view

import (
	"math/bits"
	"time"
)

// Histogram counts durations in classes, four per doubling, from 1 µs to 17 s. Longer durations
// are in the last class. The zero value is empty.
type Histogram [97]uint64

// Add adds the duration d to the histogram.
func (h *Histogram) Add(d time.Duration) { h[ClassOf(d)]++ }

// ClassOf returns the class of a [Histogram] that contains d.
func ClassOf(d time.Duration) int {
	n := uint64(max(d, 0)) >> 8
	if n < 4 {
		return 0
	}
	octave := bits.Len64(n) - 3
	return min(4*octave+int(n>>octave&3)+1, len(Histogram{})-1)
}

// Bound returns the upper bound of class i, exclusive.
func (h *Histogram) Bound(i int) time.Duration {
	if i == 0 {
		return 4 << 8
	}
	return time.Duration((5+(i-1)%4)<<((i-1)/4)) << 8
}

// Len returns the number of durations counted. It costs O(classes).
func (h *Histogram) Len() (n uint64) {
	for _, c := range h {
		n += c
	}
	return n
}

// Quantile returns the upper bound of the class that contains the q-quantile of the durations, for
// q from 0 to 1, or 0 if the histogram is empty. For example, 99 of 100 durations are below
// Quantile(0.99).
func (h *Histogram) Quantile(q float64) time.Duration {
	want, n := q*float64(h.Len()), uint64(0)
	for i, c := range h {
		if n += c; c > 0 && float64(n) >= want {
			return h.Bound(i)
		}
	}
	return 0
}
