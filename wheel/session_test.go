package wheel

import (
	"fmt"
	"math"
	"slices"
)

// plan is one waiting timer of the model.
type plan struct {
	due  Time
	call int // number of the Add or Move that set the deadline
	rec  *record
}

func inModel(a, b plan) int {
	switch {
	case a.due < b.due, a.due == b.due && a.call < b.call:
		return -1
	case a.due == b.due && a.call == b.call:
		return 0
	}
	return 1
}

// record is the data that the model's user keeps for a live timer.
type record struct {
	h     Handle
	id    uint64
	due   Time
	call  int
	waits bool
	at    int // index in session.live
}

// session is a Wheel, its model, and the data of the model's user.
type session struct {
	w     *Wheel
	limit int // maximum number of live timers

	now     Time
	list    []plan // the model: waiting timers, sorted
	live    []*record
	stale   []Handle // some of the removed handles
	gens    []uint32 // last generation used, by index
	most    int      // maximum number of timers live at once
	retired int      // indices removed at their last generation

	ops     int
	spans   []int64
	periods []int64
	buf     []Fired
	dst     []Fired // the timers that the last Advance added to buf
	fired   []*record
	calls   *[]string // recorded if not nil
}

func newSession(sh shape, start Time, limit int) *session {
	w := newWheel(sh, start)
	// Half of the sessions sweep all the time, and half sweep after a number of steps.
	if limit&1 == 1 {
		w.sweep.spare = 0
	}
	if limit&2 == 2 {
		w.sweep.lap = 50
	}
	// A quarter of the sessions use a dense wheel from the start, and a quarter after a few
	// timers.
	switch limit & 12 {
	case 4:
		w.makeDense()
	case 8:
		w.sparseLimit = word
	}
	return &session{w: w, limit: limit, now: start, spans: spans(w), periods: periods(w)}
}

func (s *session) say(format string, args ...any) {
	*s.calls = append(*s.calls, fmt.Sprintf(format, args...))
}

// step makes one call, or an Advance followed by calls for the fired timers, and compares the
// results. It checks the structure every few calls, and after every call if the choices come from
// bytes.
func (s *session) step(d *dice) error {
	if err := s.call(d); err != nil {
		return err
	}
	if s.w.Len() != len(s.list) || s.w.Now() != s.now {
		return fmt.Errorf("Len %d at %d, want %d at %d", s.w.Len(), s.w.Now(), len(s.list), s.now)
	}
	if s.ops < 100 || s.ops%16 == 0 || d.rng == nil {
		return check(s.w)
	}
	return nil
}

func (s *session) call(d *dice) error {
	switch p := d.n(32); {
	case p < 12 && len(s.live) < s.limit:
		return s.add(d.due(s.w, s.spans, s.list))
	case p < 16 && len(s.live) > 0:
		return s.move(s.any(d), d.due(s.w, s.spans, s.list))
	case p < 18 && len(s.live) > 0:
		return s.remove(s.any(d))
	case p < 20 && len(s.stale) > 0:
		return s.refused(d, s.stale[d.below(int64(len(s.stale)))])
	case p < 21:
		return s.refused(d, s.forge(d))
	case p < 22:
		return s.next()
	case p < 23:
		return s.nextWithin(d)
	case p < 24 && d.one(8):
		return s.back(d)
	case p < 25 && d.one(8):
		s.age(d)
		return nil
	case p == 25 && len(s.live) > 0:
		return s.replace(d)
	}
	if err := s.advance(d.jump(s.w, s.spans, s.list)); err != nil {
		return err
	}
	return s.after(d)
}

func (s *session) any(d *dice) *record { return s.live[d.below(int64(len(s.live)))] }

func (s *session) add(due Time) error {
	s.ops++
	r := &record{id: uint64(s.ops), at: len(s.live)}
	r.h = s.w.Add(due, r.id)
	if s.calls != nil {
		s.say("Add(%d, %d) = %x", due, r.id, r.h)
	}
	return s.added(r, due)
}

