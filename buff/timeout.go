package buff

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// addTimeout starts a timeout. A delay is rounded up to whole milliseconds, so
// that it never comes early, and one that is not above zero is due at the next.
func (s *Set) addTimeout(t *Turn, c *Command) Result {
	at := s.freeTimeout
	switch {
	case c.Do == nil && c.Handler == 0:
		return Result{Err: fmt.Errorf("%w: it has neither a function nor a handler: %q", ErrHandler, c.Name)}
	case s.liveTimeouts >= s.limit, at == noSlot && len(s.timeouts) == MaxPerOwner:
		t.emit(s, &Event{Kind: Faulted, Why: Full, Name: c.Name, End: wheel.Never})
		return Result{Kind: Faulted, Why: Full, Err: fmt.Errorf("%w: %d timeouts on owner %d", ErrFull, s.limit, s.owner)}
	case at != noSlot:
		s.freeTimeout = s.timeouts[at].next
	default:
		at = uint16(len(s.timeouts))
		s.timeouts = append(s.timeouts, timeout{generation: s.first()})
	}
	s.ages++
	s.liveTimeouts++
	x := &s.timeouts[at]
	*x = timeout{
		at: t.now.Add(wait(c.By)), age: s.ages, armed: wheel.Never, name: c.Name, do: c.Do, handler: c.Handler,
		generation: x.generation, live: true, touched: x.touched,
	}
	s.touchTimeout(at)
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
func (s *Set) cancel(h TimeoutHandle) Result {
	at := h.slot()
	if h.Number() == s.number && int(at) < len(s.timeouts) {
		if x := &s.timeouts[at]; x.live && x.generation == h.generation() {
			s.releaseTimeout(at)
			return Result{Kind: Removed, Why: Cancelled}
		}
	}
	return Result{Err: fmt.Errorf("%w: timeout %v", ErrStale, h)}
}

func (s *Set) releaseTimeout(at uint16) {
	x := &s.timeouts[at]
	if x.timer != 0 {
		s.requests = append(s.requests, TimerRequest{Due: wheel.Never, Timer: x.timer})
	}
	s.liveTimeouts--
	*x = timeout{generation: x.generation, next: s.freeTimeout, touched: x.touched}
	if next, ok := s.following(x.generation); ok {
		x.generation = next
		s.freeTimeout = at
	}
}

func (s *Set) fireTimeout(t *Turn, at uint16, e entry) {
	x := &s.timeouts[at]
	if !x.live || x.at != e.at || entryKey(rankTimeout, x.age) != e.key {
		t.Dropped++
		return
	}
	t.begin(s.world(e.at), e.at, true)
	call := Call{Do: x.do, Handler: x.handler, Timeout: TimeoutHandle(pack(s.number, at, x.generation))}
	name := x.name
	s.releaseTimeout(at)
	t.emit(s, &Event{Kind: TimedOut, Name: name, End: wheel.Never})
	call.Event = t.Events[len(t.Events)-1]
	s.queueCall(t, call)
}
