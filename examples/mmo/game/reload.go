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

// follow has the folder of the definitions watched, if there is one and the game runs in
// real time: otherwise what happens must not depend on when a file was saved. It returns
// what ends that.
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

// reloader returns what loads the folder of the definitions when the page's Reload is
// pressed, nil if there is none. Any goroutine may call it: the loop adopts what it finds.
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

// carryOut does what the page asks for: the loop does it, between two frames, since the books
// must know of players whose time stands still. Any goroutine may call it.
func (l *loop) carryOut(c buff.Command) error { return l.give(order{cmd: &c}).err }

// give has the loop carry out an order.
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

// command carries out a command of the page.
func (l *loop) command(c buff.Command) error {
	if c.Verb == verb.Pause {
		l.pulses.pause(c.Owner, l.now)
	}
	if r := l.eng.Do(c); r.Err != nil {
		return r.Err
	}
	if c.Verb == verb.Resume {
		l.pulses.resume(c.Owner)
	}
	return nil
}

// order is a change, or a command, that somebody waits for.
type order struct {
	change watch.Change
	cmd    *buff.Command // in place of a change
	done   chan outcome
}

type outcome struct {
	report view.ReloadReport
	err    error
}

// reload takes new definitions over, between two frames, and tells what they have changed.
// Where something is wrong with them, it tells that, and the old ones stay.
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
		o.done <- outcome{report, err} // the page puts it into its history
		l.tell(report, err)
	default:
	}
}

func (l *loop) tell(report view.ReloadReport, err error) {
	line := fmt.Sprintf("%v: new buffs: %v", l.now, report)
	if err != nil {
		line = fmt.Sprintf("%v: the buffs stay as they are:\n%v", l.now, err)
	}
	l.status.above(l.status.to, line)
}

// exchange takes a change over.
func (l *loop) exchange(c watch.Change) (report view.ReloadReport, err error) {
	if c.Err == nil && !c.Catalog.Succeeds(l.eng.Catalog()) {
		// The page and whoever watches the folder have loaded it both, and the other was first.
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
