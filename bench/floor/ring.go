package floor

// ring keeps one entry for each owner that is due within its 65 s, by steps of 16 ms. Who is due
// later comes up at the ring's end, and is filed anew. An entry is not taken out when it is no longer
// right: the owner's header says which one is.
type ring struct {
	now   uint32 // the step that was worked off to this instant
	slots [steps][]entry
}

type entry struct{ owner, due uint32 }

const (
	steps    = 1 << 12
	stepBits = 4
)

// add files an owner.
func (r *ring) add(owner, due uint32) {
	if due == far {
		return
	}
	step := min(max(due, r.now)>>stepBits, r.now>>stepBits+steps-1)
	slot := &r.slots[step&(steps-1)]
	*slot = append(*slot, entry{owner, due})
}

// advance appends the owners who are due by now, each once.
func (r *ring) advance(w *World, now uint32, ready []uint32) []uint32 {
	from, to := r.now>>stepBits, now>>stepBits
	r.now = now
	for step := from; step <= to; step++ {
		slot := &r.slots[step&(steps-1)]
		list := *slot
		*slot = nil // what is filed meanwhile goes elsewhere, or behind
		seen := uint32(0)
		for k := range list { // the headers of all, at once
			seen += w.owners.at(list[k].owner).filed
		}
		w.seen += uint64(seen)
		kept := list[:0]
		for _, e := range list {
			h := w.owners.at(e.owner)
			switch {
			case h.filed != e.due: // an older entry
			case e.due > now && e.due>>stepBits == step:
				kept = append(kept, e)
			case e.due > now: // from beyond the ring
				r.add(e.owner, e.due)
			default:
				if h.filed = h.earliest(); h.filed > now { // it was moved later
					r.add(e.owner, h.filed)
				} else {
					h.filed = 0 // until its turn is over nothing is filed
					ready = append(ready, e.owner)
				}
			}
		}
		r.back(slot, kept)
	}
	return ready
}

// back puts what is left in a slot, and its memory, behind what has come to it meanwhile.
func (r *ring) back(slot *[]entry, kept []entry) {
	*slot = append(kept, *slot...)
}
