package engine

import (
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// watching is what the loop keeps while somebody watches. All of it is the loop's.
type watching struct {
	since   wheel.Time
	clock   *func() time.Duration // nil: nothing is measured
	began   time.Duration         // of the Tick that runs
	clocked bool                  // that it began was measured
	frames  frameTimes

	counter counter
	specs   bySpec
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
func (w *watcher) begin() {
	if w.on != nil || w.live.Load() != 0 {
		w.start()
	}
}

// start makes the loop watch the Tick that begins, or no more.
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
		s.began, s.clocked = w.engine.read(s.clock, true)
	}
}

// end is called at the end of a Tick.
func (w *watcher) end() {
	if w.on != nil {
		w.search(w.on)
	}
}

// turnOver is called for each owner whose turn is over.
func (w *watcher) turnOver(o *owner) {
	if w.on != nil {
		w.on.turnOver(w.engine, o)
	}
}

// brought is called for all that its turns have brought, before it is put away.
func (w *watcher) brought(id buff.OwnerID, b *segment) {
	if w.on != nil {
		w.on.brought(id, b)
	}
}

// Frame is that of [view.Watch].
func (w *watcher) Frame(took time.Duration) {
	w.engine.enter("Watch.Frame")
	if w.on != nil {
		w.on.frames.last.Took = took
	}
	w.engine.slow.took(w.engine, took)
}

// look is what the loop does at the end of a Tick for those who watch.
func (w *watcher) search(s *watching) {
	e := w.engine
	s.frames.flush()
	s.frames.last = view.FrameTime{Number: e.frame.Number}
	if s.clock != nil && s.clocked {
		if now, ok := e.read(s.clock, true); ok {
			s.frames.last.Took = max(now-s.began, 1)
		}
	}
	s.after(e)
	s.most.sweep(e)
	w.answer(s)
	if w.asked.Load() {
		w.asked.Store(false)
		w.publish(s)
	}
}

// publish makes a View and wakes those who wait for one.
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
		Most: s.most.view(e), Swept: s.most.swept(e),
	}}
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
		v.Denied = append(v.Denied, view.Denial{Spec: key.spec, Why: key.why, Count: n})
	}
	v.Owners = s.show(e, old.Owners)
	w.view.Store(v)
	close(old.superseded)
}

// countCarried takes over what the loop counts anyway. It costs a look at each definition.
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

// sampler chooses the turns of a worker whose time is taken: a clock costs more than a small
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
func (l *workerState) clockIn() time.Duration {
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

// clockOut notes how long the turn of an owner took.
func (l *workerState) clockOut(o *owner, began time.Duration) {
	if began < 0 {
		return
	}
	if now, ok := l.engine.read(l.sampler.clock, false); ok {
		o.measured().sample += max(now-began, 1) * time.Duration(l.sampler.taken)
	}
}

// busySpan is the span in which the time of turns is summed up, by the engine's time.
const busySpan = 5 * time.Second

// ranks is how many owners a ranking names.
const ranks = 10

// busiest ranks owners by the time of their turns in a span.
type busiest struct {
	span      uint32 // the number of the one that runs, from 1
	now, last []view.Ranked
	ended     bool // a span is over
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

// measured returns where it stands what the turns of an owner took.
func (o *owner) measured() *took { return &o.needTurns().took }

func (b *busiest) view() []view.Ranked {
	if b.ended {
		return slices.Clone(b.last)
	}
	return slices.Clone(b.now)
}

// rank puts an owner in its place among the first; it may be there already, with less.
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

// frameTimes is how long the frames took. last may still be corrected by Watch.Frame.
type frameTimes struct {
	last  view.FrameTime
	list  []view.FrameTime
	next  int
	times view.Histogram
	sum   time.Duration
}

const recentFrames = 256

// flush counts the last frame.
func (t *frameTimes) flush() {
	if t.last.Took == 0 {
		return // nobody has measured it
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

// recent returns the last frames, the oldest first. The one that has just ended is not
// among them: the game may still say how long it took.
func (t *frameTimes) recent() []view.FrameTime {
	return append(slices.Clone(t.list[t.next:]), t.list[:t.next]...)
}
