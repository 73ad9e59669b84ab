package wheel

import (
	"fmt"
	"math/bits"
)

// check returns the first violated invariant of w. It computes the position of each entry
// independently, without place, turn or the bitmap code. The invariants, for every timer i,
// entry e in slot s of level l, and the digits d(t) of an instant t, written as half-day, hour,
// minute, second, ms:
//
//	entries:  |{e : e.timer = i, e.stamp = timer(i).stamp}| = 1 if i waits, else 0
//	          Σ queue.n = Len + dead;  Len = |{i : i waits}|
//	time:     due(e) = start(s) + (e.due - start(s) in 32 bits), on the dial start(s);
//	          start(s) <= due(e) <= timer(i).due if e is alive
//	          now < start(s) on a face or shelf, now < due(e) on the dial
//	          timer(i).due <= now at the call that put i into the late slot
//	place:    s is the slot for due(e), or s is coming and the slot for due(e) is finer
//	mixed:    e.due = queue.only.due or queue.mixed, except on the dial
//	counts:   the i-th four bits of counts are timer(i).stamp / 4 % 16
//	bitmaps:  bit s of l is set if and only if queue(s).n > 0; summaries likewise
//	memory:   each chunk is in one queue or in the free list; each timer waits, rests,
//	          is in the free set, or is retired
func check(w *Wheel) error {
	for _, f := range []func(*Wheel) error{checkHands, checkSlots, checkBitmaps, checkSparse, checkChunks, checkSlab} {
		if err := f(w); err != nil {
			return err
		}
	}
	return checkFaces(w)
}

// digits are the positions of the hands at an instant, and the half-day, counted from Time 0.
type digits struct {
	at   [shelf]int
	half int64
}

func digitsOf(w *Wheel, t Time) digits {
	var d digits
	rest := int64(t)
	for l := range shelf {
		size := int64(w.level[l].size)
		d.at[l] = int(((rest % size) + size) % size)
		// rest - d.at[l] could overflow; this cannot.
		q := rest / size
		if rest%size < 0 {
			q--
		}
		rest = q
	}
	d.half = rest
	return d
}

// number returns the number of the half-day that the shelves use.
func (w *Wheel) number(d digits) uint64 { return uint64(d.half) + w.zeroHalf }

func checkHands(w *Wheel) error {
	now := digitsOf(w, w.now)
	if got := w.number(now); w.half != got {
		return fmt.Errorf("half-day %d at %v, want %d", w.half, w.now, got)
	}
	low, high := w.number(digitsOf(w, earliest)), w.number(digitsOf(w, Never))
	if low > high || w.shelves < maxShelves && high>>(w.shelves*shelfBits) != 0 {
		return fmt.Errorf("half-days %d to %d on %d shelves", low, high, w.shelves)
	}
	unit := int64(1)
	gone := int64(0) // time since the start of the level's round
	for l := range shelf {
		f := &w.level[l]
		gone += int64(now.at[l]) * unit
		if int64(f.unit) != unit {
			return fmt.Errorf("level %d: unit %d, want %d", l, f.unit, unit)
		}
		unit *= int64(f.size)
		if f.round != unit || f.from != w.now-Time(gone) {
			return fmt.Errorf("level %d: round from %d, now %d, %d gone", l, f.from, w.now, gone)
		}
		last := w.now.Add(unit - 1 - gone)
		if next := last.Add(unit); f.last != last || f.next != next {
			return fmt.Errorf("level %d: rounds until %d and %d, want %d and %d", l, f.last, f.next, last, next)
		}
	}
	return nil
}

// spot identifies a slot. On the dial and the faces, k is counted from the start of the current
// round. On a shelf, k is the slot's digit.
type spot struct{ level, k int }

// belongs returns the slot for a deadline after now, by comparing digits.
func belongs(w *Wheel, due Time) spot {
	a, b := digitsOf(w, due), digitsOf(w, w.now)
	// The digits above a level are the number of its round. ahead is the number of rounds from
	// the current one to the deadline, at most 2.
	ahead := int64(2)
	if d := w.number(a) - w.number(b); d < 2 {
		ahead = int64(d)
	}
	if ahead == 2 {
		for k := w.shelves - 1; k >= 0; k-- {
			x := w.number(a) >> (shelfBits * k) % shelfSlots
			if x != w.number(b)>>(shelfBits*k)%shelfSlots {
				return spot{shelf + k, int(x)}
			}
		}
	}
	at := spot{}
	for l := hours; l >= dial && ahead < 2; l-- {
		size := int64(w.level[l].size)
		at = spot{l, int(int64(a.at[l]) + ahead*size)}
		ahead = min(2, ahead*size+int64(a.at[l]-b.at[l]))
	}
	return at
}

// coming reports whether s is the slot that the hand of its level reaches next.
func coming(w *Wheel, s spot) bool {
	if s.level < shelf {
		return s.k == digitsOf(w, w.now).at[s.level]+1
	}
	// On a shelf above the first, all lower digits of the current half-day must be at their
	// maximum.
	low := shelfBits * (s.level - shelf)
	return w.half&(1<<low-1) == 1<<low-1 && uint64(s.k) == w.half>>low%shelfSlots+1
}

