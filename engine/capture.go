package engine

import "github.com/bufftick/bufftick/buff"

// Attributes of a source are read where nobody can be changing them: by the loop while the
// source is home, and by a handler of the source itself.

// capture reads, for an application that is about to go to its owner, what is not known yet
// of the attributes of its source. They are good until the next capture. A source that is
// unknown or busy has none; the owner itself is asked where the application is carried out.
func (e *Engine) capture(to buff.OwnerID, a *buff.Application) {
	if newest, _ := e.Catalog().Newest(a.Spec); newest != nil {
		a.Spec = newest // it may have waited since before a Reload
	}
	if !a.Spec.Captures() || a.Source == to {
		return
	}
	set, _ := e.asked(a.Source) // nil if it cannot be asked
	e.captured = a.Capture(e.captured[:0], set, e.Catalog(), buff.SnapshotApply)
}

// captureMember is capture for those within an aura, which go by what the aura knows of its
// own source: that is what reads an aura's numbers too. The bearer is home.
func (e *Engine) captureMember(a *buff.Application, bearer *owner, b buff.Instance) {
	if !a.Spec.Captures() {
		return
	}
	x := &e.ledger.auras
	x.captured = a.Inherit(x.captured[:0], &bearer.set, b.Handle)
	if b.Source == bearer.id {
		x.captured = a.Capture(x.captured, &bearer.set, e.Catalog(), buff.SnapshotApply)
	}
}

// capture is the same for a handler that applies something. It reports whether the loop must
// deliver the application, even to the handler's own owner: nobody else can ask the source.
func (l *lane) capture(to buff.OwnerID, a *buff.Application) (byLoop bool) {
	switch {
	case !a.Spec.Captures():
		return false
	case a.Source != l.owner.id:
		return true
	case to != l.owner.id:
		l.lent.captured = a.Capture(l.lent.captured, &l.owner.set, l.turn.Catalog, buff.SnapshotCast)
	}
	return false
}
