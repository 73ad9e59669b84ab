package engine

import (
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

// edition is a catalog that is in force, and the handlers as it numbers them. It never
// changes: a Reload puts another one in its place, while workers may still look into this
// one.
type edition struct {
	catalog  *buff.Catalog
	handlers []Handler // by buff.HandlerID
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
// Tick, so that no Tick is long; [Engine.Reloading] says how many owners are still to come.
// The order depends on nothing but the Ticks.
//
// It fails, and nothing changes, with [ErrLineage] if the catalog was not made from the
// present one, with [ErrUnknownHandler] naming all the handlers that Options.Handlers does
// not have, or with [ErrClosed]. It must not be called from a handler.
//
// Only the loop goroutine may call it. It costs O(definitions).
func (e *Engine) Reload(c *buff.Catalog) (ReloadReport, error) {
	e.enter("Reload")
	old := e.Catalog()
	switch {
	case e.closed:
		return ReloadReport{}, ErrClosed
	case c == nil || !c.Succeeds(old):
		return ReloadReport{}, ErrLineage
	}
	if err := errors.Join(e.opts.missing(c)...); err != nil {
		return ReloadReport{}, err
	}
	e.record.reload(c)
	e.tally.addLoop(e.loop.Events)
	report := e.compare(old, c)
	if c != old {
		e.ledger.reload(e.tally.lines, c)
		e.publish(c)
		e.sweep.begin(len(e.owners))
	}
	return report, nil
}

// publish puts a catalog into force.
func (e *Engine) publish(c *buff.Catalog) {
	names := c.Handlers()
	d := &edition{catalog: c, handlers: make([]Handler, len(names))}
	for i, name := range names {
		d.handlers[i] = e.opts.Handlers[name]
	}
	e.tally.know(c)
	for s := range c.All() {
		e.zonal = e.zonal || s.OnZone == buff.FateRemove
	}
	e.loop.Catalog = c
	e.ledger.auras.catalog = c
	e.edition.Store(d)
}

// handler returns the handler of that number. Any goroutine may call it.
func (e *Engine) handler(id buff.HandlerID) Handler {
	if id >= firstNamed {
		return e.named[id-firstNamed]
	}
	return e.edition.Load().handlers[id]
}

// version returns the version of a definition that is in force.
//
// Any goroutine may call it.
func (e *Engine) version(s *buff.Spec) (*buff.Spec, error) {
	now, ok := e.Catalog().Newest(s)
	switch {
	case s == nil:
		return nil, fmt.Errorf("%w: nil", ErrUnknownSpec)
	case !ok:
		return nil, fmt.Errorf("%w: %q", ErrUnknownSpec, s.ID)
	case now == nil:
		return nil, fmt.Errorf("%w: %q", ErrRemoved, s.ID)
	}
	return now, nil
}
