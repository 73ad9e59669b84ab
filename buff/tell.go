package buff

import (
	"slices"

	"github.com/bufftick/bufftick/wheel"
)

// emit reports an event of s at the running instant.
func (t *Turn) emit(s *Set, e *Event) {
	to := t.place()
	*to = *e
	to.At, to.Seen, to.Owner = t.at, t.Now, s.owner
}

// tell reports an event of s at the running instant, and returns it: it may be completed
// until another one is told.
func (t *Turn) tell(s *Set, kind EventKind) *Event {
	e := t.place()
	e.At, e.Seen, e.Owner, e.End, e.Kind = t.at, t.Now, s.owner, wheel.Never, kind
	return e
}

// place makes room for one more event, an empty one. An event is more than two cache lines:
// one that is made where it stays is not moved there.
func (t *Turn) place() *Event {
	n := len(t.Events)
	if n == cap(t.Events) {
		// Twice as much: append gives a long list a quarter more, and to bring back a million buffs would
		// be to move each event five times.
		t.Events = append(slices.Grow(t.Events, max(n, 1)), Event{})
	} else {
		t.Events = t.Events[:n+1]
		t.Events[n] = Event{}
	}
	return &t.Events[n]
}
