package store

import (
	"context"
	"fmt"
	"maps"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Mover is a Store whose zones can exchange owners. A moving owner leaves its zone with the next
// cut of that zone, which lists it in Batch.Moved. It is then in transit, and enters the other
// zone with a cut of that zone that lists it in Batch.Arrived. So at any time the owner is in
// exactly one zone or in transit to exactly one zone.
type Mover interface {
	Store

	// Arrivals returns owners in transit to the given zones. For each zone it returns the owners
	// that have waited longest, at most MostArrivals. It returns the errors of Load, except
	// ErrEmpty.
	Arrivals(ctx context.Context, zones []string) ([]Arrival, error)

	// Where returns the locations of owners as of the last commits. Owners that are in no zone
	// are omitted. It returns the errors of Load, except ErrEmpty.
	Where(ctx context.Context, owners []buff.OwnerID) ([]Place, error)
}

// Move is an owner that leaves for another zone.
type Move struct {
	// Owner is the state of the owner when it left. Owner.Frame is the frame of the first Batch
	// that contained the Move. If the stored cut of the zone that the owner leaves is from that
	// frame or a later one, the Store has already applied the Move and must not apply it again:
	// since then the owner may have moved on, or even returned.
	Owner Owner

	// To is the destination, which need not have been opened yet.
	To string
}

// Arrival is an owner in transit to a zone.
type Arrival struct {
	// Owner is the state of the owner when it left the other zone.
	Owner Owner

	// Zone is the destination.
	Zone string

	// Number identifies the move. Later moves of the owner have higher numbers.
	Number uint64
}

// Place is the location of an owner.
type Place struct {
	Owner    buff.OwnerID
	Zone     string
	Arriving bool // in transit to Zone, and in no cut
}

// Limits of moves.
const (
	MostArrivals = 64   // maximum number of arrivals that one call to Arrivals returns
	MostMoves    = 4096 // maximum number of moves of one zone that may wait for a commit
)

// Move moves an owner to another zone of the store, with its buffs and the game's own data. The
// owner is removed from the engine, as if by Despawn. With the next cut the store atomically puts
// it in transit to the other zone. Move returns the frame of that cut, counted as in Stats.Frame.
// If the process dies before the cut is on disk, the owner is restored in this zone; until then
// the game must not spawn it anywhere. The owner does not keep the pause or rate of its area.
//
// It returns engine.ErrUnknownOwner; engine.ErrBusy while the owner's handlers run or some owners
// of the zone are not restored yet (the caller can retry after the next Tick); [ErrNoMoves] if the
// store is not a [Mover]; [ErrName] if the name is invalid; [ErrElsewhere] if the target is this
// zone; [ErrTooLarge] if MostMoves moves are waiting for a commit; or the error of Marshal. An
// error leaves everything unchanged.
//
// Only the loop goroutine may call it, between two Ticks. It costs O(buffs of the owner).
func (v *Saver) Move(id buff.OwnerID, zone string) (frame uint64, err error) {
	switch err := CheckName(zone); {
	case err != nil:
		return 0, err
	case zone == v.zone:
		return 0, fmt.Errorf("%w: owner %d is already in zone %q", ErrElsewhere, id, zone)
	case !v.commits.mayMove:
		return 0, fmt.Errorf("%w: zone %q", ErrNoMoves, v.zone)
	case v.tooManyLeaving():
		return 0, fmt.Errorf("%w: %d owners are waiting to leave zone %q", ErrTooLarge, MostMoves, v.zone)
	}
	o, err := v.despawn(id, 0)
	if err != nil {
		return 0, err
	}
	v.moved = append(v.moved, Move{Owner: o, To: zone})
	frame = v.first + v.frame + 1
	v.leaving[id] = frame
	return frame, nil
}

// despawn removes an owner from the engine and returns its state. The data starts with the given
// prefix.
func (v *Saver) despawn(id buff.OwnerID, prefix uint64) (o Owner, err error) {
	if v.restoring != nil {
		return o, v.notRestored()
	}
	if _, err := v.engine.Buffs(id); err != nil {
		return o, err
	}
	data, err := v.marshal(id)
	if err != nil {
		return o, err
	}
	o = Owner{ID: id, Data: appendData(nil, prefix, data)}
	o.Blob, err = v.engine.Despawn(id)
	return o, err
}

func (v *Saver) notRestored() error {
	return fmt.Errorf("%w: zone %q is not completely restored", engine.ErrBusy, v.zone)
}

// marshal calls Options.Marshal for an owner.
func (v *Saver) marshal(id buff.OwnerID) (data []byte, err error) {
	if v.opts.Marshal == nil {
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: Marshal of owner %d panicked: %v", id, p)
		}
	}()
	data, err = v.opts.Marshal(id, v.engine.Data(id), nil)
	if most := MaxBytes - areaRoom; err == nil && len(data) > most {
		err = fmt.Errorf("%w: %d bytes for owner %d, more than %d", ErrTooLarge, len(data), id, most)
	}
	return data, err
}

