package engine

import (
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// watching is what the loop keeps while somebody watches. All of it is the loop's.
type watching struct {
	since  wheel.Time
	began  time.Duration // of the Tick that runs, by the clock
	timed  bool          // began is set
	frames frameTimes

	counts [buff.Changed + 1]uint64
	late   [len(LateBounds) + 1]uint64
	lateMs int64
	denied map[denialKey]uint64

	notable  ring // what was refused, ended early or failed, of all owners
	follows  []following
	mask     uint64 // of the followed: a bit for each id modulo 64
	list     *[]*follower
	turn     int // whose turn it is to be shown
	handled  time.Duration
	busiest  busiest
	census   census
	appeared *Census
	shelf    []int // scratch
}

type denialKey struct {
	spec *buff.Spec
	why  buff.Reason
}

// maxDenials bounds the pairs of definition and reason that are told apart.
const maxDenials = 4096

// begin is called at the head of a Tick.
func (w *Watch) begin() {
	if w.on != nil {
		w.start()
	}
}

func (w *Watch) start() {
	if clock := w.clock.Load(); clock != nil {
		w.on.began, w.on.timed = (*clock)(), true
	}
}

// end is called at the end of a Tick.
func (w *Watch) end() {
	if w.on != nil || w.live.Load() != 0 {
		w.look()
	}
}

// home is called for each owner whose turn is over.
func (w *Watch) home(o *owner) {
	if o.sample != 0 {
		w.spend(o)
	}
}

// Frame says how long the frame of the game took whose Tick was the last, everything that
// belongs to it included. Without it a View shows how long the Tick took.
//
// Only the loop goroutine may call it.
func (w *Watch) Frame(took time.Duration) {
	if w.on != nil {
		w.on.frames.last.Took = took
	}
}

// look is all that the loop does for those who watch.
func (w *Watch) look() {
	e := w.engine
	if w.live.Load() == 0 {
		w.on = nil
		w.timing.Store(nil)
		return
	}
	s := w.on
	if s == nil {
		s = &watching{since: e.now, denied: make(map[denialKey]uint64)}
		s.census.restart(e)
		w.on = s
		w.timing.Store(w.clock.Load())
	}
	s.frames.flush()
	s.frames.last = FrameTime{Number: e.frame.Number}
	if clock := w.clock.Load(); s.timed && clock != nil {
		s.frames.last.Took = max((*clock)()-s.began, 1)
	}
	s.timed = false
	s.follow(w.followed.Load())
	s.countAll(&e.frame)
	s.census.step(e, s)
	w.answer(e)
	if w.asked.Load() {
		w.asked.Store(false)
		w.publish(s)
	}
}

func (s *watching) countAll(f *Frame) {
	s.count(f.head)
	for _, turn := range f.turns {
		s.count(turn)
	}
	s.count(f.tail)
}

// count looks at what happened.
func (s *watching) count(events []buff.Event) {
	for i := range events {
		ev := &events[i]
		s.counts[ev.Kind]++
		late, class := time.Duration(ev.Seen-ev.At)*time.Millisecond, 0
		for class < len(LateBounds) && late > LateBounds[class] {
			class++
		}
		s.late[class]++
		s.lateMs += int64(ev.Seen - ev.At)
		if notable(ev) {
			s.notable.add(ev, 2048)
			if ev.Kind == buff.Denied {
				s.deny(denialKey{ev.Spec, ev.Why})
			}
		}
		if s.mask>>(ev.Owner&63)&1 != 0 {
			s.remember(ev)
		}
	}
}

// notable reports whether an event is one that somebody will ask about later.
func notable(ev *buff.Event) bool {
	switch ev.Kind {
	case buff.Denied, buff.Faulted:
		return true
	case buff.Removed:
		return ev.Why != buff.Expired && ev.Why != buff.Unload
	}
	return false
}

func (s *watching) deny(key denialKey) {
	if _, known := s.denied[key]; known || len(s.denied) < maxDenials {
		s.denied[key]++
	}
}

// publish makes a View and wakes those who wait for one.
func (w *Watch) publish(s *watching) {
	e := w.engine
	old := w.view.Load()
	v := &View{
		Frame: e.frame.Number, Now: e.now, Stats: e.Stats(),
		Workers: e.opts.Workers, InboxLimit: e.opts.InboxLimit, MailboxLimit: e.opts.MailboxLimit,
		Budget: e.opts.Budget, Catalog: e.Catalog(),
		Stuck: slices.Clone(e.frame.Stuck), Waiting: e.frame.Waiting,
		Since: s.since, Counts: s.counts, Late: s.late, LateSum: time.Duration(s.lateMs) * time.Millisecond,
		Frames: s.frames.recent(), Times: s.frames.times, Took: s.frames.sum, Handled: s.handled,
		Busiest: s.busiest.view(), BusySpan: busySpan,
		Census: s.appeared, superseded: make(chan struct{}),
	}
	g := e.group.Stats()
	v.Mail = int(g.Sent - g.Handled)
	for level := range v.Faces {
		v.Faces[level] = e.wheel.Face(level, nil)
	}
	for level := len(v.Faces); level < e.wheel.Levels(); level++ {
		shelf := e.wheel.Face(level, s.shelf[:0])
		s.shelf = shelf.Slots
		for _, n := range shelf.Slots {
			v.Beyond += n
		}
	}
	for key, n := range s.denied {
		v.Denied = append(v.Denied, Denial{Spec: key.spec, Why: key.why, Count: n})
	}
	v.Owners = s.show(e, old.Owners)
	if s.census.done {
		s.census.restart(e)
	}
	w.view.Store(v)
	close(old.superseded)
}
