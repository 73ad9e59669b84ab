package buff

import (
	"slices"

	"github.com/bufftick/bufftick/wheel"
)

// Order is a wish of a Set to whoever keeps its deadlines on a timing wheel.
//
// Due Never: take Timer off the wheel. Otherwise have Ref woken at Due: by Timer,
// if it is not zero; if it is, ask [Set.Timer] whether there is one by now, or
// make one and say so with [Set.SetTimer].
type Order struct {
	Due   wheel.Time   // when to wake Ref; Never: take Timer off
	Timer wheel.Handle // zero: Ref had none when it asked
	Ref   Ref          // to be handed to Set.Wake

	generation uint32
}

// Orders returns the wishes that have not been cleared, oldest first.
func (s *Set) Orders() []Order { return s.orders }

// ClearOrders forgets the wishes: they have been met.
func (s *Set) ClearOrders() { s.orders = s.orders[:0] }

// Timer returns the timer of the thing that o is about, zero if it has none yet,
// and reports whether that thing still lives.
func (s *Set) Timer(o Order) (timer wheel.Handle, live bool) {
	at := o.Ref.slot()
	if o.Ref.isTimeout() {
		x := &s.timeouts[at]
		return x.timer, x.live && x.generation == o.generation
	}
	i := &s.slots[at]
	return i.timer, i.spec != nil && i.generation == o.generation
}

// SetTimer says which timer wakes the thing that o is about.
func (s *Set) SetTimer(o Order, timer wheel.Handle) {
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
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		s.touch(at)
	}
	for k := range s.timeouts {
		if s.timeouts[k].live {
			s.touchTimeout(uint16(k))
		}
	}
	s.agenda = s.agenda[:0]
}

// settle finds a place for everything that has changed: what is due by until goes
// on the agenda, what is due later to the wheel.
func (s *Set) settle(until wheel.Time) {
	reached := s.reached(until)
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
		s.agenda.push(e)
		return
	}
	if due := s.world(e.at); due != *armed {
		*armed = due
		if due == wheel.Never && *timer == 0 { // nobody has met the wish for one yet
			s.orders = slices.DeleteFunc(s.orders, func(o Order) bool { return o.Ref == e.ref && o.generation == generation && o.Due != wheel.Never })
			return
		}
		s.orders = append(s.orders, Order{Due: due, Timer: *timer, Ref: e.ref, generation: generation})
		if due == wheel.Never {
			*timer = 0 // it is taken away for good: a later deadline needs a new one
		}
	}
}

// recall takes back the wishes that nobody has met yet, so that what has become
// due meanwhile is found. Those that take timers away stay.
func (s *Set) recall() {
	kept := s.orders[:0]
	for _, o := range s.orders {
		if o.Due == wheel.Never {
			kept = append(kept, o)
			continue
		}
		if _, live := s.Timer(o); live {
			s.Wake(o.Ref)
		}
	}
	s.orders = kept
}
