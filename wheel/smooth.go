package wheel

// smooth moves a part of what is in the coming slots, so that nothing is left when the
// hand gets there: as much as frames of this length, in ms, need. What it comes to
// less than a whole entry is carried over, so that few entries are spread over all
// the frames there are and do not crowd into the first ones. turned says that a second
// began in this frame.
func (w *Wheel) smooth(frame uint64, turned bool) {
	moved := uint64(0)
	for l := seconds; l <= shelf; l++ {
		f, n := &w.level[l], w.queue(w.coming[l]).n()
		if n == 0 {
			f.carry = 1<<32 - 1 // a single entry comes down at once
			continue
		}
		// The level below has the round that runs until the coming slot begins.
		left := uint64(w.level[l-1].last) - uint64(w.now)
		frames := min(left/frame, all-1) + 1 // that end before the border, with this one
		f.carry += uint64(n) << 32 / frames
		whole, odd := uint64(n)/frames, uint64(n)%frames > 0
		owed := f.carry >> 32
		switch {
		case owed <= whole:
		case odd && (n == 1 || !f.mayWait(frames, moved+whole, turned, l-seconds)):
			owed, f.waited = whole+1, 0
		default:
			owed = whole
		}
		f.carry = min(f.carry-owed<<32, 2<<32)
		if w.most > 0 {
			owed = min(owed, w.most) // NextWithin brings down the others
		}
		if owed == 0 {
			continue
		}
		moved += owed
		k := uint32(w.half+1) % shelfSlots
		if l < shelf {
			k = w.hand(l) + 1
		}
		w.pour(l, k, uint32(min(owed, all)))
	}
}

// mayWait reports whether the odd entry that a level owes can wait for another frame. Each
// may have to wait for memory: so levels take turns, finer ones first, and none
// comes on top of the turn of the hands. What waits is in the share of the frames left.
func (f *level) mayWait(frames, moved uint64, turned bool, most int) bool {
	switch {
	case frames > 8 && turned, frames > 256 && moved >= 3:
		return true
	case frames > 8 && moved > 0 && f.waited < most:
		f.waited++
		return true
	}
	return false
}
