package rules_test

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// tinyWheel keeps the deadline of one Owner as an engine does. Beside it, it keeps those of all buffs as a wheel would that has
// a timer for each, and holds the one against the others.
type tinyWheel struct {
	due   wheel.Time
	order uint32
	timer map[buff.Handle]armed
	fail  func(string, ...any)
}

// armed is what the timer of a buff was last told, and when.
type armed struct {
	due   wheel.Time
	order uint32
}

func newTinyWheel() *tinyWheel {
	return &tinyWheel{due: wheel.Never, timer: map[buff.Handle]armed{}}
}

// obey takes in what a turn or a command has changed that has come to an instant.
func (w *tinyWheel) obey(s *rules.Owner, t *rules.Turn, at wheel.Time) {
	due, order, moved := s.TakeDeadline(t)
	if (due != w.due || order != w.order) && !moved { // it may also have moved and be back
		w.fail("the deadline was %v of %d and is %v of %d, and nobody was told", w.due, w.order, due, order)
	}
	w.due, w.order = due, order
	if _, _, again := s.TakeDeadline(t); again {
		w.fail("a deadline is told twice")
	}
	first := w.move(s, t, at)
	if s.Pending() > 0 {
		return
	}
	if due != s.Next() {
		w.fail("the deadline is %v, and the next thing is due at %v", due, s.Next())
	}
	if s.Timeouts() == 0 && (first.due != w.due || first.order != w.order) { // those of timeouts are not known
		w.fail("the deadline is %v of %d, and the first timer of a buff is %v of %d", w.due, w.order, first.due, first.order)
	}
}

// move sets the timers of the buffs and returns the first one.
func (w *tinyWheel) move(s *rules.Owner, t *rules.Turn, at wheel.Time) (first armed) {
	now := map[buff.Handle]armed{}
	first = armed{due: wheel.Never}
	for i := range s.All() {
		due := s.Due(i.Handle)
		a, ok := w.timer[i.Handle]
		switch {
		case due <= at: // it waits for the Run, and its timer may be anywhere
			if !ok {
				continue
			}
		case due == wheel.Never:
			continue
		case !ok || a.due != due:
			a = armed{due, t.Order}
		}
		now[i.Handle] = a
		if a.due < first.due || a.due == first.due && a.order < first.order {
			first = a
		}
	}
	w.timer = now
	return first
}

// fires reports whether the Owner has something to do by then: otherwise nobody would call its Run.
func (w *tinyWheel) fires(now wheel.Time) bool {
	for h, a := range w.timer {
		if a.due <= now {
			delete(w.timer, h) // one that has fired is set anew, also to where it was
		}
	}
	return w.due <= now
}