// Leaving reports whether an owner has been moved out of the zone in a frame that is not on
// disk yet.
//
// Only the loop goroutine may call it.
func (v *Saver) Leaving(id buff.OwnerID) bool {
	frame, leaves := v.leaving[id]
	if leaves && frame <= v.Stats().Frame {
		delete(v.leaving, id)
		return false
	}
	return leaves
}

// tooManyLeaving reports whether the maximum number of owners is waiting to leave.
func (v *Saver) tooManyLeaving() bool {
	if len(v.leaving) >= MostMoves {
		onDisk := v.Stats().Frame
		maps.DeleteFunc(v.leaving, func(_ buff.OwnerID, frame uint64) bool { return frame <= onDisk })
	}
	return len(v.leaving) >= MostMoves
}

// entered is an owner that Arrive has added.
type entered struct {
	number uint64
	// the arrival was on disk at the last call to Arrive, so no later result of Mover.Arrivals
	// contains it
	settled bool
}

// Arrive adds owners that arrive from other zones of the store. The list must be the result of a
// call to Mover.Arrivals that started after the previous Arrive returned. Arrive calls report()
// once for each owner, with the error if the owner could not be added, but not for owners that an
// earlier call has added. The owner belongs to this zone when the first cut that contains it is on
// disk. If the process dies before that, the owner is still in transit and arrives again.
//
// For a Wall buff, calendar time has passed since its owner left. For Online and Uptime buffs
// no time has passed, because the zones have different uptimes.
//
// If an owner cannot be added, because of an error of engine.Engine.Restore or Unmarshal, it
// remains in transit. The error is engine.ErrBusy if some owners of the zone are not restored yet,
// or if the owner has just left this zone and its departure is not on disk yet; a later call then
// adds the owner.
//
// Only the loop goroutine may call it, between two Ticks. It costs O(buffs of these owners).
func (v *Saver) Arrive(list []Arrival, report func(a *Arrival, r buff.Restoration, err error)) {
	maps.DeleteFunc(v.arrived, func(_ buff.OwnerID, c entered) bool { return c.settled })
	for _, x := range v.commits.takeArrived() {
		if v.arrived[x.Owner.ID].number == x.Number {
			v.arrived[x.Owner.ID] = entered{x.Number, true}
		}
	}
	for k := range list {
		a := &list[k]
		if a.Zone != v.zone || v.arrived[a.Owner.ID].number >= a.Number {
			continue
		}
		r, err := v.arrive(a)
		if err == nil {
			v.arrived[a.Owner.ID] = entered{number: a.Number}
			v.arrivals = append(v.arrivals, Arrival{Owner: Owner{ID: a.Owner.ID}, Zone: v.zone, Number: a.Number})
		}
		report(a, r, err)
	}
}

func (v *Saver) arrive(a *Arrival) (r buff.Restoration, err error) {
	id := a.Owner.ID
	if v.restoring != nil || v.Leaving(id) {
		return r, fmt.Errorf("%w: owner %d cannot enter zone %q yet", engine.ErrBusy, id, v.zone)
	}
	_, _, data, err := SplitData(a.Owner.Data)
	if err != nil {
		return r, err
	}
	blob, err := buff.MoveBlob(a.Owner.Blob, v.engine.Moment().Uptime)
	if err != nil {
		return r, err
	}
	game, err := v.unmarshal(id, data)
	if err != nil {
		return r, err
	}
	return v.engine.Restore(id, game, blob)
}

// selectArrivals sets b.Arrived to the arrivals whose owners are in the batch. Other arrivals
// wait for a later batch.
func (c *committer) selectArrivals(b *Batch) {
	arrivals := append(c.arrivals, b.Arrived...)
	c.arrivals, b.Arrived = nil, nil
	if len(arrivals) == 0 {
		return
	}
	in := make(map[buff.OwnerID]bool, len(arrivals))
	for k := range arrivals {
		in[arrivals[k].Owner.ID] = false
	}
	note := func(id buff.OwnerID) {
		if _, wanted := in[id]; wanted {
			in[id] = true
		}
	}
	for k := range b.Owners {
		note(b.Owners[k].ID)
	}
	for k := range b.Moved {
		note(b.Moved[k].Owner.ID)
	}
	for _, id := range b.Deleted {
		note(id)
	}
	for _, x := range arrivals {
		if in[x.Owner.ID] {
			b.Arrived = append(b.Arrived, x)
		} else {
			// the owner is busy, so it is still in transit in this cut
			c.arrivals = append(c.arrivals, x)
		}
	}
}

// takeArrived returns the arrivals whose cuts have reached the disk since the last call.
func (c *committer) takeArrived() []Arrival {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.arrived
	c.arrived = nil
	return list
}
