package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

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
func Lateness(frame func(pass func(ms int64, times int))) (classes [len(view.LateBounds) + 1]uint64, sum time.Duration) {
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

// Busiest ranks owners by the time of turns, and returns what it shows after each call.
func Busiest(turns func(took func(id buff.OwnerID, d time.Duration, now int64) []view.Ranked)) {
	var b busiest
	owners := map[buff.OwnerID]*owner{}
	turns(func(id buff.OwnerID, d time.Duration, now int64) []view.Ranked {
		if owners[id] == nil {
			owners[id] = &owner{set: *buff.NewSet(id, 0, 0, 1)}
		}
		b.add(owners[id], d, wheel.Time(now))
		return b.view()
	})
}

// Remembered returns how many owners and lists of events a frame that brings nothing still refers
// to, in the memory of its lists.
func Remembered(e *Engine) (n int) {
	for _, o := range e.scheduled[:cap(e.scheduled)] {
		if o.owner != nil {
			n++
		}
	}
	for _, t := range e.frame.turns[:cap(e.frame.turns)] {
		if t != nil {
			n++
		}
	}
	return n
}
