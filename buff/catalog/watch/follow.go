package watch

import (
	"errors"
	"fmt"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/bufftick/bufftick/buff"
)

const (
	quiet   = 100 * time.Millisecond // nothing must have happened for so long
	longest = 500 * time.Millisecond // but after so long it is loaded all the same
)

// follower loads a folder anew after events about it. It belongs to one goroutine.
type follower struct {
	out   chan Change
	waits *Change       // the last that was put into out, unless it is known to be taken
	base  *buff.Catalog // the last that was taken
	heard string        // the error that was taken since; "" for none

	quiet, longest time.Duration

	load  func(prev *buff.Catalog) (*buff.Catalog, error)
	heeds func(fsnotify.Event) bool
}

// follow works until events is closed, and closes out.
func (f *follower) follow(events <-chan fsnotify.Event, errs <-chan error) {
	defer close(f.out)
	var first time.Time // of the events that have not been looked after; zero: none
	look := time.NewTimer(0)
	defer look.Stop()
	for {
		select {
		case e, ok := <-events:
			switch {
			case !ok:
				return
			case !f.heeds(e):
				continue
			}
		case err, ok := <-errs:
			switch {
			case !ok:
				errs = nil
				continue
			case !errors.Is(err, fsnotify.ErrEventOverflow): // that one means: anything may have changed
				f.tell(fmt.Errorf("watch: %w", err))
				continue
			}
		case <-look.C:
			first = time.Time{}
			f.reload()
			continue
		}
		if first.IsZero() {
			first = time.Now()
		}
		look.Reset(min(f.quiet, f.longest-time.Since(first)))
	}
}

// reload loads the folder and hands out what has come of it, unless it is nothing new.
//
// What waits in out is taken back before: from here on nobody may take it, or what is
// loaded now would not be made from what was taken last.
func (f *follower) reload() {
	f.settle()
	next, err := f.load(f.base)
	switch {
	case err != nil:
		f.tell(err)
	case f.heard != "" || len(next.Changes()) > 0:
		f.put(Change{Catalog: next})
	}
}

// tell hands out an error, unless it was the last thing to be told, or something waits that
// is worth more.
func (f *follower) tell(err error) {
	if len(f.out) > 0 {
		return
	}
	f.settle()
	if f.heard != err.Error() {
		f.put(Change{Err: err})
	}
}

func (f *follower) put(c Change) {
	f.waits = &c
	f.out <- c
}

// settle finds out what has been taken, and takes back what has not.
func (f *follower) settle() {
	select {
	case <-f.out:
	default:
		if f.waits == nil {
			break
		}
		f.heard = ""
		if f.waits.Err != nil {
			f.heard = f.waits.Err.Error()
		} else {
			f.base = f.waits.Catalog
		}
	}
	f.waits = nil
}
