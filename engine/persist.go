package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/recording"
	"github.com/bufftick/bufftick/wheel"
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
	passed := e.target.After(e.stats.Lost).After(e.stats.LostAtClose)
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
	return e.appendSave(nil, id)
}

// appendSave is Save, appended to dst: it allocates nothing if that has the room. With
// an error it returns dst as it was.
func (e *Engine) appendSave(dst []byte, id buff.OwnerID) ([]byte, error) {
	o, err := e.present(id)
	if err != nil {
		return dst, err
	}
	if !e.idle(o) {
		return dst, &ownerError{ErrBusy, id}
	}
	blob, _ := o.set.Save(dst, e.Catalog(), e.moment(), o.zone)
	return blob, nil
}

// Despawn lets an owner go and returns a blob with what it carried, for [Engine.Restore].
// All of that ends with the reason Unload, and no action of a definition follows. What is
// not in a blob is dropped; Stats.DroppedOnDespawn counts it. The id is free at once, and
// the owner's handles are worthless for ever.
//
// It fails with [ErrUnknownOwner], [ErrClosed], or [ErrBusy] if the owner is busy; nothing
// has happened then. What a busy owner will carry is not known before its handlers have
// returned: try again after the next Tick, or let it go without a blob by [Engine.Drop]. So it
// is with [ErrOverloaded], after Options.Limits.Events events in one frame.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Despawn(id buff.OwnerID) ([]byte, error) {
	e.enter("Despawn")
	e.record.begin(recording.Despawn, uint64(id))
	o, err := e.present(id)
	if err != nil {
		return nil, err
	}
	if !e.idle(o) {
		return nil, &ownerError{ErrBusy, id}
	}
	if err := e.roomFor("owner", uint64(id)); err != nil {
		return nil, err
	}
	blob, lost := o.set.Save(nil, e.Catalog(), e.moment(), o.zone)
	e.leave(o)
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
// It fails with [ErrUnknownOwner], [ErrClosed] or, for one who is not busy and after
// Options.Limits.Events events in one frame, [ErrOverloaded]; nothing has happened then.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Drop(id buff.OwnerID) error {
	e.enter("Drop")
	e.record.begin(recording.Drop, uint64(id))
	o, err := e.present(id)
	if err != nil {
		return err
	}
	if !e.idle(o) {
		e.leave(o)
		e.enlist(o)
		o.presence, o.came = leaving, e.now
		return nil
	}
	if err := e.roomFor("owner", uint64(id)); err != nil {
		return err
	}
	e.leave(o)
	e.stats.DroppedOnDespawn += uint64(e.unload(o))
	e.noteLoop()
	return nil
}

// Restore is Spawn for an owner whose blob was kept: it carries again what it did, as if no
// time had passed but what the clock of each buff counts, and is in the zone that it was in; a [buff.SetZone] to
// that zone changes nothing. A Restored or a Removed in the
// next frame tells what became of each; the Restoration sums it up. The id and the data may
// be others than those that the blob was made for.
//
// A source may have left while the owner was away, so that nobody told this owner:
// Restoration.Sources are those of what it carries now that are no owners of this engine. Of
// each that is gone for good the game says so by [buff.LoseSource]; otherwise what it left
// stays as long as it lasts by itself.
//
// It fails as [Engine.Spawn] does, with buff.ErrBlob, [ErrTooManyZones], with buff.ErrFull if the blob has
// more buffs than Options.Limits.Buffs, or with [ErrOverloaded] if what follows at once, such as the
// pulses of the time away, has no room in Options.Limits.Events and Limits.Handlers: in the next frame
// there is more. There is no such owner then, and nothing has happened.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Restore(id buff.OwnerID, data any, blob []byte) (buff.Restoration, error) {
	e.enter("Restore")
	e.record.begin(recording.Restore, uint64(id))
	e.record.blob(blob)
	if err := e.roomFor("owner", uint64(id)); err != nil {
		return buff.Restoration{}, err
	}
	o, err := e.newOwner(id, data)
	if err != nil {
		return buff.Restoration{}, err
	}
	zone, err := buff.BlobZone(blob)
	if err != nil {
		e.giveUp(o)
		return buff.Restoration{}, e.overfull(id, err)
	}
	z, err := e.zones.need(zone)
	if err != nil {
		e.giveUp(o)
		return buff.Restoration{}, err
	}
	return e.restore(o, zone, z, e.moment(), blob, false)
}

