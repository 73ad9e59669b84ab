package engine

import (
	"slices"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// sampler chooses the turns of a lane whose time is taken: a clock costs more than a small
// turn. Of the first sampleRun turns in a frame it takes all, of the next about 2·sampleRun
// every second, chosen by chance, and so on to sampleMost. So a small game is measured
// whole, and a large one pays for the clock of one turn in sampleMost.
type sampler struct {
	frame  uint64
	weight uint32 // of the next that is taken: how many turns it stands for
	left   uint32 // to be taken with this weight
	taken  uint32 // the weight of the turn that runs
	dice   uint32
	clock  *func() time.Duration // by which the turn that runs is measured
}

const (
	sampleRun  = 8
	sampleMost = 64
)

// take reports whether the turn that begins is measured.
func (s *sampler) take(frame uint64) bool {
	if s.frame != frame {
		s.frame, s.weight, s.left = frame, 1, sampleRun
	}
	if s.dice = s.dice*1664525 + 1013904223; s.dice>>16&(s.weight-1) != 0 {
		return false
	}
	s.taken = s.weight
	if s.left--; s.left == 0 {
		s.weight, s.left = min(2*s.weight, sampleMost), sampleRun
	}
	return true
}

// clockIn returns the time at which a turn begins, or less than 0 if it is not measured.
func (l *lane) clockIn() time.Duration {
	clock := l.engine.watch.timing.Load()
	if clock == nil || !l.sampler.take(l.frame) {
		return -1
	}
	l.sampler.clock = clock
	return max((*clock)(), 0)
}

// clockOut notes how long the turn of an owner took.
func (l *lane) clockOut(o *owner, began time.Duration) {
	if began >= 0 {
		o.sample += max((*l.sampler.clock)()-began, 1) * time.Duration(l.sampler.taken)
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
