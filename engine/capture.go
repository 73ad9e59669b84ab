package engine

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// Attributes of a source are read where nobody can be changing them: by the loop while the
// source is idle, and by a handler of the source itself.

// capture reads, for an application that is about to go to its owner, what is not known yet
// of the attributes of its source. They are good until the next capture. A source that is not
// there has none; the owner itself is asked where the application is carried out.
//
// A source that is busy cannot be asked and is returned: the application goes by way of its
// mailbox, see viaSource.
func (e *Engine) capture(to buff.OwnerID, a *buff.Application) (busy *owner) {
	if newest, _ := e.Catalog().Newest(a.Spec); newest != nil {
		a.Spec = newest // it may have waited since before a Reload
	}
	if !a.Spec.Captures() || a.Source == to {
		return nil
	}
	var set *buff.Set // nil: there is nobody to be asked
	if o := e.ownerOf(a.Source); o != nil {
		if !e.idle(o) && a.Unknown() {
			return o
		}
		set = &o.set
	}
	e.captured = a.Capture(e.captured[:0], set, e.Catalog(), define.SnapshotApply)
	return nil
}

// viaSource lets an application wait for its source, which is busy: as a command in the
// mailbox of the source, behind what is due for it by now. Its worker then reads what the
// application wants, and it goes on from there as if a handler of the source had sent it.
func (e *Engine) viaSource(source *owner, c *buff.Command) buff.Result {
	if e.closed {
		return buff.Result{Err: ErrClosed}
	}
	return e.queue(source, c, true)
}

// fromSource is the worker's side of viaSource.
func (l *workerState) fromSource(o *owner, m *message) {
	c := outgoing{at: m.at, from: o.id(), cmd: *m.cmd}
	a := &c.cmd.Application
	if newest, _ := l.turn.Catalog.Newest(a.Spec); newest != nil {
		a.Spec = newest
	}
	l.lent.captured = a.Capture(l.lent.captured, &o.set, l.turn.Catalog, define.SnapshotApply)
	l.passOn()
	l.outbox = append(l.outbox, c)
}

// captureMember is capture for those within an aura, which go by what the aura knows of its
// own source: that is what reads an aura's numbers too. The bearer is idle.
func (e *Engine) captureMember(a *buff.Application, bearer *owner, b buff.Instance) {
	if !a.Spec.Captures() {
		return
	}
	x := &e.index.auras
	x.captured = a.Inherit(x.captured[:0], &bearer.set, b.Handle)
	if b.Source == bearer.id() {
		x.captured = a.Capture(x.captured, &bearer.set, e.Catalog(), define.SnapshotApply)
	}
}

// capture is the same for a handler that applies something. It reports whether the loop must
// deliver the application, even to the handler's own owner: nobody else can ask the source.
func (l *workerState) capture(to buff.OwnerID, a *buff.Application) (byLoop bool) {
	switch {
	case !a.Spec.Captures():
		return false
	case a.Source != l.owner.id():
		return true
	case to != l.owner.id():
		l.lent.captured = a.Capture(l.lent.captured, &l.owner.set, l.turn.Catalog, define.SnapshotCast)
	}
	return false
}