// added adds a new timer to the model.
func (s *session) added(r *record, due Time) error {
	i, gen := int(uint32(r.h)), uint32(r.h>>32)
	for len(s.gens) <= i {
		s.gens = append(s.gens, 0)
	}
	if i == 0 || gen <= s.gens[i] {
		return fmt.Errorf("Add gave handle %x, index %d was at generation %d", r.h, i, s.gens[i])
	}
	s.gens[i] = gen
	s.live = append(s.live, r)
	s.most = max(s.most, len(s.live))
	if i > (s.most+s.retired)|(word-1) {
		return fmt.Errorf("Add took index %d, of %d live at most and %d retired", i, s.most, s.retired)
	}
	s.insert(r, due)
	return nil
}

func (s *session) move(r *record, due Time) error {
	s.ops++
	ok := s.w.Move(r.h, due)
	if s.calls != nil {
		s.say("Move(%x, %d) = %v", r.h, due, ok)
	}
	if !ok {
		return fmt.Errorf("Move(%x) of timer %d false", r.h, r.id)
	}
	s.drop(r)
	s.insert(r, due)
	return nil
}

func (s *session) remove(r *record) error {
	s.ops++
	ok := s.w.Remove(r.h)
	if s.calls != nil {
		s.say("Remove(%x) = %v", r.h, ok)
	}
	if ok != r.waits {
		return fmt.Errorf("Remove(%x) of timer %d is %v, waiting is %v", r.h, r.id, ok, r.waits)
	}
	s.forget(r)
	return nil
}

// forget removes a timer that was ended from the model.
func (s *session) forget(r *record) {
	s.drop(r)
	last := s.live[len(s.live)-1]
	s.live[r.at], last.at = last, r.at
	s.live = s.live[:len(s.live)-1]
	if len(s.stale) < 64 {
		s.stale = append(s.stale, r.h)
	} else {
		s.stale[s.ops%64] = r.h
	}
	if r.h>>32 == lastGeneration {
		s.retired++
	}
}

// replace ends a timer, or tries an invalid handle, and starts another timer.
func (s *session) replace(d *dice) error {
	old, of := s.forge(d), (*record)(nil)
	if d.n(4) > 0 || len(s.live) >= s.limit {
		of = s.any(d)
		old = of.h
	}
	due := d.due(s.w, s.spans, s.list)
	if of != nil {
		s.forget(of)
	}
	s.ops++
	r := &record{at: len(s.live)}
	r.h = s.w.ReplaceSelf(old, due)
	r.id = uint64(r.h)
	if s.calls != nil {
		s.say("ReplaceSelf(%x, %d) = %x", old, due, r.h)
	}
	if of != nil && old>>32 < lastGeneration && r.h != old+1<<32 {
		return fmt.Errorf("ReplaceSelf(%x) gave handle %x", old, r.h)
	}
	return s.added(r, due)
}

func (s *session) insert(r *record, due Time) {
	r.due, r.call, r.waits = due, s.ops, true
	e := plan{due, r.call, r}
	i, _ := slices.BinarySearchFunc(s.list, e, inModel)
	s.list = slices.Insert(s.list, i, e)
}

func (s *session) drop(r *record) {
	if r.waits {
		i, _ := slices.BinarySearchFunc(s.list, plan{r.due, r.call, r}, inModel)
		s.list = slices.Delete(s.list, i, i+1)
		r.waits = false
	}
}

func (s *session) advance(now Time) error {
	s.ops++
	before := Fired{Never, 0} // the existing contents of dst must be kept
	s.buf = s.w.Advance(now, append(s.buf[:0], before))
	s.dst = s.buf[1:]
	if s.calls != nil {
		s.say("Advance(%d) = %v", now, s.dst)
	}
	s.now = now
	n := 0
	for n < len(s.list) && s.list[n].due <= now {
		n++
	}
	if len(s.dst) != n || s.buf[0] != before {
		return fmt.Errorf("Advance(%d) fired %d, want %d, behind %v", now, len(s.dst), n, s.buf[0])
	}
	s.fired = s.fired[:0]
	for i, e := range s.list[:n] {
		if want := (Fired{e.due, e.rec.id}); s.dst[i] != want {
			return fmt.Errorf("Advance(%d): number %d is %v, want %v", now, i, s.dst[i], want)
		}
		e.rec.waits = false
		s.fired = append(s.fired, e.rec)
	}
	s.list = slices.Delete(s.list, 0, n)
	return nil
}

