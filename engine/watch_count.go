package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine/view"
)

// counter counts events while there are watchers.
type counter struct {
	kinds  [256]uint64          // by buff.EventKind
	late   lateness             // delays of events; late.end must be called before the first use
	denied map[denialKey]uint64 // number of denials
	head   bool                 // the events in Frame.head have been counted in this frame
}

type denialKey struct {
	spec *buff.Spec
	why  reason.Reason
}

// maxDenials is the largest number of pairs of definition and reason for which denials are counted.
const maxDenials = 4096

// turnEnded is called when an owner's turn is over.
func (s *watching) turnEnded(e *Engine, o *owner) {
	if t := o.turns(); t != nil && t.took.sample != 0 {
		took := &t.took
		s.handled += took.sample
		s.busiest.add(o, took.sample, e.now)
		took.sample = 0
		if !o.leaving() {
			s.most.consider(o.id(), o.set.Len())
		}
	}
}

// turnResult counts the events of turns. If all of them are pulses, and no owner is followed, it
// reads few of them, because they are in the worker's cache.
func (s *watching) turnResult(e *Engine, b *segment) {
	s.countHead(e)
	if !b.plain || s.mask != 0 {
		s.count(b.events, s.mask != 0)
		return
	}
	s.counter.kinds[buff.Pulsed] += uint64(len(b.events))
	s.counter.late.pass(b.events)
}

// countHead counts the events of the loop's calls before the Tick. These events precede the events
// of all turns.
func (s *watching) countHead(e *Engine) {
	if !s.counter.head {
		s.counter.head = true
		s.follow(e.watch.followed.Load())
		s.count(e.frame.head, s.mask != 0)
	}
}

// countTail counts the events of the loop's commands in the Tick, and ends the frame.
func (s *watching) countTail(e *Engine) {
	s.countHead(e)
	s.count(e.frame.tail, s.mask != 0)
	s.counter.late.end()
	s.counter.head = false
}

// count counts events. For most events it reads only the kind. It reads the whole event if it is
// notable or if its owner is followed.
func (s *watching) count(events []buff.Event, followed bool) {
	kinds := &s.counter.kinds
	for i := range events {
		kind := events[i].Kind
		kinds[kind]++
		if 1<<kind&notableKinds != 0 {
			s.note(&events[i])
		}
	}
	s.counter.late.pass(events)
	if !followed {
		return
	}
	for i := range events {
		if ev := &events[i]; s.mask>>(ev.Owner&63)&1 != 0 {
			s.remember(ev)
		}
	}
}

// notableKinds is the set of the kinds of events that [watching.note] keeps, because a watcher may
// query these events later.
const notableKinds uint64 = 1<<buff.Denied | 1<<buff.Faulted | 1<<buff.Removed

// note keeps denials, faults, and removals for reasons other than Expired and Unload.
func (s *watching) note(ev *buff.Event) {
	if ev.Kind == buff.Removed && (ev.Why == reason.Expired || ev.Why == reason.Unload) {
		return
	}
	s.notable.add(ev, 2048)
	if ev.Kind == buff.Denied {
		s.countDenial(denialKey{ev.Spec, ev.Why})
	}
}

func (s *watching) countDenial(key denialKey) {
	if _, known := s.counter.denied[key]; known || len(s.counter.denied) < maxDenials {
		s.counter.denied[key]++
	}
}

// lateness estimates the distribution of delays. It samples the first lateRun events of a frame,
// then lateRun events at a rate of one in two, then one in four, and so on up to one in lateMost,
// at random positions. Each sample also counts for the events around it that are not sampled. If a
// frame has 5,000 events, for example, it takes 240 samples.
type lateness struct {
	classes [len(view.LateBounds) + 1]uint64
	sum     int64 // sum of the delays, in ms

	width int // one sample is taken for this many events
	left  int // number of samples to take before the width doubles
	skip  int // number of events to skip before the next sample
	rest  int // events after the next sample for which that sample also counts
	short int // events of this frame that no sample counts for yet, minus events counted in advance
	dice  uint32
	class int   // class of the last sample
	ms    int64 // delay of the last sample
}

const (
	lateRun  = 32
	lateMost = 64
)

// pass receives events and samples a few of them.
func (l *lateness) pass(events []buff.Event) {
	if l.skip < len(events) {
		l.search(events)
	}
	l.skip -= len(events)
	l.short += len(events)
}

func (l *lateness) search(events []buff.Event) {
	for l.skip < len(events) {
		ev := &events[l.skip]
		l.add(int64(ev.Seen - ev.At))
	}
}

func (l *lateness) add(ms int64) {
	weight := l.width
	l.ms, l.class = ms, 0
	late := time.Duration(l.ms) * time.Millisecond
	for l.class < len(view.LateBounds) && late > view.LateBounds[l.class] {
		l.class++
	}
	l.classes[l.class] += uint64(weight)
	l.sum += l.ms * int64(weight)
	l.short -= weight
	if l.left--; l.left <= 0 {
		l.width, l.left = min(2*l.width, lateMost), lateRun
	}
	l.dice = l.dice*1664525 + 1013904223
	at := int(l.dice>>16) % l.width
	l.skip += 1 + l.rest + at
	l.rest = l.width - 1 - at
}

// end ends a frame. The last sample counts for the remaining events of the frame, and for none of
// the next frame.
func (l *lateness) end() {
	if l.short != 0 {
		// If the last sample has counted for too many events, `short` is negative and corrects
		// this.
		l.classes[l.class] += uint64(l.short)
		l.sum += l.ms * int64(l.short)
	}
	l.width, l.left, l.skip, l.rest, l.short = 1, lateRun, 0, 0, 0
}
