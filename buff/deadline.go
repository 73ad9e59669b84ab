package buff

import (
	"slices"

	"github.com/bufftick/bufftick/wheel"
)

// TimerRequest is what a Set asks of whoever keeps its deadlines on a timing wheel.
//
// Due Never: take Timer off the wheel. Otherwise have Ref woken at Due: by Timer,
// if it is not zero; if it is, ask [Set.Timer] whether there is one by now, or
// make one and say so with [Set.SetTimer].
type TimerRequest struct {
	Due   wheel.Time   // when to wake Ref; Never: take Timer off
	Timer wheel.Handle // zero: Ref had none when it asked
	Ref   Ref          // to be handed to Set.Wake

	generation uint32
}

// TimerRequests returns those that have not been cleared, oldest first.
func (s *Set) TimerRequests() []TimerRequest { return s.requests }

// ClearTimerRequests forgets the requests: they have been met.
func (s *Set) ClearTimerRequests() { s.requests = s.requests[:0] }

// Timer returns the timer of the thing that o is about, zero if it has none yet,
// and reports whether that thing still lives.
func (s *Set) Timer(o TimerRequest) (timer wheel.Handle, live bool) {
	at := o.Ref.slot()
	if o.Ref.isTimeout() {
		x := &s.timeouts[at]
		return x.timer, x.live && x.generation == o.generation
	}
	i := &s.slots[at]
	return i.timer, i.spec != nil && i.generation == o.generation
}

// SetTimer says which timer wakes the thing that o is about.
func (s *Set) SetTimer(o TimerRequest, timer wheel.Handle) {
	if o.Ref.isTimeout() {
		s.timeouts[o.Ref.slot()].timer = timer
		return
	}
	s.slots[o.Ref.slot()].timer = timer
}

// touch notes that the instance's next event may have moved.
func (s *Set) touch(at uint16) {
	if i := &s.slots[at]; i.flags&touched == 0 {
		i.flags |= touched
		s.note(Ref(at))
	}
}

func (s *Set) touchTimeout(at uint16) {
	if x := &s.timeouts[at]; !x.touched {
		x.touched = true
		s.note(Ref(at) | timeoutRef)
	}
}

// nearTouched is how many things may have been touched before there is a list for them
// outside of the Set. A command touches one, as a rule.
const nearTouched = 4

func (s *Set) note(ref Ref) {
	if s.touched == nil {
		s.touched = s.soon[:0]
	}
	s.touched = append(s.touched, ref)
}

// touchAll notes that everything may have moved: the owner's time has changed.
func (s *Set) touchAll() {
	s.looked += uint32(s.live) + uint32(len(s.timeouts))
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		s.touch(at)
	}
	for k := range s.timeouts {
		if s.timeouts[k].live {
			s.touchTimeout(uint16(k))
		}
	}
	s.dueHeap = s.dueHeap[:0]
}

// settle finds a place for everything that has changed: what is due by until goes
// on the due heap, what is due later to the wheel.
func (s *Set) settle(until wheel.Time) {
	reached := s.reached(until)
	s.looked += looksOfMove * uint32(len(s.touched))
	for _, ref := range s.touched {
		at := ref.slot()
		if ref.isTimeout() {
			x := &s.timeouts[at]
			x.touched = false
			if x.live {
				s.file(reached, entry{at: x.at, key: entryKey(rankTimeout, x.age), ref: ref}, &x.armed, &x.timer, x.generation)
			}
			continue
		}
		i := &s.slots[at]
		i.flags &^= touched
		if i.spec != nil {
			if i.spec.Stack.Timers != TimersShared {
				s.looked += uint32(len(s.extraOf(i).async))
			}
			due, key := s.due(i)
			s.file(reached, entry{at: due, key: key, ref: ref}, &i.armed, &i.timer, i.generation)
		}
	}
	s.touched = s.touched[:0]
}

// file puts e where its instant belongs, and says so to the wheel only if that is
// news.
func (s *Set) file(reached wheel.Time, e entry, armed *wheel.Time, timer *wheel.Handle, generation uint32) {
	if e.at <= reached {
		s.dueHeap.push(e)
		return
	}
	if due := s.world(e.at); due != *armed {
		*armed = due
		if due == wheel.Never && *timer == 0 { // nobody has met the wish for one yet
			s.requests = slices.DeleteFunc(s.requests, func(o TimerRequest) bool { return o.Ref == e.ref && o.generation == generation && o.Due != wheel.Never })
			return
		}
		s.requests = append(s.requests, TimerRequest{Due: due, Timer: *timer, Ref: e.ref, generation: generation})
		if due == wheel.Never {
			*timer = 0 // it is taken away for good: a later deadline needs a new one
		}
	}
}

// recall takes back the wishes that nobody has met yet, so that what has become
// due meanwhile is found. Those that take timers away stay.
func (s *Set) recall() {
	kept := s.requests[:0]
	for _, o := range s.requests {
		if o.Due == wheel.Never {
			kept = append(kept, o)
			continue
		}
		if _, live := s.Timer(o); live {
			s.Wake(o.Ref)
		}
	}
	s.requests = kept
}

// entry is one thing due, at an instant, by rank and then by age.
type entry struct {
	at  wheel.Time
	key uint64 // rank in the two top bits, age below: their order at one instant
	ref Ref
}

func entryKey(r rank, age uint64) uint64 { return uint64(r)<<62 | age }

func (e entry) before(o entry) bool { return e.at < o.at || e.at == o.at && e.key < o.key }

// dueHeap is a binary heap of what an owner has due in the running turn.
//
// Invariant: no entry is before its parent, (i-1)/2.
type dueHeap []entry

func (a *dueHeap) push(e entry) {
	*a = append(*a, e)
	h := *a
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (a *dueHeap) pop() entry {
	h := *a
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*a = h
	for i := 0; ; {
		least, left := i, 2*i+1
		for child := left; child <= left+1 && child < len(h); child++ {
			if h[child].before(h[least]) {
				least = child
			}
		}
		if least == i {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
