package engine

// sweep lets what runs follow a Reload, owner by owner.
type sweep struct {
	next   int      // the number of the owner to come
	left   int      // owners to come, busy ones that were passed over not counted
	missed []*owner // were busy
	looked int      // buffs looked at in the last Tick
}

// What one Tick does of a sweep: it ends with the owner that reaches one of them.
const (
	sweepOwners = 1024
	sweepBuffs  = 4096
)

// begin has all owners visited once more. It goes on where the sweep before was, so that
// one Reload after the other does not leave the same owners out for ever.
func (w *sweep) begin(owners int) { w.left = owners }

// Reloading returns how many owners are still to be visited after a Reload: until it is
// zero, some instances may run that a definition with the reload migrate or end does not
// want any more.
//
// Only the loop goroutine may call it.
func (e *Engine) Reloading() int {
	e.enter("Reloading")
	return e.sweep.left + len(e.sweep.missed)
}

// carryOver visits some owners. Those who are busy are visited in the first Tick that finds
// them home.
func (e *Engine) carryOver() {
	w := &e.sweep
	w.looked = 0
	if len(w.missed) > 0 {
		missed := w.missed
		w.missed = w.missed[:0]
		for _, o := range missed {
			if e.at(o.number) == o {
				e.visit(o)
			}
		}
		clear(missed[len(w.missed):])
	}
	for n := 0; w.left > 0 && n < sweepOwners && w.looked < sweepBuffs; n++ {
		if w.next >= len(e.owners) {
			w.next = 0
		}
		if o := e.at(uint32(w.next)); o != nil {
			e.visit(o)
		}
		w.next++
		w.left--
	}
}

// visit lets the buffs of one owner follow.
func (e *Engine) visit(o *owner) {
	w := &e.sweep
	if !e.idle(o) {
		w.missed = append(w.missed, o)
		return
	}
	w.looked += o.set.Len()
	o.set.Adopt(e.turn(), e.now)
	e.obey(o)
	e.noteLoop()
	e.passOn()
}
