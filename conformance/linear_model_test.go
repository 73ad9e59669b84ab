package conformance

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// carriedState is what the owner of a history has: two buffs, each of which it has once or
// not at all, and timeouts. It is a value: what could be undone is a copy.
type carriedState struct {
	now       wheel.Time // it is at least that late
	held      [2]heldState
	cancelled [histTimeouts]bool
}

type heldState struct {
	handle buff.Handle // 0: it has none
	end    wheel.Time
}

// claim is a call of another goroutine with what came of it.
type claim interface {
	// follows reports whether that can come of the call in a state, and changes the state.
	follows(s *carriedState) bool
}

// histModel says which answers an owner gives to one call after the other.
var histModel = porcupine.Model{
	Init: func() any { return carriedState{} },
	Step: func(state, _, output any) (bool, any) {
		s := state.(carriedState)
		ok := output.(claim).follows(&s)
		return ok, s
	},
	DescribeOperation: func(_, output any) string { return fmt.Sprintf("%T%+v", output, output) },
}

// pass lets time pass up to an instant: what ends by then comes first.
func (s *carriedState) pass(at wheel.Time) bool {
	if at < s.now {
		return false
	}
	s.now = at
	for i := range s.held {
		if s.held[i].end <= at {
			s.held[i] = heldState{}
		}
	}
	return true
}

// added is an AddBuff: a new instance, or the one that there is lasts anew.
type added struct {
	slot   int
	kind   buff.EventKind
	handle buff.Handle
	at     wheel.Time
	end    wheel.Time
}

func (a added) follows(s *carriedState) bool {
	if !s.pass(a.at) {
		return false
	}
	was := s.held[a.slot]
	s.held[a.slot] = heldState{a.handle, a.end}
	want := wheel.Never
	if a.slot == 0 {
		want = a.at.After(histSpan)
	}
	if was.handle == 0 {
		return a.kind == buff.Applied && a.end == want
	}
	return a.kind == buff.Refreshed && a.end == want && a.handle == was.handle
}

// removed is a Remove that has ended a buff, or came too late.
type removed struct {
	slot   int
	handle buff.Handle
	done   bool
	at     wheel.Time // if done
}

func (r removed) follows(s *carriedState) bool {
	h := &s.held[r.slot]
	if r.done {
		if !s.pass(r.at) || h.handle != r.handle {
			return false
		}
		*h = heldState{}
		return true
	}
	// Either somebody else was first, or its time was over.
	return h.handle != r.handle || h.end != wheel.Never && s.pass(max(s.now, h.end))
}

// looked is what a function saw that ran for the owner.
type looked struct {
	at   wheel.Time
	held [2]heldState
}

func (l looked) follows(s *carriedState) bool { return s.pass(l.at) && s.held == l.held }

// cancelled is a Cancel of a timeout that has rung in the end, or has not.
type cancelled struct {
	timeout int
	due     wheel.Time
	rang    bool
}

func (c cancelled) follows(s *carriedState) bool {
	switch {
	case s.cancelled[c.timeout]:
		return !c.rang
	case c.rang:
		return s.pass(max(s.now, c.due))
	}
	s.cancelled[c.timeout] = true
	return s.now < c.due
}
