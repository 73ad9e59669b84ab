package watch

import (
	"errors"
	"fmt"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/bufftick/bufftick/buff"
)

const (
	quiet   = 100 * time.Millisecond // minimum time without events before a load
	longest = 500 * time.Millisecond // maximum delay of a load after the first event
)

// follower loads a folder again after events. It is confined to one goroutine.
type follower struct {
	out   chan Change
	waits *Change       // the last Change sent to `out`; nil if it is known to have been received
	base  *buff.Catalog // the last catalog that was received
	heard string        // text of the error that was received after `base`; "" if there is none

	quiet, longest time.Duration

	load  func(prev *buff.Catalog) (*buff.Catalog, error)
	heeds func(fsnotify.Event) bool
}

// follow runs until the channel `events` is closed, and then closes f.out.
func (f *follower) follow(events <-chan fsnotify.Event, errs <-chan error) {
	defer close(f.out)
	var first time.Time // time of the first event that has not been handled; zero for none
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
			case !errors.Is(err, fsnotify.ErrEventOverflow): // events were lost, so anything may have changed
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

// reload loads the folder and sends the result, unless the result has already been sent. If the
// channel still holds a change, reload first removes it, because the new catalog must be relative
// to the catalog that was received last.
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

// tell sends an error, unless the last change received was the same error or a change is waiting in
// the channel f.out.
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

// settle finds out whether the last change was received. If not, it removes the change from the
// channel.
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
