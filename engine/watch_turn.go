package engine

import (
	"slices"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// Of each eighth turn, chosen by chance, the time is taken: a clock costs more than a
// small turn.
const sampled = 8

// clockIn returns the time at which a turn begins, or less than 0 if it is not measured.
func (l *lane) clockIn() time.Duration {
	clock := l.engine.watch.timing.Load()
	if clock == nil {
		return -1
	}
	if l.dice = l.dice*1664525 + 1013904223; l.dice>>16%sampled != 0 {
		return -1
	}
	return max((*clock)(), 0)
}

// clockOut notes how long the turn of an owner took.
func (l *lane) clockOut(o *owner, began time.Duration) {
	if began < 0 {
		return
	}
	if clock := l.engine.watch.timing.Load(); clock != nil {
		o.sample += max((*clock)()-began, 1) * sampled
	}
}

// busySpan is the span in which the time of turns is summed up, by the engine's time.
const busySpan = 5 * time.Second

// ranks is how many owners a ranking names.
const ranks = 10

// busiest ranks owners by the time of their turns in a span.
type busiest struct {
	span      uint32 // the number of the one that runs, from 1
	now, last []Ranked
	ended     bool // a span is over
}

// spend takes in how long the turn of an owner took.
func (w *Watch) spend(o *owner) {
	took := o.sample
	o.sample = 0
	if w.on == nil {
		return
	}
	w.on.handled += took
	w.on.busiest.add(o, took, w.engine.now)
}

func (b *busiest) add(o *owner, took time.Duration, now wheel.Time) {
	if span := uint32(int64(now)/int64(busySpan/time.Millisecond)) + 1; span != b.span {
		if b.span != 0 {
			b.last, b.ended = b.now, true
		}
		b.span, b.now = span, make([]Ranked, 0, ranks+1)
	}
	if o.span != b.span {
		o.span, o.spent = b.span, 0
	}
	o.spent += took
	b.now = rank(b.now, Ranked{o.id, int64(o.spent)})
}

func (b *busiest) view() []Ranked {
	if b.ended {
		return slices.Clone(b.last)
	}
	return slices.Clone(b.now)
}

// rank puts an owner in its place among the first; it may be there already, with less.
func rank(list []Ranked, r Ranked) []Ranked {
	at := slices.IndexFunc(list, func(x Ranked) bool { return x.Owner == r.Owner })
	switch {
	case at >= 0:
		list[at] = r
	case len(list) < ranks:
		at = len(list)
		list = append(list, r)
	case list[len(list)-1].N >= r.N:
		return list
	default:
		at = len(list) - 1
		list[at] = r
	}
	for ; at > 0 && list[at-1].N < r.N; at-- {
		list[at-1], list[at] = list[at], list[at-1]
	}
	return list
}
