package rules

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/deadline"
	"github.com/bufftick/bufftick/internal/rules/slots"
	"github.com/bufftick/bufftick/wheel"
)

// A timeout calls a handler after a delay. It belongs to an owner, but to no buff.

// timeout is a timer of an owner, independent of buffs.
type timeout struct {
	at    clock.OwnerTime
	age   uint64
	filed wheel.Time // Deadline in world time, or Never: see keys
	name  string
	do    any // function of the game to call; if nil, handler is called instead

	handler    define.HandlerID
	generation uint32
	next       uint16 // in a free slot, the next free slot
	live       bool
	dirty      bool
}

// timeouts holds the timeouts of one owner.
type timeouts struct {
	list []timeout
	live int32
	free uint16 // the first free slot, or noSlot
}

// all returns all slots, used and free. l may be nil.
func (l *timeouts) all() []timeout {
	if l == nil {
		return nil
	}
	return l.list
}

// count returns the number of waiting timeouts. l may be nil.
func (l *timeouts) count() int {
	if l == nil {
		return 0
	}
	return int(l.live)
}

// TimeoutsCall reports whether a waiting timeout calls a function, or a handler for which `slow`
// returns true. It costs O(timeouts).
func (s *Owner) TimeoutsCall(slow func(define.HandlerID) bool) bool {
	for _, x := range s.timeouts().all() {
		if x.live && (x.do != nil || slow(x.handler)) {
			return true
		}
	}
	return false
}

// next returns the earliest instant of owner time at which a timeout is due, or Never.
func (l *timeouts) next() clock.OwnerTime {
	next := clock.OwnerTime(clock.Never)
	for _, x := range l.all() {
		if x.live {
			next = min(next, x.at)
		}
	}
	return next
}

// find returns the slot of the timeout with the given handle, and reports whether it is waiting.
func (l *timeouts) find(h buff.TimeoutHandle) (uint16, bool) {
	at, all := handle.Slot(h), l.all()
	return at, int(at) < len(all) && all[at].live && all[at].generation == handle.Generation(h)
}

// allocSlot returns a free slot, or a new one.
func (l *timeouts) allocSlot(g slots.Generations) uint16 {
	l.live++
	if at := l.free; at != noSlot {
		l.free = l.list[at].next
		return at
	}
	l.list = append(l.list, timeout{filed: wheel.Never, generation: g.First()})
	return uint16(len(l.list) - 1)
}

// freeSlot frees a slot, or retires it if its generations are used up.
func (l *timeouts) freeSlot(at uint16, g slots.Generations) {
	x := &l.list[at]
	l.live--
	*x = timeout{filed: wheel.Never, generation: x.generation, next: l.free, dirty: x.dirty}
	if next, ok := g.Next(x.generation); ok {
		x.generation = next
		l.free = at
	}
}

// addTimeout starts a timeout. The delay is rounded up to whole milliseconds, and to at least one,
// so that a handler that starts the same timeout again cannot loop forever at one instant.
func addTimeout(t *Turn, s *Owner, c *buff.Command) buff.Result {
	b := s.ensureRare()
	if b.timeouts == nil {
		b.timeouts = &timeouts{free: noSlot}
	}
	l := b.timeouts
	switch {
	case c.Do == nil && c.Handler == 0:
		return buff.Result{Failure: fmt.Errorf("%w: timeout %q has neither a function nor a handler", buff.ErrHandler, c.Name)}
	case l.live >= int32(s.records.Limit()), l.free == noSlot && len(l.list) == buff.MaxPerOwner:
		t.emit(s, &buff.Event{Kind: buff.Faulted, Why: reason.Full, Name: c.Name, End: wheel.Never})
		return buff.Result{Kind: buff.Faulted, Why: reason.Full, Failure: fmt.Errorf("%w: %d timeouts on owner %d", buff.ErrFull, s.records.Limit(), s.id)}
	}
	at := l.allocSlot(s.records.Generations())
	s.ages++
	x := &l.list[at]
	*x = timeout{
		at: t.now.Add(ceilMillis(c.By)), age: s.ages, filed: wheel.Never, name: c.Name, do: c.Do, handler: c.Handler,
		generation: x.generation, live: true, dirty: x.dirty,
	}
	markTimeoutDirty(t, s, at)
	return buff.Result{Kind: buff.Done, Timeout: buff.TimeoutHandle(handle.Pack(s.number, at, x.generation))}
}

// ceilMillis returns d in whole milliseconds, rounded up, at least 1.
func ceilMillis(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d%time.Millisecond > 0 {
		ms++
	}
	return max(ms, 1)
}

// cancel removes a timeout without calling its handler.
func cancel(t *Turn, s *Owner, h buff.TimeoutHandle) buff.Result {
	if at, ok := s.timeouts().find(h); ok && h.Number() == s.number {
		releaseTimeout(t, s, at)
		return buff.Result{Kind: buff.Removed, Why: reason.Cancelled}
	}
	return buff.Result{Failure: fmt.Errorf("%w: timeout %v", buff.ErrStale, h)}
}

// releaseTimeout frees a slot and increments its generation, which invalidates its handle.
func releaseTimeout(t *Turn, s *Owner, at uint16) {
	t.Unfile(&s.rare.timeouts.list[at].filed)
	s.rare.timeouts.freeSlot(at, s.records.Generations())
}

// fireTimeout emits the event of a due timeout and queues its call. The timeout is freed first. So
// its handle is already stale when its handler runs, and the handler may start the same timeout
// again.
func fireTimeout(t *Turn, s *Owner, at uint16, e deadline.Event) {
	x := &s.rare.timeouts.list[at]
	if deadline.KeyOf(deadline.Timeout, x.age) != e.Key { // the entry is out of date: ages are unique, and a free slot has no age
		t.Dropped++
		return
	}
	t.begin(s.timeScale().ToOuter(e.At), e.At, true)
	name, do, handler, handle := x.name, x.do, x.handler, buff.TimeoutHandle(handle.Pack(s.number, at, x.generation))
	releaseTimeout(t, s, at)
	t.emit(s, &buff.Event{Kind: buff.TimedOut, Name: name, End: wheel.Never})
	queueCall(t, s, &t.Events[len(t.Events)-1], do, handler, handle)
}