// spots calls f for every slot of the levels, with its index and its first instant.
func spots(w *Wheel, f func(s spot, slot uint32, start Time) error) error {
	slot := uint32(late + 1)
	for l := range shelf + w.shelves {
		n := int(w.level[l].size)
		if l < shelf {
			n *= 2
		}
		if w.level[l].first != slot {
			return fmt.Errorf("level %d begins at %d, want %d", l, w.level[l].first, slot)
		}
		for i := range n {
			s := spot{l, i}
			if l < shelf && w.level[l].shift > 0 {
				s.k = (i + n/2) % n
			}
			if err := f(s, slot, w.start(l, uint32(s.k))); err != nil {
				return fmt.Errorf("level %d slot %d: %w", s.level, s.k, err)
			}
			slot++
		}
	}
	if int(slot) != w.count() {
		return fmt.Errorf("%d slots on the levels, %d in all", slot, w.count())
	}
	return nil
}

// entries returns the entries of a queue and checks its invariants.
func entries(w *Wheel, q *queue) ([]entry, error) {
	if q.first == 0 {
		n, empty := q.n(), *q
		empty.only = [1]entry{}
		if n == 1 {
			empty.before--
		}
		if n > 1 || empty != emptyQueue {
			return nil, fmt.Errorf("queue of %d without a chunk is %+v", n, *q)
		}
		return append([]entry(nil), q.only[:n]...), nil
	}
	var all []entry
	for c, at := q.first, int(q.head); ; c, at = w.chunk(c).next, 0 {
		end := chunkEntries
		if c != 0 && w.chunk(c) == q.end {
			end = int(q.tail)
		}
		if c == 0 || at >= end {
			return all, fmt.Errorf("chunk %d from %d to %d", c, at, end)
		}
		all = append(all, w.chunk(c).entry[at:end]...)
		if w.chunk(c) == q.end {
			break
		}
	}
	if len(all) != int(q.n()) {
		return all, fmt.Errorf("%d entries, n says %d", len(all), q.n())
	}
	return all, nil
}

func checkSlots(w *Wheel) error {
	living := make([]int, w.made)
	in, err := entries(w, w.queue(late))
	if err != nil {
		return fmt.Errorf("late: %w", err)
	}
	dead := 0
	for _, e := range in {
		if w.timer(e.timer).stamp == e.stamp {
			living[e.timer]++
		} else {
			dead++
		}
	}
	err = spots(w, func(s spot, slot uint32, start Time) error {
		in, err := entries(w, w.queue(slot))
		if err != nil || len(in) == 0 {
			return err
		}
		if s.level != dial && start <= w.now {
			return fmt.Errorf("begins at %v, now %v, holds %d", start, w.now, len(in))
		}
		for _, e := range in {
			due, q := start, w.queue(slot)
			if s.level != dial {
				due += Time(e.due - uint32(start))
				if !q.mixed && e.due != q.only[0].due {
					return fmt.Errorf("entry due %d, and %d, in a slot that is not mixed", e.due, q.only[0].due)
				}
			}
			alive := w.timer(e.timer).stamp == e.stamp
			if alive {
				living[e.timer]++
			} else {
				dead++
			}
			if w.level[s.level].wide {
				continue
			}
			if due <= w.now || alive && w.timer(e.timer).due < due {
				return fmt.Errorf("timer %d, entry due %v, due %v, now %v", e.timer, due, w.timer(e.timer).due, w.now)
			}
			b := belongs(w, due)
			if b != s && (b.level >= s.level || !coming(w, s)) {
				return fmt.Errorf("timer %d due %v belongs on level %d slot %d", e.timer, due, b.level, b.k)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if dead != w.dead {
		return fmt.Errorf("%d dead entries, counted %d", dead, w.dead)
	}
	waits := 0
	for i := uint32(1); uint64(i) < w.made; i++ {
		want := 0
		if w.timer(i).state() == waiting {
			want = 1
			waits++
		}
		if living[i] != want {
			return fmt.Errorf("timer %d waits and has %d entries, want %d", i, living[i], want)
		}
	}
	if waits != w.Len() {
		return fmt.Errorf("%d timers wait, Len says %d", waits, w.Len())
	}
	return nil
}

// checkFaces checks that the counters returned by Face add up.
func checkFaces(w *Wheel) error {
	sum, slots := int(w.queue(late).n()), make([]int, 0, 2048)
	for l := range w.Levels() {
		f := w.Face(l, slots[:0])
		for k, n := range f.Slots {
			if n > 0 && l < shelf && k <= f.Hand {
				return fmt.Errorf("face %d: %d in slot %d, which has passed", l, n, k)
			}
			sum += n
		}
	}
	if sum != w.Len()+w.dead {
		return fmt.Errorf("the faces show %d, %d live and %d dead", sum, w.Len(), w.dead)
	}
	return nil
}

// nextFree returns the timer that the next Add will use, or 0 if it will be a new one.
func nextFree(w *Wheel) uint32 {
	f := w.free
	if f.len() == 0 {
		return 0
	}
	if f.taken == 0 {
		for k := range f.words {
			f.words[k] = append([]uint64(nil), w.free.words[k]...)
		}
		f.refill()
	}
	return f.from + uint32(bits.TrailingZeros64(f.taken))
}
