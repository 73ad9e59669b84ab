package engine

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
)

// Moment returns the present on each of the clocks that buffs may live by: Options.Epoch
// and Options.Uptime plus the instant of the last Tick. A game that keeps blobs keeps the
// Uptime of the last one too, for the Options of its next start.
//
// Only the loop goroutine may call it.
func (e *Engine) Moment() buff.Moment {
	e.enter("Moment")
	return e.moment()
}

func (e *Engine) moment() buff.Moment {
	now := int64(e.now)
	// What is carried, and what was dropped, has passed in the world outside.
	passed := e.target.After(e.stats.Lost)
	return buff.Moment{Now: e.now, Wall: e.opts.Epoch.UnixMilli() + int64(passed), Uptime: e.opts.Uptime.Milliseconds() + now}
}

// Save returns a blob with all that an owner carries, to be kept and given to
// [Engine.Restore]; the owner stays as it is. Timeouts by function and handlers that were
// put off are not in it, nor is the owner's data. It fails with [ErrUnknownOwner],
// [ErrClosed], or [ErrBusy] if the owner is busy: its Set cannot be looked at.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Save(id buff.OwnerID) ([]byte, error) {
	e.enter("Save")
	o, err := e.present(id)
	if err != nil {
		return nil, err
	}
	if !e.idle(o) {
		return nil, fmt.Errorf("%w: %d", ErrBusy, id)
	}
	blob, _ := o.set.Save(nil, e.Catalog(), e.moment())
	return blob, nil
}

// Despawn lets an owner go and returns a blob with what it carried, for [Engine.Restore].
// All of that ends with the reason Unload, and no action of a definition follows. What is
// not in a blob is dropped; Stats.DroppedOnDespawn counts it. The id is free at once, and
// the owner's handles are worthless for ever.
//
// It fails with [ErrUnknownOwner], [ErrClosed], or [ErrBusy] if the owner is busy; nothing
// has happened then. What a busy owner will carry is not known before its handlers have
// returned: try again after the next Tick, or let it go without a blob by [Engine.Drop].
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Despawn(id buff.OwnerID) ([]byte, error) {
	e.enter("Despawn")
	e.record.begin(opDespawn, uint64(id))
	o, err := e.present(id)
	if err != nil {
		return nil, err
	}
	if !e.idle(o) {
		return nil, fmt.Errorf("%w: %d", ErrBusy, id)
	}
	blob, lost := o.set.Save(nil, e.Catalog(), e.moment())
	delete(e.byID, id)
	e.unload(o)
	e.stats.DroppedOnDespawn += uint64(lost)
	e.noteLoop()
	return blob, nil
}

// Drop lets an owner go without a blob: a creature that dies, a player who is busy and does
// not come back. It is otherwise as [Engine.Despawn]; its timeouts are dropped and counted.
//
// A busy owner goes when its turn has ended: what had come due, or was asked of it,
// before the Drop still happens, nothing that comes due later does, and its events
// follow then. Until then its handlers may use its data: a game that spawns the id
// again must give it other data.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Drop(id buff.OwnerID) error {
	e.enter("Drop")
	e.record.begin(opDrop, uint64(id))
	o, err := e.present(id)
	if err != nil {
		return err
	}
	delete(e.byID, id)
	if !e.idle(o) {
		o.leaving, o.left = true, e.now
		return nil
	}
	e.stats.DroppedOnDespawn += uint64(e.unload(o))
	e.noteLoop()
	return nil
}

// Restore is Spawn for an owner whose blob was kept: it carries again what it did, as if no
// time had passed but what the clock of each buff counts. A Restored or a Removed in the
// next frame tells what became of each; the Restoration sums it up. The id and the data may
// be others than those that the blob was made for.
//
// It fails as [Engine.Spawn] does, with buff.ErrBlob, or with buff.ErrFull if the blob has
// more buffs than Options.MaxBuffs. There is no such owner then, and nothing has happened.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Restore(id buff.OwnerID, data any, blob []byte) (buff.Restoration, error) {
	e.enter("Restore")
	e.record.begin(opRestore, uint64(id))
	e.record.blob(blob)
	o, err := e.newOwner(id, data)
	if err != nil {
		return buff.Restoration{}, err
	}
	r, err := o.set.Restore(e.turn(), e.moment(), blob, e.handlerID)
	if err != nil {
		e.free = append(e.free, o.number)
		return buff.Restoration{}, fmt.Errorf("engine: restore owner %d: %w", id, err)
	}
	e.ledger.noteRestored(e.loop.Events)
	e.admit(o)
	e.obey(o)
	e.noteLoop()
	return r, nil
}

// noteRestored notes what has come back with an owner: the youngest first, since each is
// older than all that the ledger has.
func (l *ledger) noteRestored(events []buff.Event) {
	from := len(l.changes)
	l.noteNew(events)
	back := l.changes[from:]
	slices.SortStableFunc(back, func(a, b change) int { return isBack(b) - isBack(a) })
	n := 0
	for n < len(back) && isBack(back[n]) == 1 {
		n++
	}
	slices.Reverse(back[:n])
}

func isBack(c change) int {
	if c.kind == buff.Restored {
		return 1
	}
	return 0
}

// handlerID finds the handler of a timeout that comes back.
func (e *Engine) handlerID(name string) (buff.HandlerID, bool) {
	h, ok := e.names[name]
	return h, ok
}

// present returns the owner of that id.
func (e *Engine) present(id buff.OwnerID) (*owner, error) {
	if e.closed {
		return nil, ErrClosed
	}
	if o := e.byID[id]; o != nil {
		return o, nil
	}
	return nil, fmt.Errorf("%w: %d", ErrUnknownOwner, id)
}
