package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// lists holds the results of a worker's turns in one frame, apart from events.
type lists struct {
	frame       uint64
	outbox      []outgoing
	commandData commandData
	deadlines   []rules.Deadline
}

// mostOld is the number of lists of earlier frames that a worker keeps: the list of the last
// frame, which the loop may be reading, and a free list.
const mostOld = 2

// prepare prepares the worker's lists for a turn. If a new frame has started, it empties them. Lists
// of an earlier frame that may still be read (see Engine.unread) are set aside, and other lists are
// used.
func (l *workerState) prepare() {
	if f := l.engine.frames.Load(); l.frame != f {
		if !l.emptied {
			l.setListsAside()
			l.emptyRead(f)
		}
		l.frame = f
	}
	l.emptied = false
	l.turn.Now = wheel.Time(l.engine.seen.Load())
	assign(&l.turn.Catalog, l.engine.Catalog())
	if !l.hasRoom() {
		l.nextChunk()
	}
}

// assign stores a pointer. It skips the store, and its GC write barrier, if the value is
// unchanged.
func assign[T any](to **T, p *T) {
	if *to != p {
		*to = p
	}
}

// setListsAside sets the current lists aside and replaces them with free or new lists.
func (l *workerState) setListsAside() {
	l.old = append(l.old, lists{l.frame, l.outbox, l.commandData, l.turn.Deadlines})
	o := lists{}
	if l.old[0].frame < l.engine.unread.Load() {
		o = l.old[0]
		clear(o.outbox) // commands may hold functions
		o.commandData.empty()
		l.old = slices.Delete(l.old, 0, 1)
	} else if len(l.old) > mostOld {
		l.old = slices.Delete(l.old, 0, 1)
	}
	l.outbox, l.commandData, l.turn.Deadlines = o.outbox[:0], o.commandData, o.deadlines[:0]
}

// empty clears the lists. The loop calls it when the lists are no longer read.
func (l *workerState) empty(frame uint64) {
	l.frame, l.emptied = frame, true
	clear(l.outbox) // commands may hold functions
	l.emptyAll()
	l.outbox, l.turn.Deadlines = l.outbox[:0], l.turn.Deadlines[:0]
	l.commandData.empty()
}

// shrink replaces lists that are much too long. The loop must no longer read the lists.
func (l *workerState) shrink(s *highWaters) {
	l.old = nil
	l.chunks.shrink()
	l.outbox, l.turn.Deadlines = fit(l.outbox, s.events), fit(l.turn.Deadlines, s.fired)
	l.segments = fitSegments(l.segments, s.segments)
	l.segment, l.nextSerial = segment{}, 0         // it would keep its chunk alive
	l.owner, l.progress, l.batched = nil, nil, nil // they would keep an owner's whole slab alive
}

// deliverOutbox executes the commands for other owners that the rules have issued during a command
// of the loop, such as the command that applies a stolen buff to the thief. A command is counted as
// undelivered if its target is unknown or has a full mailbox. Commands above the limit of a chain are
// dropped.
func (e *Engine) deliverOutbox() {
	if e.deliveringOutbox || e.index.settling {
		return // an outer call processes the list
	}
	e.deliveringOutbox = true
	most := e.loopWork.commands + rules.MaxCommands
	for i := 0; i < len(e.loop.Outbox); i++ {
		o := e.loop.Outbox[i]
		if e.loopWork.commands >= most { // bearers cause commands for bearers, and so on
			e.stats.Undelivered += uint64(len(e.loop.Outbox) - i)
			e.loop.Events = append(e.loop.Events, buff.Event{At: e.now, Seen: e.now, Owner: o.From, End: wheel.Never, Kind: buff.Faulted, Why: reason.Cascade})
			break
		}
		e.deliverAcross(o.From, &o.Command, &o.Cause)
	}
	clear(e.loop.Outbox)
	e.loop.Outbox = e.loop.Outbox[:0]
	e.deliveringOutbox = false
}

// postponeOutbox moves the commands for other owners that the rules have issued to the next Tick.
// It is used when the game readmits owners, because the targets may be readmitted later than this
// owner.
func (e *Engine) postponeOutbox() {
	for i := range e.loop.Outbox {
		p := &e.loop.Outbox[i]
		e.outbox = append(e.outbox, outgoing{at: p.At, from: p.From, cmd: p.Command, why: p.Cause})
	}
	clear(e.loop.Outbox)
	e.loop.Outbox = e.loop.Outbox[:0]
}

// flushOutbox moves the commands for other owners that the rules have issued to the worker's
// outbox. It is called before each command that a handler issues for another owner, so that all
// commands stay in the order of issue, and at the end of a turn.
func (l *workerState) flushOutbox() {
	if len(l.turn.Outbox) == 0 {
		return
	}
	for i := range l.turn.Outbox {
		p := &l.turn.Outbox[i]
		l.outbox = append(l.outbox, outgoing{at: p.At, from: p.From, cmd: p.Command, why: p.Cause})
	}
	clear(l.turn.Outbox)
	l.turn.Outbox = l.turn.Outbox[:0]
}

// commandData holds copies of the data that the commands of handlers point to, so that a handler
// may reuse its own memory. When a list here grows, pointers into its old memory stay valid.
type commandData struct {
	args     []buff.Arg
	captured []buff.Captured
}

func (l *commandData) params(args []buff.Arg) []buff.Arg {
	from := len(l.args)
	l.args = append(l.args, args...)
	return l.args[from:len(l.args):len(l.args)]
}

