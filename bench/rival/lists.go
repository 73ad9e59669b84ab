package rival

// listFrames is the number of lists. With one list per frame of 50 ms, a deadline must be less than
// 36 minutes ahead. With one list per second, the lists cover 12 h.
const listFrames = 43_200

// lists keeps one list for each future frame.
type lists struct {
	game   *Game
	health []int64
	slots  [listFrames][]int32
	buffs  []listed
}

type listed struct {
	next, end int64
	due       int64 // the earlier of next and end, which determines the list of the buff
	place     int32 // index of the buff in its list
}

func newLists(g *Game) contender {
	return &lists{game: g, buffs: make([]listed, g.buffs), health: make([]int64, g.buffs/each+1)}
}

func (l *lists) put(slot int32) {
	b := &l.buffs[slot]
	b.due = min(b.next, b.end)
	list := &l.slots[b.due/frame%listFrames]
	b.place = int32(len(*list))
	*list = append(*list, slot)
}

func (l *lists) take(slot int32) {
	b := &l.buffs[slot]
	list := &l.slots[b.due/frame%listFrames]
	last := (*list)[len(*list)-1]
	(*list)[b.place] = last
	l.buffs[last].place = b.place
	*list = (*list)[:len(*list)-1]
}

func (l *lists) add(slot int32, now, life int64) {
	b := &l.buffs[slot]
	b.end, b.next = now+life, never
	if l.game.pulses(slot) {
		b.next = now + l.game.load.Period
	}
	l.put(slot)
}

func (l *lists) refresh(slot int32, now, life int64) {
	b := &l.buffs[slot]
	b.end = now + life
	if min(b.next, b.end) != b.due {
		l.take(slot)
		l.put(slot)
	}
}

func (l *lists) tick(now int64) {
	list := &l.slots[now/frame%listFrames]
	due := *list
	*list = nil
	for _, slot := range due {
		b := &l.buffs[slot]
		if b.next <= now && b.next <= b.end {
			l.health[slot/each]--
			l.game.pulse(slot, b.next)
			b.next += l.game.load.Period
		}
		if b.end <= now {
			l.game.end(slot, b.end)
			continue
		}
		l.put(slot)
	}
	*list = due[:0] // no buff was added to this list meanwhile: no deadline is 43,200 frames ahead
}
