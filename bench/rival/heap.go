package rival

import "container/heap"

// heaped keeps the earliest deadline of each buff in container/heap.
type heaped struct {
	game   *Game
	health []int64
	buffs  []heapBuff
	order  []int32 // the heap, whose elements are slots
	pushed int32   // the slot that the next Push adds
}

type heapBuff struct {
	next, end, due int64
	place          int32
}

func newHeap(g *Game) contender {
	return &heaped{game: g, buffs: make([]heapBuff, g.buffs), health: make([]int64, g.buffs/each+1)}
}

// Len implements heap.Interface, like the next four methods.
func (h *heaped) Len() int { return len(h.order) }

func (h *heaped) Less(i, j int) bool { return h.buffs[h.order[i]].due < h.buffs[h.order[j]].due }

func (h *heaped) Swap(i, j int) {
	h.order[i], h.order[j] = h.order[j], h.order[i]
	h.buffs[h.order[i]].place, h.buffs[h.order[j]].place = int32(i), int32(j)
}

// Push adds the slot in the field "pushed". It does not use its argument, because converting a slot
// to the type any would allocate.
func (h *heaped) Push(any) {
	h.buffs[h.pushed].place = int32(len(h.order))
	h.order = append(h.order, h.pushed)
}

// Pop removes the last element. It returns nil, because the caller already knows the slot.
func (h *heaped) Pop() any {
	h.order = h.order[:len(h.order)-1]
	return nil
}

func (h *heaped) add(slot int32, now, life int64) {
	b := &h.buffs[slot]
	b.end, b.next = now+life, never
	if h.game.pulses(slot) {
		b.next = now + h.game.load.Period
	}
	b.due = min(b.next, b.end)
	h.pushed = slot
	heap.Push(h, nil)
}

func (h *heaped) refresh(slot int32, now, life int64) {
	b := &h.buffs[slot]
	b.end = now + life
	if due := min(b.next, b.end); due != b.due {
		b.due = due
		heap.Fix(h, int(b.place))
	}
}

func (h *heaped) tick(now int64) {
	for len(h.order) > 0 {
		slot := h.order[0]
		b := &h.buffs[slot]
		if b.due > now {
			return
		}
		if b.next <= now && b.next <= b.end {
			h.health[slot/each]--
			h.game.pulse(slot, b.next)
			b.next += h.game.load.Period
		}
		if b.end <= now {
			heap.Pop(h)
			h.game.end(slot, b.end)
			continue
		}
		b.due = min(b.next, b.end)
		heap.Fix(h, 0)
	}
}
