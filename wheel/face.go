package wheel

import "unsafe"

// Face shows one level of a Wheel. All of it is kept as counters: no timer is looked
// at.
type Face struct {
	Unit   int64 // what one slot stands for, in ms; 0 if beyond the range
	Rounds int   // 2: the running one and the next; a shelf has 1
	Hand   int   // the slot in which now lies
	From   Time  // the first instant of slot 0 of the running round
	// Slots says how many entries each slot holds, those of the running round first.
	Slots []int
}

// Levels returns how many levels there are: the dial, the seconds, the minutes, the
// hours, and the shelves. Only the loop goroutine may call it.
func (w *Wheel) Levels() int { return shelf + w.shelves }

// Face shows a level, 0 being the dial and [Wheel.Levels] - 1 the last shelf; it
// panics if there is no such level. The counters are appended to slots and returned
// in [Face.Slots]. It costs a look at each counter of the level, 2,000 at most.
//
// A counter is exact but for the living and the dead: it counts the entries that wait
// in the slot. A timer whose deadline was raised counts where its entry waits; one that
// was removed or moved forward leaves a dead entry, until the slot is opened or swept.
// [Wheel.Stats] says how many are dead in all. Only the loop goroutine may call it.
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
		if round := w.level[hours].round; round<<low>>low == round { // no bit is lost, nor does one become the sign
			out.Unit = round << low
		}
	}
	for k := range uint32(out.Rounds) * f.size {
		out.Slots = append(out.Slots, int(w.queue(f.first+f.ring(k)).n()))
	}
	return out
}

// Stats says what a Wheel holds.
type Stats struct {
	Waiting int    // timers that wait: Len
	Resting int    // timers that fired and were neither moved nor removed
	Late    int    // entries in the late slot
	Dead    int    // entries that stand for no timer any more
	Moved   uint64 // entries brought down a level, looked at by Next, or swept so far: the work beside firing
	Bytes   uint64 // memory of the slabs and the slots; what finds a place in them is less than a hundredth more
}

// Stats costs a look at each page of 1,024 timers. Only the loop goroutine may call it.
func (w *Wheel) Stats() Stats {
	bytes := len(w.chunks)*pageChunks*int(unsafe.Sizeof(chunk{})) +
		len(w.slots)*int(unsafe.Sizeof(queue{})) +
		int(unsafe.Sizeof(Wheel{})) +
		cap(w.sorting.batch)*int(unsafe.Sizeof(ready{})) + (cap(w.sorting.keys)+cap(w.sorting.spare))*8
	for _, p := range w.pages {
		bytes += len(p) * int(unsafe.Sizeof(timer{}))
	}
	if s := w.few; s != nil {
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
