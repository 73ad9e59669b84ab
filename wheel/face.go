package wheel

import "unsafe"

// Face describes one level of a Wheel. The counters of the slots suffice to create it, so no timer
// is read.
type Face struct {
	Unit   int64 // duration of one slot in ms; 0 if the duration overflows int64
	Rounds int   // number of rounds in Slots: 2 (the current and the next), or 1 on a shelf
	Hand   int   // the slot that contains the current time
	From   Time  // first instant of slot 0 of the current round
	// Slots contains the number of entries in each slot of the current round, followed by the
	// slots of the next round.
	Slots []int
}

// Levels returns the number of levels: the dial, seconds, minutes, hours and the shelves, which
// hold the timers due after the next half-day. Only the loop goroutine may call it.
func (w *Wheel) Levels() int { return shelf + w.shelves }

// Face describes a level. Level 0 is the dial, and [Wheel.Levels] - 1 is the last shelf. Face
// panics if level is out of range. The counters are appended to slots and returned in
// [Face.Slots]. The cost is one read for each slot of the level, at most 2,000.
//
// The counters include dead entries. A timer with a postponed deadline is counted in the
// slot where its entry waits. A timer that was removed or moved to an earlier deadline leaves a
// dead entry until the slot is opened or swept. [Wheel.Stats] returns the total number of dead
// entries. Only the loop goroutine may call Face.
func (w *Wheel) Face(level int, slots []int) Face {
	if level < 0 || level >= w.Levels() {
		panic("wheel: no such level")
	}
	f := &w.level[level]
	out := Face{Unit: int64(f.unit), Rounds: 2, Slots: slots}
	if level < shelf {
		out.Hand, out.From = int(w.hand(level)), f.from
	} else {
		low := (level - shelf) * shelfBits
		out.Rounds, out.Hand, out.From = 1, int(w.half>>low%shelfSlots), w.start(level, 0)
		if round := w.level[hours].round; round<<low>>low == round { // no overflow
			out.Unit = round << low
		}
	}
	for k := range uint32(out.Rounds) * f.size {
		out.Slots = append(out.Slots, int(w.queue(f.first+f.ring(k)).n()))
	}
	return out
}

// Stats describes the contents of a Wheel.
type Stats struct {
	Waiting int    // timers waiting for their deadline, as returned by Len
	Resting int    // timers that have fired and have not been moved or removed since
	Late    int    // entries in the late slot
	Dead    int    // entries whose timer was removed or moved to an earlier deadline
	Moved   uint64 // total number of entries moved down, visited by Next or swept since New
	Bytes   uint64 // memory of timers and slots, without the page index, which adds less than 1%
}

// Stats returns statistics about the Wheel. It costs one step for each page of 1,024 timers.
// Only the loop goroutine may call it.
func (w *Wheel) Stats() Stats {
	bytes := len(w.chunks)*pageChunks*int(unsafe.Sizeof(chunk{})) +
		len(w.slots)*int(unsafe.Sizeof(queue{})) +
		int(unsafe.Sizeof(Wheel{})) +
		cap(w.sorting.batch)*int(unsafe.Sizeof(ready{})) + (cap(w.sorting.keys)+cap(w.sorting.spare))*8
	for _, p := range w.pages {
		bytes += len(p) * int(unsafe.Sizeof(timer{}))
	}
	if s := w.sparse; s != nil {
		bytes += int(unsafe.Sizeof(*s)) + cap(s.number) + cap(s.free) + len(s.more)*(48+int(unsafe.Sizeof(queue{}))) + len(s.pages)*(8+int(unsafe.Sizeof(queuePage{})))
	}
	return Stats{
		Waiting: w.Len(),
		Resting: w.resting,
		Late:    int(w.queue(late).n()),
		Dead:    w.dead,
		Moved:   w.moved,
		Bytes:   uint64(bytes),
	}
}
