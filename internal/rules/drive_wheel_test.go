package rules_test

import (
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// tinyWheel keeps the deadlines of one Owner like an engine, and checks that none is missing.
type tinyWheel struct {
	entries []rules.Deadline
	only    rules.Place // the place of the entries that came out last; NoPlace if there were none or several places
	fail    func(string, ...any)
}

func newTinyWheel() *tinyWheel { return &tinyWheel{} }

// obey takes over the deadlines that a turn or a command has set.
func (w *tinyWheel) obey(s *rules.Owner, t *rules.Turn) {
	w.entries = append(w.entries, t.Deadlines...)
	t.Deadlines = t.Deadlines[:0]
	waiting, first := map[rules.Deadline]bool{}, wheel.Never
	for _, d := range w.entries {
		if s.Waits(d) {
			waiting[d] = true
			first = min(first, d.Due)
		}
	}
	if len(waiting) != t.Waiting {
		w.fail("%d deadlines wait, and %d are counted", len(waiting), t.Waiting)
	}
	if s.WaitsBy(first-1) || first != wheel.Never && !s.WaitsBy(first) {
		w.fail("the first deadline is at %v, but WaitsBy differs", first)
	}
	if s.Pending() == 0 && first > s.Next() {
		w.fail("the first deadline is at %v, and something is due at %v", first, s.Next())
	}
}

// fires reports whether an entry has come out. If not, an engine would not call Run.
func (w *tinyWheel) fires(now wheel.Time) (fired bool) {
	kept := w.entries[:0]
	w.only = rules.NoPlace
	for _, d := range w.entries {
		if d.Due <= now {
			if w.only = d.Place; fired {
				w.only = rules.NoPlace
			}
			fired = true
		} else {
			kept = append(kept, d)
		}
	}
	w.entries = kept
	return fired
}
