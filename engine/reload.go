package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine/view"
)

// edition is a catalog that is in force, and the handlers as it numbers them. It never
// changes: a Reload puts another one in its place, while workers may still look into this
// one.
type edition struct {
	catalog  *buff.Catalog
	slow     bool           // it, or one before it, calls a handler that is not quick
	handlers []boundHandler // by buff.HandlerID - 1
}

// Reload puts another catalog into force, one that has been made from the present one, or
// from one that took its place, by buff.Catalog.Rebuild: catalog.Reload does so with files.
// It happens at once and as a whole: from here on all that is applied is applied as the new
// definitions say, also what is asked for with a *buff.Spec of an older catalog, and what
// has been asked for before and waits. A definition that is not there any more cannot be
// applied: [Engine.AddBuff] and [Inbox.AddBuff] fail with [ErrRemoved], and what handlers
// and definitions apply is Denied for the reason Reload.
//
// What runs already goes by buff.Spec.Reload, of the new version, or of its own if there is
// none. With keep it goes on as it is, until it is refreshed; a definition that is not there
// any more lives on until its last instance has ended. Migrate and end are carried out at
// the end of the following Ticks, by the numbers of the owners and some thousand buffs in a
// Tick, so that no Tick is long. The order depends on nothing but the Ticks.
//
// It fails, and nothing changes, with [ErrLineage] if the catalog was not made from the
// present one, with [ErrUnknownHandler] naming all the handlers that Options.Handlers does
// not have, or with [ErrClosed]. It must not be called from a handler.
//
// Only the loop goroutine may call it. It costs O(definitions).
func (e *Engine) Reload(c *buff.Catalog) (view.ReloadReport, error) {
	e.enter("Reload")
	old := e.Catalog()
	switch {
	case e.closed:
		return view.ReloadReport{}, ErrClosed
	case c == nil || !c.Succeeds(old):
		return view.ReloadReport{}, ErrLineage
	}
	if err := errors.Join(e.opts.missing(c)...); err != nil {
		return view.ReloadReport{}, err
	}
	e.record.reload(c)
	e.counters.addLoop(e.loop.Events)
	report := e.compare(old, c)
	if c != old {
		e.index.reload(e.counters.lineages, c)
		e.publish(c)
		e.sweep.begin(e.owners.len())
	}
	return report, nil
}

// publish puts a catalog into force.
func (e *Engine) publish(c *buff.Catalog) {
	names := c.Handlers()
	d := &edition{catalog: c, handlers: make([]boundHandler, len(names))}
	for i, name := range names {
		d.handlers[i] = e.opts.handler(name)
		d.slow = d.slow || !d.handlers[i].quick
	}
	if old := e.edition.Load(); old != nil {
		d.slow = d.slow || old.slow
	}
	e.counters.know(c)
	for s := range c.All() {
		e.zones.sheds = e.zones.sheds || s.OnZone == define.FateRemove
	}
	e.loop.Catalog = c
	e.index.auras.catalog = c
	e.edition.Store(d)
}

// handler returns the handler of that number. Any goroutine may call it.
func (e *Engine) handler(id buff.HandlerID) boundHandler {
	if id >= firstNamed {
		return e.named[id-firstNamed]
	}
	return e.edition.Load().handlers[id-1]
}

// version returns the version of a definition that is in force.
//
// Any goroutine may call it.
func (e *Engine) version(s *buff.Spec) (*buff.Spec, error) {
	now, ok := e.Catalog().Newest(s)
	switch {
	case s == nil:
		return nil, fmt.Errorf("%w: it is nil: Catalog.Lookup says which ID was meant", ErrUnknownSpec)
	case !ok:
		return nil, fmt.Errorf("%w: %q", ErrUnknownSpec, s.ID)
	case now == nil:
		return nil, fmt.Errorf("%w: %q", ErrRemoved, s.ID)
	}
	return now, nil
}

// sweep lets what runs follow a Reload, owner by owner.
type sweep struct {
	next   int   // the number of the owner to come
	left   int   // owners to come, busy ones that were passed over not counted
	missed []ref // were busy
	looked int   // buffs looked at in the last Tick
}

// What one Tick does of a sweep: it ends with the owner that reaches one of them.
const (
	sweepOwners = 1024
	sweepBuffs  = 4096
)

// begin has all owners looked at once more. It goes on where the sweep before was, so that
// one Reload after the other does not leave the same owners out for ever.
func (w *sweep) begin(owners int) { w.left = owners }

// goesOn reports whether it is not over.
func (w *sweep) goesOn() bool { return w.left > 0 || len(w.missed) > 0 }

// carryOver looks at some owners. Those who were busy come first, in the first Ticks that find
// them idle.
func (e *Engine) carryOver() {
	w := &e.sweep
	n, missed := 0, len(w.missed)
	for ; n < missed && n < sweepOwners && w.looked < sweepBuffs; n++ {
		if o := w.missed[n].alive(); o != nil {
			e.adoptBy(o)
		}
	}
	w.missed = slices.Delete(w.missed, 0, n)
	for n = 0; w.left > 0 && n < sweepOwners && w.looked < sweepBuffs; n++ {
		if w.next >= e.owners.len() {
			w.next = 0
		}
		if o := e.at(uint32(w.next)); o != nil {
			e.adoptBy(o)
		}
		w.next++
		w.left--
	}
}

// adoptBy lets the buffs of one owner follow.
func (e *Engine) adoptBy(o *owner) {
	w := &e.sweep
	if !e.idle(o) {
		w.missed = append(w.missed, o.ref())
		return
	}
	w.looked += o.set.Len()
	o.set.Adopt(e.turn(), e.now)
	e.obey(o)
	e.noteLoop()
	e.passOn()
}

// compare says in what a catalog differs from the one in force. The counters know how many
// instances run.
func (e *Engine) compare(old, c *buff.Catalog) (r view.ReloadReport) {
	add := func(s *buff.Spec, kind define.ChangeKind) {
		change := view.ReloadChange{SpecChange: define.SpecChange{ID: s.ID, Kind: kind}, Rule: s.Reload}
		if line := s.Lineage(); line < len(e.counters.lineages) {
			change.Live = e.counters.lineages[line].live
		}
		if kind == define.SpecRemoved && s.Reload == define.ReloadMigrate {
			change.Rule = define.ReloadKeep // there is nothing to follow
		}
		r.Changes = append(r.Changes, change)
	}
	for s := range c.All() {
		switch was := old.Spec(s.ID); {
		case was == nil:
			add(s, define.SpecAdded)
		case was.Revision() != s.Revision():
			add(s, define.SpecChanged)
		}
	}
	for s := range old.All() {
		if c.Spec(s.ID) == nil {
			add(s, define.SpecRemoved)
		}
	}
	slices.SortStableFunc(r.Changes, func(a, b view.ReloadChange) int { return cmp.Compare(a.ID, b.ID) })
	return r
}
