package wheel

import "fmt"

// This file contains the parts of check for bitmaps, chunks and timers.

func checkBitmaps(w *Wheel) error {
	var occupied [maxLevels][2]uint64
	var positions [2][dialWords]uint64
	err := spots(w, func(s spot, slot uint32, _ Time) error {
		if w.queue(slot).n() == 0 {
			return nil
		}
		f := &w.level[s.level]
		at, half := slot-f.first, 0
		if at >= f.size {
			at, half = at-f.size, 1
		}
		if s.level == dial {
			positions[half][at/64] |= 1 << (at % 64)
			at /= 64
		}
		occupied[s.level][half] |= 1 << at
		return nil
	})
	if err != nil {
		return err
	}
	for l := range w.level {
		if w.level[l].occupied != occupied[l] {
			return fmt.Errorf("level %d: bitmap %b, want %b", l, w.level[l].occupied, occupied[l])
		}
	}
	if w.dial != positions {
		return fmt.Errorf("dial bitmap %b, want %b", w.dial, positions)
	}
	return nil
}

// checkSparse checks that, while there are few timers, each queue belongs to one nonempty slot
// or to the late slot, or is free.
func checkSparse(w *Wheel) error {
	s := w.sparse
	if s == nil || w.slots != nil {
		if s != nil || w.slots == nil {
			return fmt.Errorf("the slots are in two places, or in none")
		}
		return nil
	}
	seen := make([]bool, len(s.pages)*len(queuePage{}))
	seen[0] = true // 0 means no queue
	unused := 0
	if len(seen) > overflow {
		seen[overflow], unused = true, 1
	}
	claim := func(k uint8) error {
		if seen[k] {
			return fmt.Errorf("queue %d is in two places", k)
		}
		seen[k] = true
		return nil
	}
	n, far := 1, 0
	for i, k := range s.number {
		switch {
		case k == 0 && i == late, k != 0 && i != late && s.queue(uint32(i)).n() == 0:
			return fmt.Errorf("slot %d has queue %d, which holds nothing", i, k)
		case k == overflow:
			far++
		case k != 0:
			n++
			if err := claim(k); err != nil {
				return err
			}
		}
	}
	for _, k := range s.free {
		if empty := *s.at(k); empty.n() != 0 || empty.first != 0 {
			return fmt.Errorf("queue %d is free and holds %d", k, empty.n())
		}
		if err := claim(k); err != nil {
			return err
		}
	}
	if none := s.none; none != emptyQueue || n+unused+len(s.free) != len(seen) || far != len(s.more) {
		return fmt.Errorf("%d queues of %d, %d of them free; none is %+v", n, len(seen), len(s.free), s.none)
	}
	return nil
}

// checkChunks checks that every chunk is in exactly one queue or free.
func checkChunks(w *Wheel) error {
	seen := make([]bool, max(w.madeChunks, 1))
	n := 1 // chunk 0
	walk := func(c uint32) error {
		if c == 0 || c >= w.madeChunks || seen[c] {
			return fmt.Errorf("chunk %d is in two places, or none", c)
		}
		seen[c] = true
		n++
		return nil
	}
	for i := range uint32(w.count()) {
		q := w.queue(i)
		for c := q.first; c != 0; c = w.chunk(c).next {
			if err := walk(c); err != nil {
				return err
			}
			if w.chunk(c) == q.end {
				break
			}
		}
	}
	for c := w.freeChunk; c != 0; c = w.chunk(c).next {
		if err := walk(c); err != nil {
			return err
		}
	}
	if n != len(seen) {
		return fmt.Errorf("%d chunks found of %d", n, len(seen))
	}
	return nil
}

// checkSlab checks the timers and the number of timers in each state.
func checkSlab(w *Wheel) error {
	var rests, free, gone int
	for i := uint32(1); uint64(i) < w.made; i++ {
		t := w.timer(i)
		switch t.state() {
		case resting:
			rests++
		case unused:
			free++
		case retired:
			gone++
			if t.gen != lastGeneration {
				return fmt.Errorf("timer %d retired at generation %d", i, t.gen)
			}
		}
		if t.gen < firstGeneration {
			return fmt.Errorf("timer %d: generation %d", i, t.gen)
		}
		if got, want := w.counts[i/16]>>(i%16*4)&15, uint64(t.stamp>>2&15); got != want {
			return fmt.Errorf("timer %d: the last bits of its count are %b, want %b", i, got, want)
		}
		set := int(i/64) < len(w.free.words[0]) && w.free.words[0][i/64]>>(i%64)&1 != 0 ||
			i/64 == w.free.from/64 && w.free.taken>>(i%64)&1 != 0
		if set != (t.state() == unused) {
			return fmt.Errorf("timer %d: state %d, free is %v", i, t.state(), set)
		}
	}
	if free != w.free.len() || gone != w.retiredTimers {
		return fmt.Errorf("%d free and %d retired, counted %d and %d", free, gone, w.free.len(), w.retiredTimers)
	}
	for k := 1; k < len(w.free.words); k++ {
		for i, word := range w.free.words[k-1] {
			if (word != 0) != (w.free.words[k][i/64]>>(i%64)&1 != 0) {
				return fmt.Errorf("free set: word %d of level %d is %b", i, k-1, word)
			}
		}
	}
	if s := w.Stats(); s.Waiting != w.Len() || s.Resting != rests || s.Dead != w.dead {
		return fmt.Errorf("Stats %+v, want %d waiting, %d resting, %d dead", s, w.Len(), rests, w.dead)
	}
	if t := *w.timer(0); t != (timer{}) {
		return fmt.Errorf("timer 0 was written to: %+v", t)
	}
	return nil
}
