package wheel

// smooth moves a part of what is in the coming slots, so that nothing is left when the
// hand gets there: as much as frames of this length, in ms, need. What it comes to
// less than a whole entry is carried over, so that few entries are spread over all
// the frames there are and do not crowd into the first ones.
func (w *Wheel) smooth(frame uint64) {
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
		n = uint32(min(f.carry>>32, all))
		f.carry &= 1<<32 - 1
		if n == 0 {
			continue
		}
		k := uint32(w.half+1) % shelfSlots
		if l < shelf {
			k = w.hand(l) + 1
		}
		w.pour(l, k, n)
	}
}
