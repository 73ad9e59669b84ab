package wheel

import "math/bits"

// mark notes that a slot, given by its place in the ring, is no longer empty.
func (w *Wheel) mark(f *level, at uint32) {
	half := 0
	if at >= f.size {
		half, at = 1, at-f.size
	}
	if f == &w.level[dial] {
		w.dial[half][at/64] |= 1 << (at % 64)
		at /= 64
	}
	f.occupied[half] |= 1 << at
}

// unmark notes that a slot has become empty.
func (w *Wheel) unmark(f *level, at uint32) {
	half := 0
	if at >= f.size {
		half, at = 1, at-f.size
	}
	if f == &w.level[dial] {
		w.dial[half][at/64] &^= 1 << (at % 64)
		at /= 64
		if w.dial[half][at] != 0 {
			return
		}
	}
	f.occupied[half] &^= 1 << at
}

// holds reports whether a level holds an entry.
func (f *level) holds() bool { return f.occupied[0]|f.occupied[1] != 0 }

// firstFrom returns the first slot that is not empty, in order of time, from the
// k-th on: counted from the start of the running round, on a shelf its digit.
func (w *Wheel) firstFrom(l int, k uint32) (uint32, bool) {
	f := &w.level[l]
	half := 0
	if f.shift != 0 {
		half = 1
	}
	for round := range uint32(2) {
		if at := max(k, round*f.size) - round*f.size; at < f.size {
			if s, ok := w.firstIn(l, half, at); ok {
				return s + round*f.size, true
			}
		}
		half ^= 1
	}
	return 0, false
}

// firstIn looks in one half of a ring, from its slot at on.
func (w *Wheel) firstIn(l, half int, at uint32) (uint32, bool) {
	f := &w.level[l]
	if l != dial {
		m := f.occupied[half] >> at << at
		return uint32(bits.TrailingZeros64(m)), m != 0
	}
	word := at / 64
	if m := w.dial[half][word] >> (at % 64) << (at % 64); m != 0 {
		return word*64 + uint32(bits.TrailingZeros64(m)), true
	}
	m := f.occupied[half] >> (word + 1) << (word + 1)
	if m == 0 {
		return 0, false
	}
	word = uint32(bits.TrailingZeros64(m))
	return word*64 + uint32(bits.TrailingZeros64(w.dial[half][word])), true
}
