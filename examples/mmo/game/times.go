package game

import (
	"math/bits"
	"time"
)

// times is a histogram of durations, with a relative precision of 1/64.
type times struct {
	counts [(64 - 6) * 64]int
	total  int
	max    time.Duration
}

// bucketOf returns the index of the bucket of a duration. Below 128 ns, each nanosecond has its own
// bucket. Above 128 ns, each power of two is divided into 64 buckets.
func bucketOf(d time.Duration) int {
	shift := max(0, bits.Len64(uint64(d))-7)
	return shift*64 + int(d>>shift)
}

// lowest returns the shortest duration of a bucket.
func lowest(bucket int) time.Duration {
	shift := max(0, bucket/64-1)
	return time.Duration(bucket-shift*64) << shift
}

func (t *times) add(d time.Duration) {
	d = max(d, 0)
	t.counts[bucketOf(d)]++
	t.total++
	t.max = max(t.max, d)
}

// quantile returns the duration that is not exceeded by the given percentage of all durations. The
// result is rounded down to the shortest duration of its bucket.
func (t *times) quantile(percent float64) time.Duration {
	left := int(float64(t.total)*percent/100 + 0.5)
	for k, n := range t.counts {
		if left -= n; left <= 0 && n > 0 {
			return lowest(k)
		}
	}
	return 0
}
