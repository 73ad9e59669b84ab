package buff

import "github.com/bufftick/bufftick/wheel"

// entry is one thing due, at an instant, by rank and then by age.
type entry struct {
	at  wheel.Time
	key uint64 // rank in the two top bits, age below: their order at one instant
	ref Ref
}

func entryKey(r rank, age uint64) uint64 { return uint64(r)<<62 | age }

func (e entry) before(o entry) bool { return e.at < o.at || e.at == o.at && e.key < o.key }

// agenda is a binary heap of what an owner has due in the running turn.
//
// Invariant: no entry is before its parent, (i-1)/2.
type agenda []entry

func (a *agenda) push(e entry) {
	*a = append(*a, e)
	h := *a
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (a *agenda) pop() entry {
	h := *a
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*a = h
	for i := 0; ; {
		least, left := i, 2*i+1
		for child := left; child <= left+1 && child < len(h); child++ {
			if h[child].before(h[least]) {
				least = child
			}
		}
		if least == i {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
