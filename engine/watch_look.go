package engine

import (
	"slices"
	"time"

	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// watching is the loop's state while there are watchers. All fields belong to the loop.
type watching struct {
	since     wheel.Time            // start of the counts
	clock     *func() time.Duration // nil if nothing is measured
	tickStart time.Duration         // start of the current Tick
	clocked   bool                  // tickStart is valid
	frames    frameTimes

	counter counter
	specs   bySpec
	notable ring // denials, faults and early ends of all owners
	follows []following
	mask    uint64        // bit id%64 is set for each followed owner
	list    *[]*follower  // the list from which `follows` was made
	turn    int           // index in `follows` of the owner that was shown last
	handled time.Duration // sum of the durations of turns
	busiest busiest
	most    most
	shelf   []int // scratch of publish
}

// beforeTick is called at the start of a Tick.
func (w *watcher) beforeTick() {
	if w.on != nil || w.live.Load() != 0 {
		w.start()
	}
}

// start prepares the loop to watch the current Tick, or stops watching if no watcher is left.
func (w *watcher) start() {
	s := w.on
	switch {
	case w.live.Load() == 0:
		w.on = nil
		w.timing.Store(nil)
		w.handling.Store(nil)
		return
	case s == nil:
		s = &watching{since: w.engine.now, counter: counter{denied: make(map[denialKey]uint64)}}
		s.counter.late.end()
		s.most.list = make([]view.Ranked, 0, ranks)
		w.on = s
	}
	if table := w.handling.Load(); table == nil || len(*table) < len(w.engine.counters.lineages) {
		w.handling.Store(table.grow(len(w.engine.counters.lineages)))
	}
	if clock := w.clock.Load(); clock != s.clock {
		s.clock = clock
		w.timing.Store(clock)
	}
	if s.clock != nil {
		s.tickStart, s.clocked = w.engine.read(s.clock, true)
	}
}

func (w *watcher) end() {
	if w.on != nil {
		w.endTick(w.on)
	}
}

func (w *watcher) turnEnded(o *owner) {
	if w.on != nil {
		w.on.turnEnded(w.engine, o)
	}
}

// turnResult is called with each result of turns before the result is merged.
func (w *watcher) turnResult(b *segment) {
	if w.on != nil {
		w.on.turnResult(w.engine, b)
	}
}

// Frame implements [view.Watch].
func (w *watcher) Frame(took time.Duration) {
	w.engine.enter("Watch.Frame")
	if w.on != nil {
		w.on.frames.last.Took = took
	}
	w.engine.slow.took(w.engine, took)
}

// endTick does the loop's work for watchers at the end of a Tick.
func (w *watcher) endTick(s *watching) {
	e := w.engine
	s.frames.flush()
	s.frames.last = view.FrameTime{Number: e.frame.Number}
	if s.clock != nil && s.clocked {
		if now, ok := e.read(s.clock, true); ok {
			s.frames.last.Took = max(now-s.tickStart, 1)
		}
	}
	s.countTail(e)
	s.most.sweep(e)
	w.answer(s)
	if w.asked.Load() {
		w.asked.Store(false)
		w.publish(s)
	}
}

// publish makes a View and wakes the callers that wait for one.
func (w *watcher) publish(s *watching) {
	e := w.engine
	old := w.last()
	v := &answered{superseded: make(chan struct{}), View: view.View{
		Frame: e.frame.Number, Now: e.now, Stats: e.Stats(),
		Workers: e.opts.Workers, InboxLimit: e.opts.Limits.Inbox, MailboxLimit: e.opts.Limits.Mailbox,
		Budget: e.opts.Budget, SlowFrame: e.opts.Trace.SlowFrame, Catalog: e.Catalog(),
		Stuck: slices.Clone(e.frame.Stuck), Waiting: e.frame.Waiting,
		Since: s.since, Late: s.counter.late.classes, LateSum: time.Duration(s.counter.late.sum) * time.Millisecond,
		Frames: s.frames.recent(), Times: s.frames.times, Took: s.frames.sum, Handled: s.handled,
		Busiest: s.busiest.view(), BusySpan: busySpan,
		Most: s.most.view(e), Swept: s.most.fractionVisited(e),
	}}
	copy(v.Counts[:], s.counter.kinds[:])
	v.countCarried(e)
	g := e.turns.group.Stats()
	v.Mail = int(g.Sent - g.Handled)
	for level := range v.Faces {
		v.Faces[level] = e.deadlines.wheel.Face(level, nil)
	}
	for level := len(v.Faces); level < e.deadlines.wheel.Levels(); level++ {
		shelf := e.deadlines.wheel.Face(level, s.shelf[:0])
		s.shelf = shelf.Slots
		for _, n := range shelf.Slots {
			v.Beyond += n
		}
	}
	for key, n := range s.counter.denied {
		v.Denied = append(v.Denied, view.Denial{Spec: key.spec, Why: key.why, Count: n})
	}
	v.Owners = s.show(e, old.Owners)
	w.view.Store(v)
	close(old.superseded)
}

// countCarried copies the counters of definitions to the View. It costs O(definitions).
func (v *answered) countCarried(e *Engine) {
	v.Live, v.Refused = make([]int, v.Catalog.Len()), make([]uint64, v.Catalog.Len())
	for spec := range v.Catalog.All() {
		n := &e.counters.lineages[spec.Lineage()]
		v.Live[spec.Index()], v.Refused[spec.Index()] = n.live, n.denied
	}
	for i := range e.counters.lineages {
		v.Buffs += e.counters.lineages[i].live
	}
}

// sampler chooses the turns of a worker to measure, because reading a clock costs more than a small
// turn. It measures the first sampleRun turns of a frame. Then it measures about one in two turns,
// at random, until sampleRun more are measured, then one in four, and so on up to one in
// sampleMost. A small game is therefore measured completely, and a large game reads the clock for
// one turn in sampleMost.
type sampler struct {
	frame  uint64
	weight uint32 // number of turns that the next sample counts for
	left   uint32 // number of samples to take before the weight doubles
	taken  uint32 // number of turns that the current sample counts for
	dice   uint32
	clock  *func() time.Duration // clock of the current turn
}

const (
	sampleRun  = 8
	sampleMost = 64
)

// take reports whether to measure the current turn.
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

// startClock returns the start time of a turn, or a negative value if the turn is not measured.
func (l *workerState) startClock() time.Duration {
	clock := l.engine.watch.timing.Load()
	if clock == nil || !l.sampler.take(l.frame) {
		return -1
	}
	l.sampler.clock = clock
	began, ok := l.engine.read(clock, false)
	if !ok {
		return -1
	}
	return max(began, 0)
}

// endClock records the duration of an owner's measured turn.
func (l *workerState) endClock(o *owner, began time.Duration) {
	if now, ok := l.engine.read(l.sampler.clock, false); ok {
		o.measured().sample += max(now-began, 1) * time.Duration(l.sampler.taken)
	}
}

// busySpan is the length of a span, in game time, over which the durations of turns are summed.
const busySpan = 5 * time.Second

// ranks is the maximum length of a ranking.
const ranks = 10

// busiest ranks owners by the time spent in their turns in one span of length busySpan.
type busiest struct {
	span      uint32        // number of the current span, from 1
	now, last []view.Ranked // rankings of the current span and of the previous span
	ended     bool          // at least one span has ended
}

func (b *busiest) add(o *owner, took time.Duration, now wheel.Time) {
	if span := uint32(int64(now)/int64(busySpan/time.Millisecond)) + 1; span != b.span {
		if b.span != 0 {
			b.last, b.ended = b.now, true
		}
		b.span, b.now = span, make([]view.Ranked, 0, ranks+1)
	}
	m := o.measured()
	if m.span != b.span {
		m.span, m.spent = b.span, 0
	}
	m.spent += took
	b.now = rank(b.now, view.Ranked{Owner: o.id(), N: int64(m.spent)})
}

// measured returns the record of time spent in the owner's turns.
func (o *owner) measured() *took { return &o.needTurns().took }

func (b *busiest) view() []view.Ranked {
	if b.ended {
		return slices.Clone(b.last)
	}
	return slices.Clone(b.now)
}

// rank inserts an owner into a ranking if its value is large enough. If the owner is already in the
// ranking, rank replaces its value, which must not become smaller, and moves it up.
func rank(list []view.Ranked, r view.Ranked) []view.Ranked {
	at := slices.IndexFunc(list, func(x view.Ranked) bool { return x.Owner == r.Owner })
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

// frameTimes holds the durations of the frames. Watch.Frame may still correct the duration in
// `last`.
type frameTimes struct {
	last  view.FrameTime
	list  []view.FrameTime // ring of the recent frames
	next  int              // index in `list` of the oldest entry
	times view.Histogram   // of all frames
	sum   time.Duration
}

const recentFrames = 256

func (t *frameTimes) flush() {
	if t.last.Took == 0 {
		return // the frame was not measured
	}
	t.times.Add(t.last.Took)
	t.sum += t.last.Took
	if len(t.list) < recentFrames {
		t.list = append(t.list, t.last)
	} else {
		t.list[t.next] = t.last
		t.next = (t.next + 1) % recentFrames
	}
	t.last = view.FrameTime{}
}

// recent returns the latest frames, the oldest first. It omits the frame that has just ended,
// because Watch.Frame may still correct the duration of that frame.
func (t *frameTimes) recent() []view.FrameTime {
	return append(slices.Clone(t.list[t.next:]), t.list[:t.next]...)
}
