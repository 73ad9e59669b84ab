package wheel

// smooth moves a part of what is in the coming slots, so that nothing is left when the
// hand gets there: as much as frames of this length, in ms, need. What it comes to
// less than a whole entry is carried over, so that few entries are spread over all
// the frames there are and do not crowd into the first ones. A level that owes a single
// entry lets a finer one go first, for a frame: each of them may wait for memory.
func (w *Wheel) smooth(frame uint64) {
	busy := false
	for l := seconds; l <= shelf; l++ {
		f, n := &w.level[l], w.slots[w.coming[l]].n()
		if n == 0 {
			f.carry = 1<<32 - 1 // a single entry comes down at once
			continue
		}
		// The level below has the round that runs until the coming slot begins.
		left := uint64(w.level[l-1].last) - uint64(w.now)
		frames := min(left/frame, all-1) + 1 // that end before the border, with this one
		f.carry += uint64(n) << 32 / frames
		owed := min(f.carry>>32, (uint64(n)+frames-1)/frames)
		if owed == 0 || owed == 1 && busy && !f.waited && frames > 8 {
			f.waited = owed > 0
			continue
		}
		f.carry -= owed << 32
		f.waited, busy = false, true
		k := uint32(w.half+1) % shelfSlots
		if l < shelf {
			k = w.hand(l) + 1
		}
		w.pour(l, k, uint32(min(owed, all)))
	}
}