// restore puts a blob on a new owner, who is in a zone, as of a moment. If later is set, its commands for other owners wait
// for the next Tick.
func (e *Engine) restore(o *owner, zone uint32, z *zone, at buff.Moment, blob []byte, later bool) (buff.Restoration, error) {
	list, n := z.scale.changes(zoneScale{})
	r, err := o.set.Restore(e.restoreRoom(), at, blob, e.handlerID, list[:n]...)
	if err != nil {
		err = e.overfull(o.id(), err)
		e.giveUp(o)
		e.zones.tidy(zone, z)
		return buff.Restoration{}, err
	}
	o.setScale(z.scale)
	if at.Now < e.now {
		e.liveOn(o)
	}
	e.index.noteRestored(e.loop.Events)
	e.admit(o, zone, z)
	if e.obey(o) {
		e.want(o)
	}
	if later {
		e.passLater()
	} else {
		e.passOn()
	}
	r.Sources = slices.DeleteFunc(r.Sources, func(source buff.OwnerID) bool { return e.ownerOf(source) != nil })
	e.noteLoop()
	return r, nil
}

// leave takes an owner out of those that are there.
func (e *Engine) leave(o *owner) {
	e.byID.remove(o.id(), o.number)
	if e.copies != nil {
		e.copies.depart(o.id())
	}
	if e.changes != nil {
		e.changes.depart(o)
	}
}

// Readmit is Restore for an owner of a world that was saved as a whole, by [Engine.Copies]: one that was in
// it, in that zone, until the world stood at the uptime until, in ms (buff.Moment), and of whom
// nothing had changed since its blob was made but the time. Its online buffs have gone on until
// then; what had come due by then comes in the next Tick. The zone has its time already.
//
// It fails as Restore does, and with [ErrTooManyZones].
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Readmit(id buff.OwnerID, data any, blob []byte, zone uint32, until int64) (buff.Restoration, error) {
	e.enter("Readmit")
	e.record.begin(recording.Readmit, uint64(id), uint64(zone), uint64(until))
	e.record.blob(blob)
	if err := e.roomFor("owner", uint64(id)); err != nil {
		return buff.Restoration{}, err
	}
	_, uptime, err := buff.BlobMoment(blob)
	if err != nil {
		return buff.Restoration{}, e.overfull(id, err)
	}
	o, err := e.newOwner(id, data)
	if err != nil {
		return buff.Restoration{}, err
	}
	z, err := e.zones.need(zone)
	if err != nil {
		e.giveUp(o)
		return buff.Restoration{}, err
	}
	at := e.moment()
	if lived := until - uptime; lived > 0 && lived < int64(wheel.Never)/4 {
		at.Now, at.Wall, at.Uptime = at.Now.Add(-lived), at.Wall-lived, at.Uptime-lived
	}
	return e.restore(o, zone, z, at, blob, true)
}

// liveOn makes the events of an owner, who is there since an instant that has passed, ones of now.
func (e *Engine) liveOn(o *owner) {
	for k := e.index.read; k < len(e.loop.Events); k++ {
		if x := &e.loop.Events[k]; x.Owner == o.id() && x.At < e.now {
			x.At, x.Seen = e.now, e.now
		}
	}
}

// noteRestored notes what has come back with an owner: the youngest first, since each is
// older than all that the cross-owner index has.
func (l *crossIndex) noteRestored(events []buff.Event) {
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

// present returns the owner of that id.
func (e *Engine) present(id buff.OwnerID) (*owner, error) {
	if e.closed {
		return nil, ErrClosed
	}
	if o := e.ownerOf(id); o != nil {
		return o, nil
	}
	return nil, &ownerError{ErrUnknownOwner, id}
}
