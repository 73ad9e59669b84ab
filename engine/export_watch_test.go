package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// SampledTurns passes the given numbers of turns of each frame to a sampler, and returns the
// weights of the turns that it samples.
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

// Lateness passes events of one frame with the given delays in ms to a lateness, and returns its
// result.
func Lateness(frame func(pass func(ms int64, times int))) (classes [len(view.LateBounds) + 1]uint64, sum time.Duration) {
	var l lateness
	l.end()
	frame(func(ms int64, times int) {
		for range times {
			l.pass([]buff.Event{{Seen: wheel.Time(ms)}})
		}
	})
	l.end()
	return l.classes, time.Duration(l.sum) * time.Millisecond
}

// Busiest ranks owners by the durations of their turns, and returns the ranking after each turn.
func Busiest(turns func(took func(id buff.OwnerID, d time.Duration, now int64) []view.Ranked)) {
	var b busiest
	owners := map[buff.OwnerID]*owner{}
	turns(func(id buff.OwnerID, d time.Duration, now int64) []view.Ranked {
		if owners[id] == nil {
			owners[id] = &owner{set: *rules.NewOwner(id, 0, 0, 1)}
		}
		b.add(owners[id], d, wheel.Time(now))
		return b.view()
	})
}

// Remembered returns the number of owners and event lists that the memory of an empty frame's
// lists still refers to.
func Remembered(e *Engine) (n int) {
	for _, o := range e.turns.scheduled[:cap(e.turns.scheduled)] {
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
