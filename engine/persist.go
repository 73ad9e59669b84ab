package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/recording"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// Moment returns the present time on each of the clocks that buffs use: game time, wall-clock time
// and uptime. It is derived from the instant of the last Tick, Options.Epoch and Options.Uptime.
// If you store blobs, also store the Uptime of the last Moment, because the next start needs it as
// Options.Uptime.
//
// Only the loop goroutine may call it.
func (e *Engine) Moment() buff.Moment {
	e.enter("Moment")
	return e.moment()
}

func (e *Engine) moment() buff.Moment {
	now := int64(e.now)
	// Time that is carried or was dropped has nevertheless passed on the wall clock.
	passed := e.target.After(e.stats.Lost).After(e.stats.LostAtClose)
	return buff.Moment{Now: e.now, Wall: e.opts.Epoch.UnixMilli() + int64(passed), Uptime: e.opts.Uptime.Milliseconds() + now}
}

// Save returns a blob of an owner's state, to be stored and passed to [Engine.Restore]. It does not
// change the owner. The blob does not contain the owner's data, timeouts with a function, or
// deferred handlers. Save fails with [ErrUnknownOwner], [ErrClosed], or [ErrBusy] if the owner is
// busy, since its state cannot be read then.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Save(id buff.OwnerID) ([]byte, error) {
	e.enter("Save")
	return e.appendSave(nil, id)
}

// appendSave is Save, but appends the blob to dst. It allocates nothing if dst has room. If it
// fails, it returns dst unchanged.
func (e *Engine) appendSave(dst []byte, id buff.OwnerID) ([]byte, error) {
	o, err := e.present(id)
	if err != nil {
		return dst, err
	}
	if !e.idle(o) {
		return dst, &ownerError{ErrBusy, id}
	}
	blob, _ := o.set.Save(dst, e.Catalog(), e.moment(), o.area)
	return blob, nil
}

// Despawn removes an owner and returns a blob of its state for [Engine.Restore]. All buffs of the
// owner end with the reason Unload, and no actions of their definitions run. State that a blob
// cannot hold is dropped and counted in Stats.DroppedOnDespawn. The id can be reused at once, and
// the handles of the owner's buffs and timeouts are invalid forever. For players who log out of a
// zone that package store saves, use store.Saver.Park.
//
// It fails with [ErrUnknownOwner], [ErrClosed], or [ErrBusy] if the owner is busy; the owner is
// then unchanged. The state of a busy owner is not known before its handlers have returned: try
// again after the next Tick, or use [Engine.Drop] to remove the owner without a blob. Despawn also
// fails with [ErrOverloaded] after Options.Limits.Events events in one frame; try again after the
// next Tick.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Despawn(id buff.OwnerID) ([]byte, error) {
	e.enter("Despawn")
	e.record.startCall(recording.Despawn, uint64(id))
	o, err := e.present(id)
	if err != nil {
		return nil, err
	}
	if !e.idle(o) {
		return nil, &ownerError{ErrBusy, id}
	}
	if err := e.checkRoom("owner", uint64(id)); err != nil {
		return nil, err
	}
	blob, lost := o.set.Save(nil, e.Catalog(), e.moment(), o.area)
	e.detach(o)
	e.removeOwner(o)
	e.stats.DroppedOnDespawn += uint64(lost)
	e.indexLoopEvents()
	return blob, nil
}

// Drop removes an owner without making a blob. Use it, for example, for a creature that has
// died, or for a player who has left for good but is still busy. Otherwise it works like
// [Engine.Despawn], except that the owner may be busy, and that all of the owner's timeouts are
// dropped and counted.
//
// A busy owner leaves when its turn has ended. Events that were due before the Drop, and commands
// that were issued before it, are still processed; later events and commands are not. The processed
// events are reported when the owner leaves. Until then its handlers may use its data, so if you
// spawn the id again, pass other data.
//
// Drop fails with [ErrUnknownOwner] or [ErrClosed]. For an idle owner, it also fails with
// [ErrOverloaded] after Options.Limits.Events events in one frame. If Drop fails, the owner is
// unchanged.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Drop(id buff.OwnerID) error {
	e.enter("Drop")
	e.record.startCall(recording.Drop, uint64(id))
	o, err := e.present(id)
	if err != nil {
		return err
	}
	if !e.idle(o) {
		e.detach(o)
		e.turns.startWaiting(o)
		o.presence, o.since = leaving, e.now
		return nil
	}
	if err := e.checkRoom("owner", uint64(id)); err != nil {
		return err
	}
	e.detach(o)
	e.stats.DroppedOnDespawn += uint64(e.removeOwner(o))
	e.indexLoopEvents()
	return nil
}

