package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Of a large game no owner is in the cache: a Set is waited for, and then what it points to. A caller that is
// about to do something with many of them reads a little of each before, in a loop so short that the
// processor waits for all of them at once. What these functions return means nothing; it is returned so that
// the compiler keeps the reads. Nothing else may be changing the Set meanwhile.

// Ahead reads of the Set itself what a turn or a command looks at.
func (s *Set) Ahead() uint64 {
	return uint64(len(s.slots)) + s.ages + uint64(s.pending) + uint64(s.modifiers)
}

// AheadOf reads what ref names, an instance or a timeout, and returns its timer. It comes behind Ahead.
func (s *Set) AheadOf(ref Ref) (timer wheel.Handle, seen uint64) {
	at := int(ref.slot())
	switch {
	case ref.isTimeout():
		if at < len(s.beside.waits().all()) {
			return s.beside.timeouts.list[at].timer, s.beside.timeouts.list[at].age
		}
	case at < len(s.slots):
		i := &s.slots[at]
		return i.timer, i.age + uint64(i.older) // in the two cache lines that it may have
	}
	return 0, 0
}

// AheadApply reads what an application will change, as far as that can be guessed, and returns the timer of
// the instance that it may join. It comes behind Ahead.
func (s *Set) AheadApply(a *Application) (timer wheel.Handle, seen uint64) {
	want, care := hashOf(a.Spec, a.Source), uint16(hashSpec)
	if a.Spec.Stack.By == define.BySource {
		care |= hashSource
	}
	if a.Spec.Stack.By != define.ByNone {
		for at, m := range s.hashes() {
			if (m^want)&care == 0 {
				return s.AheadOf(Ref(at))
			}
		}
	}
	// A new one: its place, and the youngest, which gets it as a neighbour.
	for _, at := range [2]uint16{s.free, s.newest} {
		if at != noSlot {
			_, more := s.AheadOf(Ref(at))
			seen += more
		}
	}
	return 0, seen
}
