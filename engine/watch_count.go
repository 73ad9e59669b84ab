package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
)

// counter counts what happens while somebody watches.
type counter struct {
	kinds  [256]uint64 // by buff.EventKind
	late   lateness    // begins with end
	denied map[denialKey]uint64
	head   bool // the head of the frame that runs has been counted
}

type denialKey struct {
	spec *buff.Spec
	why  buff.Reason
}

// maxDenials bounds the pairs of definition and reason that are told apart.
const maxDenials = 4096

// turnOver takes in that an owner's turn is over. What it has brought follows.
func (s *watching) turnOver(e *Engine, o *owner) {
	if !s.counter.head {
		s.before(e)
	}
	if t := o.turns(); t != nil && t.took.sample != 0 {
		took := &t.took
		s.handled += took.sample
		s.busiest.add(o, took.sample, e.now)
		took.sample = 0
		if !o.leaving() {
			s.most.see(o.id(), o.set.Len())
		}
	}
}

// brought takes in what a turn has brought. Of nothing but pulses it takes the number: their
// events are in the cache of the worker that made them.
func (s *watching) brought(id buff.OwnerID, b *segment) {
	followed := s.mask != 0 && s.mask>>(id&63)&1 != 0
	switch {
	case !b.plain || followed:
		s.count(b.events, followed)
	case len(b.events) == 1:
		s.counter.kinds[buff.Pulsed]++
		s.counter.late.passOne(int64(b.late))
	default:
		s.counter.kinds[buff.Pulsed] += uint64(len(b.events))
		s.counter.late.pass(b.events)
	}
}

// before counts what the loop has done before the Tick, which comes before all turns.
func (s *watching) before(e *Engine) {
	if !s.counter.head {
		s.counter.head = true
		s.follow(e.watch.followed.Load())
		s.count(e.frame.head, s.mask != 0)
	}
}

// after ends the frame with what the loop has done in it.
func (s *watching) after(e *Engine) {
	s.before(e)
	s.count(e.frame.tail, s.mask != 0)
	s.counter.late.end()
	s.counter.head = false
}

// count looks at what happened. It reads little of an event: the kind, and of what is rare
// or chosen the rest.
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

// notableKinds are the kinds of which somebody may ask later, as a set.
const notableKinds uint64 = 1<<buff.Denied | 1<<buff.Faulted | 1<<buff.Removed

// note keeps what was refused, ended early or failed.
func (s *watching) note(ev *buff.Event) {
	if ev.Kind == buff.Removed && (ev.Why == buff.Expired || ev.Why == buff.Unload) {
		return
	}
	s.notable.add(ev, 2048)
	if ev.Kind == buff.Denied {
		s.deny(denialKey{ev.Spec, ev.Why})
	}
}

func (s *watching) deny(key denialKey) {
	if _, known := s.counter.denied[key]; known || len(s.counter.denied) < maxDenials {
		s.counter.denied[key]++
	}
}

// lateness classes how late events were worked out. It looks at the first lateRun events of
// a frame, then at one in each two, one in each four, and so on to one in lateMost, chosen
// by chance, each of which stands for its neighbours too. In a frame of 5,000 these are 240.
type lateness struct {
	classes [len(view.LateBounds) + 1]uint64
	sum     int64 // ms

	width int // of how many events one is looked at
	left  int // to be looked at with this width
	skip  int // events until the next one
	rest  int // events behind that one for which it stands too
	short int // events of this frame for which none stands, less those that there are not
	dice  uint32
	class int // of the last one, and
	ms    int64
}

const (
	lateRun  = 32
	lateMost = 64
)

// pass is told of events, few of which it looks at.
func (l *lateness) pass(events []buff.Event) {
	if l.skip < len(events) {
		l.search(events)
	}
	l.skip -= len(events)
	l.short += len(events)
}

// passOne is told of one event that was so many ms late.
func (l *lateness) passOne(ms int64) {
	if l.skip == 0 {
		l.add(ms)
	}
	l.skip--
	l.short++
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

// end ends a frame. The last one that was looked at stands for those behind it, and for none
// of the next frame.
func (l *lateness) end() {
	if l.short != 0 {
		l.classes[l.class] += uint64(l.short) // less than 0 takes away: it was given more
		l.sum += l.ms * int64(l.short)
	}
	l.width, l.left, l.skip, l.rest, l.short = 1, lateRun, 0, 0, 0
}
