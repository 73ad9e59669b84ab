package conformance

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// carriedState is the state of the owner in a history. The owner has timeouts, and up to two buffs,
// each at most once. The state has no pointers, so the checker can keep copies of earlier states.
type carriedState struct {
	now       wheel.Time // the time is at least this
	held      [2]heldState
	cancelled [histTimeouts]bool
}

type heldState struct {
	handle buff.Handle // 0 if the owner does not have the buff
	end    wheel.Time
}

// claim is a call that a client has made, together with its result.
type claim interface {
	// follows reports whether the call can have this result in the state s. It updates the state.
	follows(s *carriedState) bool
}

// histModel defines which results sequential calls on an owner can have.
var histModel = porcupine.Model{
	Init: func() any { return carriedState{} },
	Step: func(state, _, output any) (bool, any) {
		s := state.(carriedState)
		ok := output.(claim).follows(&s)
		return ok, s
	},
	DescribeOperation: func(_, output any) string { return fmt.Sprintf("%T%+v", output, output) },
}

// pass advances the time, and ends all buffs that end by then. It returns false if the given time
// has already passed.
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

// added is a call of AddBuff that has started a new buff or refreshed the existing buff.
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

// removed is a call that removes a buff. The call may have been too late to remove the buff.
type removed struct {
	slot   int
	handle buff.Handle
	done   bool
	at     wheel.Time // if done is set: the time of the removal
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
	// Either another client had removed the buff, or the buff had expired.
	return h.handle != r.handle || h.end != wheel.Never && s.pass(max(s.now, h.end))
}

// observed is a query by a function that ran for the owner, with the buffs that the query found.
type observed struct {
	at   wheel.Time
	held [2]heldState
}

func (l observed) follows(s *carriedState) bool { return s.pass(l.at) && s.held == l.held }

// cancelled is a call of Cancel. The field "rang" reports whether the timeout ran nevertheless.
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
