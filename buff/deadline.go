package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
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
func (s *Set) TimerRequests() []TimerRequest {
	if l := s.scheduler.lists; l != nil {
		return l.requests
	}
	return nil
}

// ClearTimerRequests forgets the requests: they have been met.
func (s *Set) ClearTimerRequests(t *Turn) {
	if l := s.scheduler.lists; l != nil {
		l.requests = l.requests[:0]
		s.scheduler.handBack(t)
	}
}

// Timer returns the timer of the thing that o is about, zero if it has none yet,
// and reports whether that thing still lives.
func (s *Set) Timer(o TimerRequest) (timer wheel.Handle, live bool) {
	at := o.Ref.slot()
	if o.Ref.isTimeout() {
		x := &s.beside.timeouts.list[at]
		return x.timer, x.live && x.generation == o.generation
	}
	i := &s.slots[at]
	return i.timer, i.def != 0 && i.generation == o.generation
}

// SetTimer says which timer wakes the thing that o is about.
func (s *Set) SetTimer(o TimerRequest, timer wheel.Handle) {
	if o.Ref.isTimeout() {
		s.beside.timeouts.list[o.Ref.slot()].timer = timer
		return
	}
	s.slots[o.Ref.slot()].timer = timer
}

// touch notes that the instance's next event may have moved.
func (s *Set) touch(t *Turn, at uint16) {
	if i := &s.slots[at]; i.flags&touched == 0 {
		i.flags |= touched
		s.scheduler.note(t, Ref(at))
	}
}

func (s *Set) touchTimeout(t *Turn, at uint16) {
	if x := &s.beside.timeouts.list[at]; !x.touched {
		x.touched = true
		s.scheduler.note(t, Ref(at)|timeoutRef)
	}
}

// touchAll notes that everything may have moved: the owner's time has changed.
func (s *Set) touchAll(t *Turn) {
	s.looked += uint32(s.live) + uint32(len(s.beside.waits().all()))
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		s.touch(t, at)
	}
	for k := range s.beside.waits().all() {
		if s.beside.timeouts.list[k].live {
			s.touchTimeout(t, uint16(k))
		}
	}
	s.scheduler.forgetDue()
}

// settle finds a place for everything that has changed: what is due by until goes
// on the due heap, what is due later to the wheel. It comes once at the end of a command or a turn, however
// often something was touched in it: some four of ten applications move a deadline that is on the wheel, and many move
// it more than once.
func (s *Set) settle(t *Turn, until wheel.Time) {
	reached := s.own.reached(until)
	l := s.scheduler.lists
	if l == nil {
		return
	}
	s.looked += looksOfMove * uint32(len(l.touched))
	for _, ref := range l.touched {
		at := ref.slot()
		if ref.isTimeout() {
			x := &s.beside.timeouts.list[at]
			x.touched = false
			if x.live {
				s.file(t, reached, entry{at: x.at, key: entryKey(rankTimeout, x.age), ref: ref}, &x.armed, &x.timer, x.generation)
			}
			continue
		}
		i := &s.slots[at]
		i.flags &^= touched
		if i.def != 0 {
			if s.specOf(i).Stack.Timers != define.TimersShared {
				s.looked += uint32(len(s.extraOf(i).async))
			}
			due, key := s.due(i)
			s.file(t, reached, entry{at: due, key: key, ref: ref}, &i.armed, &i.timer, i.generation)
		}
	}
	l.touched = l.touched[:0]
	s.scheduler.handBack(t)
}

// file puts e where its instant belongs, and says so to the wheel only if that is
// news.
func (s *Set) file(t *Turn, reached wheel.Time, e entry, armed *wheel.Time, timer *wheel.Handle, generation uint32) {
	if e.at <= reached {
		s.scheduler.borrow(t).due.push(e)
		return
	}
	if due := s.own.world(e.at); due != *armed {
		*armed = due
		if due == wheel.Never && *timer == 0 { // nobody has met the request for one yet
			l := s.scheduler.borrow(t)
			l.requests = slices.DeleteFunc(l.requests, func(o TimerRequest) bool { return o.Ref == e.ref && o.generation == generation && o.Due != wheel.Never })
			return
		}
		s.scheduler.request(t, TimerRequest{Due: due, Timer: *timer, Ref: e.ref, generation: generation})
		if due == wheel.Never {
			*timer = 0 // it is taken away for good: a later deadline needs a new one
		}
	}
}

// lists is what a Set has need of from when something of it changes until all has found its place:
// within a turn, as a rule. They are the Turn's, which lends them to one Set after the other, so that
// an owner keeps nothing of what its longest turn needed, and they are in the cache.
type lists struct {
	touched  []Ref // what has changed and is in neither of the others
	requests []TimerRequest
	due      dueHeap
}

// scheduler is what of an owner has changed and not found its place yet: what is due in the turn that is
// running, what is to be asked of the wheel, and what has not been looked at.
type scheduler struct {
	lists *lists // lent by the Turn; nil: there is nothing
}

// note notes that something is to find its place anew.
func (s *scheduler) note(t *Turn, ref Ref) {
	l := s.borrow(t)
	l.touched = append(l.touched, ref)
}

// request asks for a timer, or has one taken away.
func (s *scheduler) request(t *Turn, o TimerRequest) {
	l := s.borrow(t)
	l.requests = append(l.requests, o)
}

// borrow returns the lists that the Set has, or those of the Turn, which are its own from now on.
func (s *scheduler) borrow(t *Turn) *lists {
	if s.lists == nil {
		if s.lists, t.lists = t.lists, nil; s.lists == nil {
			s.lists = &lists{}
		}
	}
	return s.lists
}

// handBack ends the loan if nothing is in the lists any more. It need not be the Turn that has
// lent them; one that has others keeps the longer ones.
func (s *scheduler) handBack(t *Turn) {
	l := s.lists
	if len(l.touched)+len(l.requests)+len(l.due) > 0 {
		return
	}
	if s.lists = nil; t.lists == nil || cap(t.lists.due) < cap(l.due) {
		t.lists = l
	}
}

// dueNow returns how much is due in the turn that is running.
func (s *scheduler) dueNow() int {
	if s.lists == nil {
		return 0
	}
	return len(s.lists.due)
}

// forgetDue forgets what is due: it is looked for anew, or gone.
func (s *scheduler) forgetDue() {
	if s.lists != nil {
		s.lists.due = s.lists.due[:0]
	}
}

// recall takes back the requests that nobody has met yet, so that what has become
// due meanwhile is found. Those that take timers away stay.
func (s *Set) recall(t *Turn) {
	l := s.scheduler.lists
	if l == nil {
		return
	}
	kept := l.requests[:0]
	for _, o := range l.requests {
		if o.Due == wheel.Never {
			kept = append(kept, o)
			continue
		}
		if _, live := s.Timer(o); live {
			s.Wake(t, o.Ref)
		}
	}
	l.requests = kept
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
