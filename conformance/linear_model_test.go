package conformance

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// carriedState is the state of the owner of a history: two buffs, each present at most once, and
// timeouts. It is a value, so that the checker can keep earlier states.
type carriedState struct {
	now       wheel.Time // the time is at least that
	held      [2]heldState
	cancelled [histTimeouts]bool
}

type heldState struct {
	handle buff.Handle // 0 if the owner does not have the buff
	end    wheel.Time
}

// claim is a call of another goroutine with its result.
type claim interface {
	// follows reports whether the call can have that result in a state, and updates the state.
	follows(s *carriedState) bool
}

// histModel defines the possible results of calls that are made one after the other.
var histModel = porcupine.Model{
	Init: func() any { return carriedState{} },
	Step: func(state, _, output any) (bool, any) {
		s := state.(carriedState)
		ok := output.(claim).follows(&s)
		return ok, s
	},
	DescribeOperation: func(_, output any) string { return fmt.Sprintf("%T%+v", output, output) },
}

// pass advances the time to an instant, and first ends all buffs that end by then.
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

// added is an AddBuff that has applied a buff, or has refreshed the existing one.
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

// removed is a Remove that has ended a buff, or was too late.
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
	// Either another client was first, or the buff had expired.
	return h.handle != r.handle || h.end != wheel.Never && s.pass(max(s.now, h.end))
}

// observed is the result of a function that was executed for the owner.
type observed struct {
	at   wheel.Time
	held [2]heldState
}

func (l observed) follows(s *carriedState) bool { return s.pass(l.at) && s.held == l.held }

// cancelled is a Cancel of a timeout, which rang or did not.
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
