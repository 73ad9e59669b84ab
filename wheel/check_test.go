package wheel

import "fmt"

// check reports the first thing that is wrong with the structure of w: every timer
// must be in exactly one place, the place must be the right one for now, and the
// bitmaps, counts and hands must say what is there. It works out by itself where a
// timer belongs and uses nothing of locate, turn or the bitmaps' own code.
func check(w *Wheel) error {
	if err := checkHands(w); err != nil {
		return err
	}
	listed, err := checkLate(w)
	if err != nil {
		return err
	}
	n := 0
	for l := range shelf + w.shelves {
		for s := range slotsOf(w, l) {
			k, err := checkSlot(w, l, s)
			if err != nil {
				return fmt.Errorf("level %d slot %d: %w", l, s, err)
			}
			listed += k
			n++
		}
	}
	if n != len(w.slots) {
		return fmt.Errorf("%d slots on the levels, %d in all", n, len(w.slots))
	}
	if err := checkBitmaps(w); err != nil {
		return err
	}
	return checkSlab(w, listed)
}

// digits are the hands at an instant: the position on the dial, the slot of each
// face, and the half-day counted from Time 0.
type digits struct {
	at   [shelf]int
	half int64
}

func digitsOf(w *Wheel, t Time) digits {
	var d digits
	rest := int64(t)
	for l := range shelf {
		size := int64(slotsOf(w, l))
		d.at[l] = int(((rest % size) + size) % size)
		// Exact, and cannot run over the range as rest - d.at[l] could.
		q := rest / size
		if rest%size < 0 {
			q--
		}
		rest = q
	}
	d.half = rest
	return d
}

// number is that of the half-day, as the shelves count.
func (w *Wheel) number(d digits) uint64 { return uint64(d.half) + w.zeroHalf }

func slotsOf(w *Wheel, l int) int {
	if l >= shelf {
		return shelfSlots
	}
	return int(w.level[l].round / w.level[l].unit)
}

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
	gone := int64(0) // since the start of the level's round
	for l := range shelf {
		f := &w.level[l]
		gone += int64(now.at[l]) * unit
		if f.unit != unit {
			return fmt.Errorf("level %d: unit %d, want %d", l, f.unit, unit)
		}
		unit *= int64(slotsOf(w, l))
		if f.from != w.now-Time(gone) {
			return fmt.Errorf("level %d: round from %d, now %d, %d gone", l, f.from, w.now, gone)
		}
		if last := w.now.Add(unit - 1 - gone); f.last != last {
			return fmt.Errorf("level %d: round until %d, want %d", l, f.last, last)
		}
	}
	return nil
}

// belongs says where a timer that is not late waits, by comparing digits.
func belongs(w *Wheel, due Time) (level, s int) {
	a, b := digitsOf(w, due), digitsOf(w, w.now)
	for k := w.shelves - 1; k >= 0; k-- {
		x := w.number(a) >> (shelfBits * k) % shelfSlots
		y := w.number(b) >> (shelfBits * k) % shelfSlots
		if x != y {
			return shelf + k, int(x)
		}
	}
	for l := hours; l > dial; l-- {
		if a.at[l] != b.at[l] {
			return l, a.at[l]
		}
	}
	return dial, a.at[dial]
}

func checkLate(w *Wheel) (int, error) {
	return walk(w, &w.late, func(t *timer) error {
		if t.state != late || t.due > w.now {
			return fmt.Errorf("state %d, due %v, in the late list at %v", t.state, t.due, w.now)
		}
		return nil
	})
}

func checkSlot(w *Wheel, level, s int) (int, error) {
	at := w.level[level].first + s
	if at >= len(w.slots) {
		return 0, fmt.Errorf("no such slot")
	}
	return walk(w, &w.slots[at], func(t *timer) error {
		if int(t.state) != level || int(t.slot) != s {
			return fmt.Errorf("timer %d says level %d slot %d", t.id, t.state, t.slot)
		}
		if t.due <= w.now {
			return fmt.Errorf("timer %d due %v should have fired by %v", t.id, t.due, w.now)
		}
		if l, p := belongs(w, t.due); l != level || p != s {
			return fmt.Errorf("timer %d due %v belongs on level %d slot %d", t.id, t.due, l, p)
		}
		return nil
	})
}

// walk follows a list, checks its links, and returns its length.
func walk(w *Wheel, l *slot, each func(*timer) error) (int, error) {
	n, prev := 0, uint32(0)
	for i := l.head; i != 0; i = w.timers[i].next {
		if n++; n > len(w.timers) {
			return n, fmt.Errorf("the list has no end")
		}
		t := &w.timers[i]
		if t.prev != prev {
			return n, fmt.Errorf("timer %d: prev is %d, want %d", t.id, t.prev, prev)
		}
		if err := each(t); err != nil {
			return n, err
		}
		prev = i
	}
	if l.tail != prev {
		return n, fmt.Errorf("tail is %d, want %d", l.tail, prev)
	}
	return n, nil
}

func checkBitmaps(w *Wheel) error {
	var levels uint32
	var positions [dialWords]uint64
	for l := range maxLevels {
		var want uint64
		if l < shelf+w.shelves {
			for s := range slotsOf(w, l) {
				if w.slots[w.level[l].first+s].head == 0 {
					continue
				}
				levels |= 1 << l
				if l == dial {
					positions[s/64] |= 1 << (s % 64)
					want |= 1 << (s / 64)
				} else {
					want |= 1 << s
				}
			}
		}
		if w.level[l].occupied != want {
			return fmt.Errorf("level %d: bitmap %b, want %b", l, w.level[l].occupied, want)
		}
	}
	if w.occupied != levels {
		return fmt.Errorf("levels bitmap %b, want %b", w.occupied, levels)
	}
	if w.dial != positions {
		return fmt.Errorf("dial bitmap %b, want %b", w.dial, positions)
	}
	return nil
}

// checkSlab counts the timers by state: each is listed once, rests, is in the free
// list once, or is retired.
func checkSlab(w *Wheel, listed int) error {
	var waits, rests, free, gone int
	for i, t := range w.timers[1:] {
		switch {
		case t.state <= late:
			waits++
		case t.state == resting:
			rests++
		case t.state == unused:
			free++
		case t.state == retired && t.gen == lastGeneration:
			gone++
		default:
			return fmt.Errorf("timer %d: state %d, generation %d", i+1, t.state, t.gen)
		}
		if t.gen < firstGeneration {
			return fmt.Errorf("timer %d: generation %d", i+1, t.gen)
		}
	}
	if waits != listed || waits != w.waiting {
		return fmt.Errorf("%d timers wait, %d are in slots, Len says %d", waits, listed, w.waiting)
	}
	for i := w.free; i != 0; i = w.timers[i].next {
		if free--; free < 0 || w.timers[i].state != unused {
			return fmt.Errorf("timer %d in the free list: state %d", i, w.timers[i].state)
		}
	}
	if free != 0 {
		return fmt.Errorf("%d free timers are not in the free list", free)
	}
	if t := w.timers[0]; t != (timer{state: unused}) {
		return fmt.Errorf("timer 0 was written to: %+v", t)
	}
	return nil
}