// empty frees the memory. No command that points to the data may be left.
func (l *commandData) empty() {
	l.args, l.captured = l.args[:0], l.captured[:0]
}

// cloneData gives a queued command its own copies of the data that it points to.
func cloneData(c *buff.Command) {
	c.Application.Params = slices.Clone(c.Application.Params)
	c.Application.Captured = slices.Clone(c.Application.Captured)
}

// highWater is the largest used length of a list since the last check. It is used to release
// memory that was only needed for one unusual frame.
type highWater int

const (
	// checkEvery is the number of frames between two checks of the lists, about 13 seconds at 20
	// Hz. It is odd because some pairs of lists alternate between frames, and both lists of a pair
	// must be checked.
	checkEvery = 255
	// minCapacity is the capacity that a list always keeps. Lists of events keep only
	// minEventCapacity: events are so large that their lists would otherwise use most of the memory
	// of a small game.
	minCapacity      = 1024
	minEventCapacity = 16
)

// isCheckFrame reports whether the lists are checked after a frame. Frames 14 and 15 are included
// because a game needs unusually long lists in its first frames, when it fills its world. Two
// frames are checked because pairs of lists alternate.
func isCheckFrame(frame uint64) bool { return frame%checkEvery == 0 || frame == 14 || frame == 15 }

// used records the length of a list.
func (s *highWater) used(n int) { *s = max(*s, highWater(n)) }

// fits reports whether a capacity of n is not far more than needed.
func (s *highWater) fits(n int) bool { return s.fitsWith(n, minCapacity) }

func (s *highWater) fitsWith(n, keep int) bool { return n <= keep || int(*s) >= n/4 }

// fit returns list or, if its capacity is far too large, an empty list with room for twice the
// high water mark. Under a steady load, fit does not allocate.
func fit[T any](list []T, s highWater) []T {
	if s.fits(cap(list)) {
		return list
	}
	return make([]T, 0, max(minCapacity, 2*int(s)))
}

func fitEvents(list []buff.Event, s highWater) []buff.Event {
	if s.fitsWith(cap(list), minEventCapacity) {
		return list
	}
	return make([]buff.Event, 0, max(minEventCapacity, 2*int(s)))
}

func fitSegments(list []segment, s highWater) []segment {
	if s.fitsWith(cap(list), minEventCapacity) {
		return list
	}
	return make([]segment, 0, max(minEventCapacity, 2*int(s)))
}

// shrinkLists shrinks the engine's lists, if the frame is a check frame. It must be called between
// two frames.
func (e *Engine) shrinkLists(frame uint64) {
	if !isCheckFrame(frame) || e.turns.group.Stats().Running > 0 {
		return
	}
	s := &e.high
	e.deadlines.fired, e.turns.collected = fit(e.deadlines.fired[:0], s.fired), fit(e.turns.collected[:0], s.collected)
	e.loop.Deadlines = fit(e.loop.Deadlines[:0], s.loop)
	if len(e.outbox) == 0 {
		e.outbox = fit(e.outbox, s.outbox)
	}
	if !s.scheduled.fits(cap(e.turns.scheduled)) {
		e.turns.scheduled = append(make([]ref, 0, max(minCapacity, 2*int(s.scheduled))), e.turns.scheduled...)
	}
	if w := &e.turns.waiting; w.n == 0 {
		w.list, w.spare = fit(w.list, s.waiting), fit(w.spare[:0], s.waiting)
	}
	e.turns.group.Shrink(max(minCapacity, 2*int(max(s.collected, s.batch))))
	e.turns.batch.shrink(s.batch)
	e.turns.batch.segments = fitSegments(e.turns.batch.segments, s.segments)
	for i := range e.turns.workers {
		e.turns.workers[i].shrink(s)
	}
	e.turns.spare.shrink()
	// The last frame is no longer valid, so its lists are free. Frame.head and the list that the
	// loop's calls now fill are a pair that alternates.
	f := &e.frame
	f.head, f.tail, f.turns = fitEvents(f.head[:0], s.loop), fitEvents(f.tail[:0], s.loop), fit(f.turns[:0], s.turns)
	if len(e.loop.Events) == 0 {
		e.loop.Events = fitEvents(e.loop.Events, s.loop)
	}
	*s = highWaters{}
}

type highWaters struct{ fired, collected, outbox, scheduled, batch, events, loop, turns, waiting, segments highWater }

// releaseMemory releases the memory of the wheel, the cross-owner index and the owner tables. It
// is called after the last owner has left, when no timer handles are in use. Owner numbers start
// again at 0, but with generations above all earlier ones, so that old buff handles stay stale.
func (e *Engine) releaseMemory() {
	if len(e.index.auras.of)+len(e.index.auras.due) > 0 {
		return // an ended aura still has members
	}
	e.hadOwners = false
	e.deadlines.wheel = wheel.NewSchedule(e.now)
	e.byID = newIDs()
	e.areas.first().owners = nil
	yield := e.index.auras.addFound
	e.index = newCrossIndex(e.Catalog())
	e.index.auras.addFound = yield
	// Start over only if all numbers are free and no number has used up half of its generations.
	// Otherwise every number keeps its own generation, so that one frequently used number does not
	// use up the generations of the others.
	if top := slices.Max(e.bases); len(e.free) == len(e.bases) && top < 1<<31 {
		e.base = top
		e.owners, e.bases, e.free = owners{}, nil, nil
	}
}
