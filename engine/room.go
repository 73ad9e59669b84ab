package engine

import (
	"errors"
	"fmt"
	"iter"

	"github.com/bufftick/bufftick/buff"
)

// roomFor fails with ErrOverloaded if the events of the loop's calls have reached EventLimit.
// What a call leads to may go beyond it, by no more than what its owners carry.
func (e *Engine) roomFor(what string, id uint64) error {
	if e.closed || len(e.loop.Events) < e.opts.EventLimit {
		return nil // a closed engine has another error
	}
	e.stats.Refused++
	return fmt.Errorf("%w: %s %d, %d events for the next Frame", ErrOverloaded, what, id, e.opts.EventLimit)
}

// roomForAll is roomFor for a call that makes up to n events for many owners, and must not do
// half of it: it is refused if they have no room beside what there is, and if one of the owners
// is busy and has none in its mailbox.
func (e *Engine) roomForAll(n int, what string, id uint64, owners iter.Seq[*owner]) error {
	if err := e.roomFor(what, id); err != nil {
		return err
	}
	if there := len(e.loop.Events); there > 0 && there+n > e.opts.EventLimit {
		e.stats.Refused++
		return fmt.Errorf("%w: %s %d, %d events more, and there is room for %d", ErrOverloaded, what, id, n, e.opts.EventLimit-there)
	}
	for o := range owners {
		if !e.idle(o) && int(o.handed+o.late) >= e.opts.MailboxLimit {
			return e.overload(o, e.opts.MailboxLimit, "commands, since it is busy").Err
		}
	}
	return nil
}

// all yields the owners that are there, by number.
func (e *Engine) all(yield func(*owner) bool) {
	for k := range e.owners {
		o := e.owners[k].owner
		if o != nil && !o.leaving && !yield(o) {
			return
		}
	}
}

// restoreRoom gives a Restore the room that there is.
func (e *Engine) restoreRoom() *buff.Turn {
	t := e.turn()
	t.MostEvents, t.MostCalls = e.opts.EventLimit-len(e.loop.Events), e.opts.HandlerLimit
	return t
}

// overfull makes of an error of Set.Restore one of the engine.
func (e *Engine) overfull(id buff.OwnerID, err error) error {
	if errors.Is(err, buff.ErrRoom) {
		e.stats.Refused++
		return fmt.Errorf("%w: restore owner %d: %w", ErrOverloaded, id, err)
	}
	return fmt.Errorf("engine: restore owner %d: %w", id, err)
}
