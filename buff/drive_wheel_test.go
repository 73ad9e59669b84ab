package buff_test

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// tinyWheel keeps deadlines in a map and does what orders say, and no more.
type tinyWheel struct {
	rng    *rand.Rand
	made   uint64
	timers map[wheel.Handle]*deadline
	fail   func(string, ...any)
}

type deadline struct {
	due   wheel.Time
	ref   buff.Ref
	rests bool
}

func newTinyWheel(rng *rand.Rand) *tinyWheel {
	return &tinyWheel{rng: rng, timers: map[wheel.Handle]*deadline{}}
}

func (w *tinyWheel) obey(s *buff.Set, t *buff.Turn) {
	for _, o := range s.TimerRequests() {
		if o.Due == wheel.Never {
			delete(w.timers, o.Timer)
			continue
		}
		timer, live := s.Timer(o)
		if o.Timer != 0 {
			timer = o.Timer
		} else if !live {
			continue
		}
		if timer == 0 {
			w.made++
			timer = wheel.Handle(w.made)
			w.timers[timer] = &deadline{due: o.Due, ref: o.Ref}
			s.SetTimer(o, timer)
			continue
		}
		d := w.timers[timer]
		if d == nil || d.ref != o.Ref {
			w.fail("an order moves a timer that was taken away")
			return
		}
		d.due, d.rests = o.Due, false
	}
	s.ClearTimerRequests(t)
	if s.Pending() > 0 {
		return
	}
	if len(w.timers) > s.Len()+s.Timeouts() {
		w.fail("timers are kept for what is gone")
	}
	w.check(s)
}

// check holds the timers that wait against what the Set has to come. Of a buff or a timeout
// that has become endless one may be left over: it wakes for nothing.
func (w *tinyWheel) check(s *buff.Set) {
	waiting, timeouts, next := map[buff.Ref]wheel.Time{}, 0, wheel.Never
	for _, d := range w.timers {
		if d.rests {
			continue
		}
		if d.ref >= 1<<15 {
			timeouts++
			next = min(next, d.due)
			continue
		}
		if _, two := waiting[d.ref]; two {
			w.fail("two timers for one buff")
		}
		waiting[d.ref] = d.due
	}
	for i := range s.All() {
		due := s.Due(i.Handle)
		ref := buff.Ref(i.Handle >> 32 & (buff.MaxPerOwner - 1))
		if at, ok := waiting[ref]; due != wheel.Never && (!ok || at != due) {
			w.fail("%v has something due at %d, its timer waits: %v, for %d", i.Spec, due, ok, at)
		}
		delete(waiting, ref)
		next = min(next, due)
	}
	if len(waiting) > 0 || timeouts > s.Timeouts() || next > s.Next() {
		w.fail("timers for what is gone: %v, %d timeouts of %d; the next at %d, and Next says %d", waiting, timeouts, s.Timeouts(), next, s.Next())
	}
}

// wake hands over what is due, in any order, and now and then something that is
// not.
func (w *tinyWheel) wake(s *buff.Set, t *buff.Turn, now wheel.Time) {
	timers := slices.Sorted(maps.Keys(w.timers)) // a seed must repeat itself
	w.rng.Shuffle(len(timers), func(i, j int) { timers[i], timers[j] = timers[j], timers[i] })
	for _, timer := range timers {
		d := w.timers[timer]
		if due := !d.rests && d.due <= now; due || w.rng.IntN(50) == 0 {
			d.rests = d.rests || due
			s.Wake(t, d.ref)
		}
	}
}