// after reacts to fired timers. It moves periodic timers relative to their deadlines, ends some
// of the others, and leaves the rest as they are.
func (s *session) after(d *dice) error {
	for _, r := range s.fired {
		var err error
		switch d.n(4) {
		case 0, 1:
			err = s.move(r, r.due.Add(d.pick(s.periods)))
		case 2:
			err = s.remove(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forge returns a handle that does not belong to a live timer.
func (s *session) forge(d *dice) Handle {
	h := Handle(d.word())
	switch d.n(7) {
	case 0:
		return 0
	case 1:
		h %= Handle(s.w.made) // generation 0
	case 2, 3:
		if len(s.live) > 0 {
			h = s.any(d).h + Handle(d.n(3)-1)<<32 + Handle(d.n(3)-1)
		}
	case 4: // the handle that the next Add will return
		if i := nextFree(s.w); i != 0 {
			h = Handle(s.w.timer(i).gen)<<32 | Handle(i)
		}
	case 5:
		h = Handle(s.w.made) | firstGeneration<<32
	case 6:
		h = Handle(len(s.w.pages)*pageTimers+d.n(2)) | firstGeneration<<32
	}
	for _, r := range s.live {
		if r.h == h {
			return 0
		}
	}
	return h
}

func (s *session) refused(d *dice, h Handle) error {
	s.ops++
	if s.calls != nil {
		s.say("refused(%x)", h)
	}
	if s.w.Remove(h) {
		return fmt.Errorf("Remove(%x), not a timer, is true", h)
	}
	if s.w.Move(h, d.due(s.w, s.spans, s.list)) {
		return fmt.Errorf("Move(%x), not a timer, is true", h)
	}
	return nil
}

func (s *session) next() error {
	s.ops++
	want, some := Never, len(s.list) > 0
	if some {
		want = s.list[0].due
	}
	if got, ok := s.w.Next(); got != want || ok != some {
		return fmt.Errorf("Next %d %v, want %d %v", got, ok, want, some)
	}
	return nil
}

// back calls Advance with a time in the past, which must panic and change nothing.
func (s *session) back(d *dice) (err error) {
	s.ops++
	if s.now == earliest {
		return nil
	}
	defer func() {
		if r := recover(); r != "wheel: time went back" {
			err = fmt.Errorf("Advance to the past: %v", r)
		}
	}()
	s.w.Advance(s.now.Add(-1-d.below(1000)), nil)
	return nil
}

// age changes a free timer as if it had been used four billion times.
func (s *session) age(d *dice) {
	i := nextFree(s.w)
	if i == 0 || int(i) >= len(s.gens) || s.retired > 20 {
		return
	}
	t := s.w.timer(i)
	t.gen = max(t.gen, lastGeneration-uint32(d.n(3)))
	// and as if four billion of its entries had died
	if s.w.dead == 0 && d.one(2) {
		t.stamp |= math.MaxUint32 - 31
		s.w.counts[i/countsInWord] |= 8 << (i % countsInWord * 4) // the part of the stamp
	}
	s.gens[i] = t.gen - 1
}

// finish removes some timers, lets the others fire, removes all, and checks that every timer is
// free again.
func (s *session) finish() error {
	for len(s.live) > s.limit/2 {
		if err := s.remove(s.live[0]); err != nil {
			return err
		}
	}
	if n := len(s.list); n > 0 {
		if err := s.advance(max(s.now, s.list[n-1].due)); err != nil {
			return err
		}
	}
	for len(s.live) > 0 {
		if err := s.remove(s.live[0]); err != nil {
			return err
		}
	}
	for i := uint32(1); uint64(i) < s.w.made; i++ {
		if t := s.w.timer(i); t.state() < unused {
			return fmt.Errorf("timer %d is lost: state %d", i, t.state())
		}
	}
	return check(s.w)
}
