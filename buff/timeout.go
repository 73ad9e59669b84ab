package buff

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// timeouts is what an owner has of them.
type timeouts struct {
	list []timeout
	live int32
	free uint16 // the first slot that is free, noSlot if none is
}

// all returns the slots of all that there have been; of an owner who had none yet l is nil.
func (l *timeouts) all() []timeout {
	if l == nil {
		return nil
	}
	return l.list
}

// count returns how many are waiting.
func (l *timeouts) count() int {
	if l == nil {
		return 0
	}
	return int(l.live)
}

// TimeoutsCall reports whether a waiting timeout calls a function, or a handler for which slow reports true. It costs
// O(timeouts).
func (s *Set) TimeoutsCall(slow func(HandlerID) bool) bool {
	for _, x := range s.timeouts().all() {
		if x.live && (x.do != nil || slow(x.handler)) {
			return true
		}
	}
	return false
}

// next returns the earliest instant of the owner's time at which one is due, Never if none is.
func (l *timeouts) next() wheel.Time {
	next := wheel.Never
	for _, x := range l.all() {
		if x.live {
			next = min(next, x.at)
		}
	}
	return next
}

// find returns the slot of the one that a handle of its owner names, and reports whether there is one.
func (l *timeouts) find(h TimeoutHandle) (uint16, bool) {
	at, all := h.slot(), l.all()
	return at, int(at) < len(all) && all[at].live && all[at].generation == h.generation()
}

// allocSlot takes a slot, the free one if there is one, otherwise one more.
func (l *timeouts) allocSlot(g generations) uint16 {
	l.live++
	if at := l.free; at != noSlot {
		l.free = l.list[at].next
		return at
	}
	l.list = append(l.list, timeout{due: wheel.Never, generation: g.first()})
	return uint16(len(l.list) - 1)
}

// freeSlot frees a slot.
func (l *timeouts) freeSlot(at uint16, g generations) {
	x := &l.list[at]
	l.live--
	*x = timeout{due: wheel.Never, generation: x.generation, next: l.free, dirty: x.dirty}
	if next, ok := g.next(x.generation); ok {
		x.generation = next
		l.free = at
	}
}

// addTimeout starts a timeout. A delay is rounded up to whole milliseconds, so
// that it never comes early, and one that is not above zero is due at the next: never inside
// the call, or whoever asks for one every time it comes would go round for ever in one instant.
func (s *Set) addTimeout(t *Turn, c *Command) Result {
	b := s.ensureRare()
	if b.timeouts == nil {
		b.timeouts = &timeouts{free: noSlot}
	}
	l := b.timeouts
	switch {
	case c.Do == nil && c.Handler == 0:
		return Result{Err: fmt.Errorf("%w: it has neither a function nor a handler: %q", ErrHandler, c.Name)}
	case l.live >= int32(s.limit), l.free == noSlot && len(l.list) == MaxPerOwner:
		t.emit(s, &Event{Kind: Faulted, Why: Full, Name: c.Name, End: wheel.Never})
		return Result{Kind: Faulted, Why: Full, Err: fmt.Errorf("%w: %d timeouts on owner %d", ErrFull, s.limit, s.owner)}
	}
	at := l.allocSlot(s.generations)
	s.ages++
	x := &l.list[at]
	*x = timeout{
		at: t.now.Add(ceilMillis(c.By)), age: s.ages, due: wheel.Never, name: c.Name, do: c.Do, handler: c.Handler,
		generation: x.generation, live: true, dirty: x.dirty,
	}
	s.markTimeoutDirty(t, at)
	return Result{Kind: Done, Timeout: TimeoutHandle(pack(s.number, at, x.generation))}
}

// ceilMillis returns the whole ms after which a delay has passed, at least one.
func ceilMillis(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d%time.Millisecond > 0 {
		ms++
	}
	return max(ms, 1)
}

// cancel takes a timeout back: its function will not be called.
func (s *Set) cancel(t *Turn, h TimeoutHandle) Result {
	if at, ok := s.timeouts().find(h); ok && h.Number() == s.number {
		s.releaseTimeout(at)
		return Result{Kind: Removed, Why: Cancelled}
	}
	return Result{Err: fmt.Errorf("%w: timeout %v", ErrStale, h)}
}

// releaseTimeout frees a slot, under a new generation: no handle that was given out names what comes there later.
// A slot whose generations are used up is not free any more.
func (s *Set) releaseTimeout(at uint16) {
	s.scheduler.clearDue(&s.rare.timeouts.list[at].due)
	s.rare.timeouts.freeSlot(at, s.generations)
}

// fireTimeout tells of a timeout that is due and calls its handler. It is released before that: in its own handler it is
// stale, and can be asked for anew.
func (s *Set) fireTimeout(t *Turn, at uint16, e dueEntry) {
	x := &s.rare.timeouts.list[at]
	if dueKey(rankTimeout, x.age) != e.key { // no two are of one age, and one that has gone is of none
		t.Dropped++
		return
	}
	t.begin(s.timeScale().toWorld(e.at), e.at, true)
	name, do, handler, handle := x.name, x.do, x.handler, TimeoutHandle(pack(s.number, at, x.generation))
	s.releaseTimeout(at)
	t.emit(s, &Event{Kind: TimedOut, Name: name, End: wheel.Never})
	s.queueCall(t, &t.Events[len(t.Events)-1], do, handler, handle)
}
