package game

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/catalog/watch"
	"github.com/bufftick/bufftick/engine"
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

// reload takes new definitions over, between two frames, and tells what they have changed.
// Where something is wrong with them, it tells that, and the old ones stay.
func (l *loop) reload() {
	select {
	case c := <-l.changes:
		l.status.clear()
		fmt.Fprintln(l.status.to, l.adopt(c))
	default:
	}
}

// adopt takes a change over and returns what there is to tell.
func (l *loop) adopt(c watch.Change) string {
	report, err := l.exchange(c)
	l.watch.reloaded(report, err)
	if err != nil {
		return fmt.Sprintf("%v: the buffs stay as they are:\n%v", l.now, err)
	}
	return fmt.Sprintf("%v: new buffs: %v", l.now, report)
}

func (l *loop) exchange(c watch.Change) (report engine.ReloadReport, err error) {
	if c.Err != nil {
		return report, c.Err
	}
	if _, err := newBook(c.Catalog); err != nil {
		return report, err
	}
	return l.eng.Reload(c.Catalog)
}
