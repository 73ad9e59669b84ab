package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/rules"
)

// edition is a catalog together with the handlers that its definitions call. It is immutable,
// because workers may still use it after a Reload has replaced it.
type edition struct {
	catalog  *buff.Catalog
	slow     bool           // this catalog, or an earlier one, calls a handler that may block
	handlers []boundHandler // by define.HandlerID - 1
}

// Reload replaces the catalog with a new version. The new version must have been made by
// buff.Catalog.Rebuild from the present catalog, directly or in several steps; catalog.Reload makes
// it from files. The Reload takes effect at once and as a whole: all later applications use the new
// definitions. This includes applications that name a *buff.Spec of an older catalog, and
// applications that were queued before the Reload. A definition that has been removed cannot be
// applied: [Engine.AddBuff] and [Inbox.AddBuff] fail with [ErrRemoved], and applications by
// handlers and definitions are Denied for the reason Reload.
//
// buff.Spec.Reload decides what happens to running buffs; the setting is taken from the new version
// of the definition or, if the definition was removed, from the buff's own version. With "keep", a
// buff keeps its version until it is refreshed, and a removed definition stays in use until its
// last instance has ended. "migrate" and "end" are applied at the end of the following Ticks, in
// the order of owner numbers and to some thousand buffs per Tick, so that no Tick is long. The Tick
// in which a buff is converted does not depend on the speed of the machine.
//
// Reload fails, without any change, with [ErrLineage] if the catalog was not made from the present
// one, with [ErrUnknownHandler] if handlers are missing (the error names them all), or with
// [ErrClosed]. It must not be called from a handler.
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
		e.sweep.start(e.owners.len())
	}
	return report, nil
}

// publish makes a catalog the current catalog.
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
	e.counters.addCatalog(c)
	for s := range c.All() {
		e.areas.endBuffs = e.areas.endBuffs || s.OnArea == define.FateRemove
		e.readsSources = e.readsSources || rules.Rereads(s)
	}
	if e.readsSources {
		e.loop.Source = e.idleSet
	}
	e.loop.Catalog = c
	e.index.auras.catalog = c
	e.edition.Store(d)
}

// handler returns the handler with the given id. Any goroutine may call it.
func (e *Engine) handler(id define.HandlerID) boundHandler {
	if id >= firstNamed {
		return e.named[id-firstNamed]
	}
	return e.edition.Load().handlers[id-1]
}

// version returns the current version of a definition.
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

// sweep applies a Reload to the running buffs, owner by owner, in several Ticks.
type sweep struct {
	next    int   // number of the next owner
	left    int   // number of owners left, without the owners in `missed`
	missed  []ref // owners that were skipped because they were busy
	visited int   // number of buffs visited in this Tick
}

// Limits of a sweep in one Tick. When the sweep reaches either limit, it finishes the current owner
// and stops.
const (
	sweepOwners = 1024
	sweepBuffs  = 4096
)

// start begins a new pass over all owners. The pass starts where the last one stopped. Otherwise
// frequent Reloads would always skip the same owners.
func (w *sweep) start(owners int) { w.left = owners }

// unfinished reports whether there are owners left to process.
func (w *sweep) unfinished() bool { return w.left > 0 || len(w.missed) > 0 }

// continueSweep processes some owners. Owners that were skipped because they were busy come first.
// If an owner is still busy, it is skipped again.
func (e *Engine) continueSweep() {
	w := &e.sweep
	n, missed := 0, len(w.missed)
	for ; n < missed && n < sweepOwners && w.visited < sweepBuffs; n++ {
		if o := w.missed[n].alive(); o != nil {
			e.adoptOwner(o)
		}
	}
	w.missed = slices.Delete(w.missed, 0, n)
	for n = 0; w.left > 0 && n < sweepOwners && w.visited < sweepBuffs; n++ {
		if w.next >= e.owners.len() {
			w.next = 0
		}
		if o := e.at(uint32(w.next)); o != nil {
			e.adoptOwner(o)
		}
		w.next++
		w.left--
	}
}

// adoptOwner applies the Reload to the buffs of one owner.
func (e *Engine) adoptOwner(o *owner) {
	w := &e.sweep
	if !e.idle(o) {
		w.missed = append(w.missed, o.ref())
		return
	}
	w.visited += o.set.Len()
	e.refreshSources(o)
	o.set.Adopt(e.turn(), e.now)
	e.fileDeadlines(o)
	e.indexLoopEvents()
	e.deliverOutbox()
}

// compare lists the differences between two catalogs, with the numbers of affected instances.
func (e *Engine) compare(old, c *buff.Catalog) (r view.ReloadReport) {
	add := func(s *buff.Spec, kind define.ChangeKind) {
		change := view.ReloadChange{SpecChange: define.SpecChange{ID: s.ID, Kind: kind}, Rule: s.Reload}
		if line := s.Lineage(); line < len(e.counters.lineages) {
			change.Live = e.counters.lineages[line].live
		}
		if kind == define.SpecRemoved && s.Reload == define.ReloadMigrate {
			// A removed definition has no newer version to migrate to.
			change.Rule = define.ReloadKeep
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
