package engine

import (
	"slices"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// watching is what the loop keeps while somebody watches. All of it is the loop's.
type watching struct {
	since  wheel.Time
	clock  *func() time.Duration // nil: nothing is measured
	began  time.Duration         // of the Tick that runs
	frames frameTimes

	counter counter
	notable ring // what was refused, ended early or failed, of all owners
	follows []following
	mask    uint64 // of the followed: a bit for each id modulo 64
	list    *[]*follower
	turn    int // whose turn it is to be shown
	handled time.Duration
	busiest busiest
	most    most
	shelf   []int // scratch
}

// begin is called at the head of a Tick.
func (w *Watch) begin() {
	if w.on != nil || w.live.Load() != 0 {
		w.start()
	}
}

// start makes the loop watch the Tick that begins, or no more.
func (w *Watch) start() {
	s := w.on
	switch {
	case w.live.Load() == 0:
		w.on = nil
		w.timing.Store(nil)
		return
	case s == nil:
		s = &watching{since: w.engine.now, counter: counter{denied: make(map[denialKey]uint64)}}
		s.counter.late.end()
		s.most.list = make([]Ranked, 0, ranks)
		w.on = s
	}
	if clock := w.clock.Load(); clock != s.clock {
		s.clock = clock
		w.timing.Store(clock)
	}
	if s.clock != nil {
		s.began = (*s.clock)()
	}
}

// end is called at the end of a Tick.
func (w *Watch) end() {
	if w.on != nil {
		w.look(w.on)
	}
}

// home is called for each owner whose turn is over, before what it brings is put away.
func (w *Watch) home(o *owner) {
	if w.on != nil {
		w.on.home(w.engine, o)
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

// look is what the loop does at the end of a Tick for those who watch.
func (w *Watch) look(s *watching) {
	e := w.engine
	s.frames.flush()
	s.frames.last = FrameTime{Number: e.frame.Number}
	if s.clock != nil {
		s.frames.last.Took = max((*s.clock)()-s.began, 1)
	}
	s.after(e)
	s.most.sweep(e)
	w.answer(e)
	if w.asked.Load() {
		w.asked.Store(false)
		w.publish(s)
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
		Since: s.since, Late: s.counter.late.classes, LateSum: time.Duration(s.counter.late.sum) * time.Millisecond,
		Frames: s.frames.recent(), Times: s.frames.times, Took: s.frames.sum, Handled: s.handled,
		Busiest: s.busiest.view(), BusySpan: busySpan,
		Most: s.most.view(e), Swept: s.most.swept(e), superseded: make(chan struct{}),
	}
	copy(v.Counts[:], s.counter.kinds[:])
	v.countCarried(e)
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
	for key, n := range s.counter.denied {
		v.Denied = append(v.Denied, Denial{Spec: key.spec, Why: key.why, Count: n})
	}
	v.Owners = s.show(e, old.Owners)
	w.view.Store(v)
	close(old.superseded)
}

// countCarried takes over what the loop counts anyway. It costs a look at each definition.
func (v *View) countCarried(e *Engine) {
	v.Live, v.Refused = make([]int, v.Catalog.Len()), make([]uint64, v.Catalog.Len())
	for spec := range v.Catalog.All() {
		n := &e.tally.lines[spec.Line()]
		v.Live[spec.Index()], v.Refused[spec.Index()] = n.live, n.denied
	}
	for i := range e.tally.lines {
		v.Buffs += e.tally.lines[i].live
	}
}
