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

// allTimeouts returns the slots of all that there have been.
func (s *Set) allTimeouts() []timeout {
	if s.beside == nil || s.beside.timeouts == nil {
		return nil
	}
	return s.beside.timeouts.list
}

// addTimeout starts a timeout. A delay is rounded up to whole milliseconds, so
// that it never comes early, and one that is not above zero is due at the next: never inside
// the call, or whoever asks for one every time it comes would go round for ever in one instant.
func (s *Set) addTimeout(t *Turn, c *Command) Result {
	b := s.needBeside()
	if b.timeouts == nil {
		b.timeouts = &timeouts{free: noSlot}
	}
	l := s.beside.timeouts
	at := l.free
	switch {
	case c.Do == nil && c.Handler == 0:
		return Result{Err: fmt.Errorf("%w: it has neither a function nor a handler: %q", ErrHandler, c.Name)}
	case l.live >= int32(s.limit), at == noSlot && len(l.list) == MaxPerOwner:
		t.emit(s, &Event{Kind: Faulted, Why: Full, Name: c.Name, End: wheel.Never})
		return Result{Kind: Faulted, Why: Full, Err: fmt.Errorf("%w: %d timeouts on owner %d", ErrFull, s.limit, s.owner)}
	case at != noSlot:
		l.free = l.list[at].next
	default:
		at = uint16(len(l.list))
		l.list = append(l.list, timeout{generation: s.first()})
	}
	s.ages++
	l.live++
	x := &l.list[at]
	*x = timeout{
		at: t.now.Add(wait(c.By)), age: s.ages, armed: wheel.Never, name: c.Name, do: c.Do, handler: c.Handler,
		generation: x.generation, live: true, touched: x.touched,
	}
	s.touchTimeout(t, at)
	return Result{Timeout: TimeoutHandle(pack(s.number, at, x.generation))}
}

// wait returns the whole ms after which a delay has passed, at least one.
func wait(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d%time.Millisecond > 0 {
		ms++
	}
	return max(ms, 1)
}

// cancel takes a timeout back: its function will not be called.
func (s *Set) cancel(t *Turn, h TimeoutHandle) Result {
	at := h.slot()
	if h.Number() == s.number && int(at) < len(s.allTimeouts()) {
		if x := &s.beside.timeouts.list[at]; x.live && x.generation == h.generation() {
			s.releaseTimeout(t, at)
			return Result{Kind: Removed, Why: Cancelled}
		}
	}
	return Result{Err: fmt.Errorf("%w: timeout %v", ErrStale, h)}
}

// releaseTimeout frees a slot, under a new generation: no handle that was given out names what comes there later.
// A slot whose generations are used up is not free any more.
func (s *Set) releaseTimeout(t *Turn, at uint16) {
	l := s.beside.timeouts
	x := &l.list[at]
	if x.timer != 0 {
		s.request(t, TimerRequest{Due: wheel.Never, Timer: x.timer})
	}
	l.live--
	*x = timeout{generation: x.generation, next: l.free, touched: x.touched}
	if next, ok := s.following(x.generation); ok {
		x.generation = next
		l.free = at
	}
}

// fireTimeout tells of a timeout that is due and calls its handler. It is released before that: in its own handler it is
// stale, and can be asked for anew.
func (s *Set) fireTimeout(t *Turn, at uint16, e entry) {
	x := &s.beside.timeouts.list[at]
	if entryKey(rankTimeout, x.age) != e.key { // no two are of one age, and one that has gone is of none
		t.Dropped++
		return
	}
	t.begin(s.world(e.at), e.at, true)
	call := Call{Do: x.do, Handler: x.handler, Timeout: TimeoutHandle(pack(s.number, at, x.generation))}
	name := x.name
	s.releaseTimeout(t, at)
	t.emit(s, &Event{Kind: TimedOut, Name: name, End: wheel.Never})
	call.Event = t.Events[len(t.Events)-1]
	s.queueCall(t, call)
}
