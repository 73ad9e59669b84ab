package buff

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// A member of an aura has the buff that the aura applies, without an end, until it has left
// for the time that the aura lingers.

// joinable reports whether an aura may apply the definition: there is something to take
// away, and no stack has an end of its own.
func (s *Spec) joinable() bool { return s.Kind != Instant && s.Stack.Timers == TimersShared }

// enterAura: the owner is within an aura.
func (s *Set) enterAura(t *Turn, a *Application) Result {
	if !a.Spec.joinable() {
		panic("buff: an Enter of " + a.Spec.ID + ", which an aura cannot apply")
	}
	if at := s.memberOf(a); at != noSlot {
		i := &s.slots[at]
		if i.flags&leaving != 0 {
			s.flush(t, at)
			i.flags &^= leaving
			i.end = wheel.Never
			s.touch(at)
		}
		return Result{Handle: s.handle(at)}
	}
	a.member = true
	return s.apply(t, a).result()
}

// leaveAura: it is not any more.
func (s *Set) leaveAura(t *Turn, a *Application, linger time.Duration) Result {
	at := s.memberOf(a)
	if at == noSlot {
		return Result{}
	}
	i := &s.slots[at]
	if i.flags&leaving != 0 {
		return Result{Handle: s.handle(at)}
	}
	if linger <= 0 {
		s.end(t, at, OutOfAura)
		return Result{Kind: Removed, Why: OutOfAura}
	}
	s.flush(t, at)
	i.flags |= leaving
	i.end = s.nowOf(t, i).Add(wait(linger))
	s.touch(at)
	return Result{Handle: s.handle(at)}
}

// memberOf returns the slot of what the aura of that source applied, or noSlot.
func (s *Set) memberOf(a *Application) uint16 {
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		if i := &s.slots[at]; i.flags&member != 0 && s.same(i.spec, a.Spec) && i.source == a.Source {
			return at
		}
	}
	return noSlot
}