// Restore is like Spawn, but gives the new owner the state in a blob, with its buffs. The clock of
// each buff decides whether the time of the owner's absence counts for that buff. The owner is in
// the same area as before; a [buff.SetArea] to that area has no effect. In the next frame, a
// Restored or a Removed event reports the outcome for each buff; the Restoration is a summary. The
// id and the data may differ from the id and the data with which the blob was made.
//
// A source may have left while the owner was away and could not be notified. Restoration.Sources
// lists the sources of the owner's buffs that are not owners of this engine. For each source that
// is gone for good, issue [buff.LoseSource]; otherwise the buffs of that source stay until they end
// on their own.
//
// It fails in the same cases as [Engine.Spawn]. It also fails with buff.ErrBlob, with
// [ErrTooManyAreas], with buff.ErrFull if the blob has more buffs than Options.Limits.Buffs, and
// with [ErrOverloaded] if the immediate events or handlers, such as those of pulses during the
// absence, exceed Options.Limits.Events or Limits.Handlers. After [ErrOverloaded], try again after
// the next Tick. After an error the owner does not exist, and nothing has changed.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Restore(id buff.OwnerID, data any, blob []byte) (buff.Restoration, error) {
	e.enter("Restore")
	e.record.startCall(recording.Restore, uint64(id))
	e.record.blob(blob)
	if err := e.checkRoom("owner", uint64(id)); err != nil {
		return buff.Restoration{}, err
	}
	o, err := e.newOwner(id, data)
	if err != nil {
		return buff.Restoration{}, err
	}
	area, err := state.BlobArea(blob)
	if err != nil {
		e.discardOwner(o)
		return buff.Restoration{}, e.restoreError(id, err)
	}
	z, err := e.areas.getOrCreate(area)
	if err != nil {
		e.discardOwner(o)
		return buff.Restoration{}, err
	}
	return e.restore(o, area, z, e.moment(), blob, false)
}

// restore adds a new owner with the state of a blob to an area. It restores the buffs as of the
// moment `at`. If `later` is set, resulting commands for other owners wait for the next Tick.
func (e *Engine) restore(o *owner, area uint32, z *area, at buff.Moment, blob []byte, later bool) (buff.Restoration, error) {
	list, n := z.scale.changes(areaScale{})
	r, err := o.set.Restore(e.restoreRoom(), at, blob, e.handlerID, list[:n]...)
	if err != nil {
		err = e.restoreError(o.id(), err)
		e.discardOwner(o)
		e.areas.removeIfUnused(area, z)
		return buff.Restoration{}, err
	}
	o.setScale(z.scale)
	if at.Now < e.now {
		e.moveEventsToNow(o)
	}
	e.index.collectRestored(e.loop.Events)
	e.admit(o, area, z)
	e.fileDeadlines(o)
	if later {
		e.postponeOutbox()
	}
	e.indexLoopEvents()
	e.deliverOutbox()
	r.Sources = slices.DeleteFunc(r.Sources, func(source buff.OwnerID) bool { return e.ownerOf(source) != nil })
	return r, nil
}

// detach removes an owner from the table of IDs, so that it is no longer present.
func (e *Engine) detach(o *owner) {
	e.byID.remove(o.id(), o.number)
	if e.copies != nil {
		e.copies.depart(o.id())
	}
	if e.changes != nil {
		e.changes.depart(o)
	}
}

// Readmit is like Restore, but for an owner of a world that was saved as a whole, by package
// store. The parameter `area` is the area in which the owner was when the world stopped,
// and `until` is the uptime at that moment, in ms (see buff.Moment). The state of the owner must
// not have changed since the blob was made, except by the passing of time. For buffs with the clock
// `online`, the time from when the blob was made until the world stopped also counts. Events that
// became due in this time run in the next Tick. Restore the time of the area before you call
// Readmit.
//
// It fails in the same cases as Restore.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Readmit(id buff.OwnerID, data any, blob []byte, area uint32, until int64) (buff.Restoration, error) {
	e.enter("Readmit")
	e.record.startCall(recording.Readmit, uint64(id), uint64(area), uint64(until))
	e.record.blob(blob)
	if err := e.checkRoom("owner", uint64(id)); err != nil {
		return buff.Restoration{}, err
	}
	_, uptime, err := state.BlobMoment(blob)
	if err != nil {
		return buff.Restoration{}, e.restoreError(id, err)
	}
	o, err := e.newOwner(id, data)
	if err != nil {
		return buff.Restoration{}, err
	}
	z, err := e.areas.getOrCreate(area)
	if err != nil {
		e.discardOwner(o)
		return buff.Restoration{}, err
	}
	at := e.moment()
	if lived := until - uptime; lived > 0 && lived < int64(wheel.Never)/4 {
		at.Now, at.Wall, at.Uptime = at.Now.Add(-lived), at.Wall-lived, at.Uptime-lived
	}
	return e.restore(o, area, z, at, blob, true)
}

// moveEventsToNow gives the current time to all events of a restored owner that have an earlier
// time.
func (e *Engine) moveEventsToNow(o *owner) {
	for k := e.index.read; k < len(e.loop.Events); k++ {
		if x := &e.loop.Events[k]; x.Owner == o.id() && x.At < e.now {
			x.At, x.Seen = e.now, e.now
		}
	}
}

// collectRestored records the restored buffs of an owner, the youngest first. This order is needed
// because the cross-owner index adds each of them as the oldest buff of its source.
func (l *crossIndex) collectRestored(events []buff.Event) {
	from := len(l.changes)
	l.collectNew(events)
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

// present returns the owner with the given id, or an error if the engine is closed or the owner is
// unknown.
func (e *Engine) present(id buff.OwnerID) (*owner, error) {
	if e.closed {
		return nil, ErrClosed
	}
	if o := e.ownerOf(id); o != nil {
		return o, nil
	}
	return nil, &ownerError{ErrUnknownOwner, id}
}
