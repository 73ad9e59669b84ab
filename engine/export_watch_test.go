package engine

import "time"

// SampledTurns has a sampler of long turns look at so many turns of each frame, and returns the
// weights of those that it takes.
func SampledTurns(frames []int) (weights [][]uint32) {
	var s sampler
	for f, turns := range frames {
		var taken []uint32
		for range turns {
			if s.take(uint64(f + 1)) {
				taken = append(taken, s.taken)
			}
		}
		weights = append(weights, taken)
	}
	return weights
}

// Lateness classes events of one frame that were so many ms late, each of them so often.
func Lateness(frame func(pass func(ms int64, times int))) (classes [len(LateBounds) + 1]uint64, sum time.Duration) {
	var l lateness
	l.end()
	frame(func(ms int64, times int) {
		for range times {
			l.passOne(ms)
		}
	})
	l.end()
	return l.classes, time.Duration(l.sum) * time.Millisecond
}
