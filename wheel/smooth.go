package wheel

// smooth moves a part of what is in the coming slots, so that nothing is left when the
// hand gets there: as much as frames of this length, in ms, need.
func (w *Wheel) smooth(frame uint64) {
	for l := seconds; l <= shelf; l++ {
		n := w.slots[w.coming[l]].n
		if n == 0 {
			continue
		}
		// The level below has the round that runs until the coming slot begins.
		left := uint64(w.level[l-1].last) - uint64(w.now)
		frames := uint32(min(left/frame, all-1)) + 1 // that end before the border, with this one
		k := uint32(w.half+1) % shelfSlots
		if l < shelf {
			k = w.hand(l) + 1
		}
		w.pour(l, k, (n-1)/frames+1)
	}
}
