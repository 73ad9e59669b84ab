package game

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/catalog/watch"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
)

// follow watches the folder of definitions, if there is one, and returns a function that ends the
// watch. At speed max it watches nothing, because the course of such a game must not depend on the
// time at which a file is saved.
func (l *loop) follow() (stop func() error, err error) {
	if l.buffs == "" || l.speed == 0 {
		return func() error { return nil }, nil
	}
	w, err := watch.Folder(l.buffs, l.eng.Catalog())
	if err != nil {
		return nil, err
	}
	l.changes = w.Changes()
	return w.Close, nil
}

// reloader returns the function for the Reload button of the page. The function loads the folder of
// definitions and makes the loop use them. Any goroutine may call the function. If there is no
// folder, "reloader" returns nil.
func (l *loop) reloader() func() (any, error) {
	if l.buffs == "" {
		return nil
	}
	return func() (any, error) {
		cat, err := catalog.Reload(l.eng.Catalog(), l.buffs)
		r := l.give(order{change: watch.Change{Catalog: cat, Err: err}})
		return r.report, r.err
	}
}

// execute runs a command from the page, and returns the error of the command. The command runs on
// the loop, between two frames, because the check of pulses must know which players are paused. Any
// goroutine may call "execute".
func (l *loop) execute(c buff.Command) error { return l.give(order{cmd: &c}).err }

// give makes the loop execute an order and waits for the result. If the game ends first, the result
// is engine.ErrClosed.
func (l *loop) give(o order) outcome {
	o.done = make(chan outcome, 1)
	select {
	case l.orders <- o:
	case <-l.over:
		return outcome{err: engine.ErrClosed}
	}
	select {
	case r := <-o.done:
		return r
	case <-l.over:
		return outcome{err: engine.ErrClosed}
	}
}

// command executes a command from the page.
func (l *loop) command(c buff.Command) error {
	if c.Verb == verb.Pause {
		l.pulses.pause(c.Owner, l.now)
	}
	if err := l.eng.Do(c).Err(); err != nil {
		return err
	}
	if c.Verb == verb.Resume {
		l.pulses.resume(c.Owner)
	}
	return nil
}

// order is a change of the definitions or a command, which the loop executes. The sender waits for
// the result.
type order struct {
	change watch.Change
	cmd    *buff.Command // if not nil, the order is this command; otherwise it is the change
	done   chan outcome
}

type outcome struct {
	report view.ReloadReport
	err    error
}

// reload runs between two frames. If the definitions have changed or an order has been sent, it
// replaces the definitions or executes the order. It prints the changes of the definitions. If the
// new definitions have errors, it prints the errors and keeps the old definitions.
func (l *loop) reload() {
	select {
	case c := <-l.changes:
		report, err := l.exchange(c)
		l.watch.reloaded(report, err)
		l.tell(report, err)
	case o := <-l.orders:
		if o.cmd != nil {
			o.done <- outcome{err: l.command(*o.cmd)}
			return
		}
		report, err := l.exchange(o.change)
		o.done <- outcome{report, err} // the page shows the outcome in its history
		l.tell(report, err)
	default:
	}
}

func (l *loop) tell(report view.ReloadReport, err error) {
	line := fmt.Sprintf("%v: definitions reloaded: %v", l.now, report)
	if err != nil {
		line = fmt.Sprintf("%v: reload failed, definitions unchanged:\n%v", l.now, err)
	}
	l.status.above(l.status.to, line)
}

// exchange replaces the definitions.
func (l *loop) exchange(c watch.Change) (report view.ReloadReport, err error) {
	if c.Err == nil && !c.Catalog.Succeeds(l.eng.Catalog()) {
		// Another reload, by the page or by the watcher, has replaced the catalog in the meantime.
		// Load the folder again, as a successor of the current catalog.
		c.Catalog, c.Err = catalog.Reload(l.eng.Catalog(), l.buffs)
	}
	if c.Err != nil {
		return report, c.Err
	}
	if _, err := newBook(c.Catalog); err != nil {
		return report, err
	}
	return l.eng.Reload(c.Catalog)
}
