package store

import (
	"context"
	"fmt"
	"maps"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Mover is a Store whose zones give owners to each other. An owner that moves goes out of its zone in one
// transaction with the cut that it is not in any more (Batch.Moved), waits between the two, and comes in with
// the first cut that has it (Batch.Arrived). So at each instant it is in one zone, or on its way into one.
type Mover interface {
	Store

	// Arrivals returns the owners that are on their way into those zones: of each the ones that have
	// waited longest, up to MostArrivals. It fails as Load does, and not with ErrEmpty.
	Arrivals(ctx context.Context, zones []string) ([]Arrival, error)

	// Where says where owners are, as of the last commits; those that no zone has are left out. It
	// fails as Load does, and not with ErrEmpty.
	Where(ctx context.Context, owners []buff.OwnerID) ([]Place, error)
}

// Move is an owner that leaves for another zone.
type Move struct {
	// Owner is as it was when it left. Its Frame is that of the first Batch that had the Move: a store whose
	// cut is of that frame, or of a later one, has done it, and does not do it again. It may
	// have gone on from there, and even have come back.
	Owner Owner

	// To is the zone, which need not have been opened yet.
	To string
}

// Arrival is an owner on its way into a zone.
type Arrival struct {
	// Owner is as it was when it left the other zone.
	Owner Owner

	// Zone is the one that it goes to.
	Zone string

	// Number distinguishes it from other moves: later ones of this owner have higher ones.
	Number uint64
}

// Place is where an owner is.
type Place struct {
	Owner    buff.OwnerID
	Zone     string
	Arriving bool // it is on its way into that zone, and in no cut
}

// Limits of moves.
const (
	MostArrivals = 64   // of a zone, that Arrivals returns at once
	MostMoves    = 4096 // of a zone, that wait for a commit
)

// Move lets an owner go to another zone of the store, with all that it carries and the game's own data of
// it. It is gone from the engine as by Despawn, and is in the store under way to the other zone with the
// next cut: at that instant, wholly or not at all. Move returns the frame, as in Stats.Frame, with which
// that is so. If the process dies before, the owner comes back where it was; until then the game must not
// spawn it anywhere. What the areas of this engine do to its time stays behind.
//
// It fails with engine.ErrUnknownOwner, or with engine.ErrBusy while its handlers run or not all owners of the
// zone are back: try again after the next Tick. It fails with [ErrNoMoves] if the store is no [Mover], with
// [ErrName] or [ErrElsewhere] if there can be no such zone or it is this one, with [ErrTooLarge] if
// MostMoves wait for a commit, or as Marshal does. Nothing has happened then.
//
// Only the loop goroutine may call it, between two Ticks. It costs O(buffs of that owner).
func (v *Saver) Move(id buff.OwnerID, zone string) (frame uint64, err error) {
	switch err := CheckName(zone); {
	case err != nil:
		return 0, err
	case zone == v.zone:
		return 0, fmt.Errorf("%w: owner %d is to go to zone %q, where it is", ErrElsewhere, id, zone)
	case !v.commits.mayMove:
		return 0, fmt.Errorf("%w: zone %q", ErrNoMoves, v.zone)
	case v.back != nil:
		return 0, fmt.Errorf("%w: zone %q is not all back", engine.ErrBusy, v.zone)
	case v.mostLeave():
		return 0, fmt.Errorf("%w: %d owners of zone %q wait to leave it", ErrTooLarge, MostMoves, v.zone)
	}
	if _, err := v.engine.Buffs(id); err != nil {
		return 0, err
	}
	data, err := v.marshal(id)
	if err != nil {
		return 0, err
	}
	o := Owner{ID: id, Data: appendData(nil, 0, data)}
	if o.Blob, err = v.engine.Despawn(id); err != nil {
		return 0, err
	}
	v.moved = append(v.moved, Move{Owner: o, To: zone})
	frame = v.first + v.frame + 1
	v.leaving[id] = frame
	return frame, nil
}

// marshal asks the game for its data of an owner.
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

// Leaving reports whether an owner has been moved out of the zone, and that is not on disk yet.
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

// mostLeave reports whether as many wait to leave as may.
func (v *Saver) mostLeave() bool {
	if len(v.leaving) >= MostMoves {
		onDisk := v.Stats().Frame
		maps.DeleteFunc(v.leaving, func(_ buff.OwnerID, frame uint64) bool { return frame <= onDisk })
	}
	return len(v.leaving) >= MostMoves
}

// come is an owner that was let in.
type come struct {
	number  uint64
	settled bool // that is on disk, and was when the list before was let in: it is in no later one
}

// Arrive lets owners in that come from other zones of the store: the list is what Mover.Arrivals has
// returned, to a call that began after the last Arrive had returned. It calls told for each, also if that
// fails, but not for those that are in already. They are on disk as owners of this zone with the next
// cut that has them. If the process dies before, they are still on their way, and come again.
//
// For a Wall buff the time of the calendar has passed since its owner left; for an Online one nothing has, and
// for an Uptime one neither: the uptime of the other zone is not that of this one.
//
// An owner fails as in engine.Engine.Restore, or as Unmarshal does, and is on its way then as before; with
// engine.ErrBusy if not all owners of the zone are back, or if it has left this very zone and that is not on
// disk yet: it comes with the next list.
//
// Only the loop goroutine may call it, between two Ticks. It costs O(buffs of those owners).
func (v *Saver) Arrive(list []Arrival, told func(a *Arrival, r buff.Restoration, err error)) {
	maps.DeleteFunc(v.arrived, func(_ buff.OwnerID, c come) bool { return c.settled })
	for _, x := range v.commits.takeLanded() {
		if v.arrived[x.Owner.ID].number == x.Number {
			v.arrived[x.Owner.ID] = come{x.Number, true}
		}
	}
	for k := range list {
		a := &list[k]
		if a.Zone != v.zone || v.arrived[a.Owner.ID].number >= a.Number {
			continue
		}
		r, err := v.arrive(a)
		if err == nil {
			v.arrived[a.Owner.ID] = come{number: a.Number}
			v.came = append(v.came, Arrival{Owner: Owner{ID: a.Owner.ID}, Zone: v.zone, Number: a.Number})
		}
		told(a, r, err)
	}
}

func (v *Saver) arrive(a *Arrival) (r buff.Restoration, err error) {
	id := a.Owner.ID
	if v.back != nil || v.Leaving(id) {
		return r, fmt.Errorf("%w: owner %d cannot come into zone %q yet", engine.ErrBusy, id, v.zone)
	}
	_, data, err := SplitData(a.Owner.Data)
	if err != nil {
		return r, err
	}
	blob, err := buff.MoveBlob(a.Owner.Blob, v.engine.Moment().Uptime)
	if err != nil {
		return r, err
	}
	var game any
	if v.opts.Unmarshal != nil {
		if game, err = v.unmarshal(id, data); err != nil {
			return r, err
		}
	}
	return v.engine.Restore(id, game, blob)
}

// sortOut puts those into the batch that have come, and are in it: the others stay until they are.
func (c *committer) sortOut(b *Batch) {
	came := append(c.came, b.Arrived...)
	c.came, b.Arrived = nil, nil
	if len(came) == 0 {
		return
	}
	in := make(map[buff.OwnerID]bool, len(came))
	for k := range came {
		in[came[k].Owner.ID] = false
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
	for _, x := range came {
		if in[x.Owner.ID] {
			b.Arrived = append(b.Arrived, x)
		} else {
			c.came = append(c.came, x) // busy: the cut has it as on its way
		}
	}
}

// takeLanded returns those of whom it is on disk, since the last call, that they have come.
func (c *committer) takeLanded() []Arrival {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.landed
	c.landed = nil
	return list
}

// ReadOwner reads the record of [AppendOwner] of one owner that is in no cut. It fails with [ErrDamaged] or
// [ErrFuture].
func ReadOwner(id buff.OwnerID, record []byte) (Owner, error) {
	o, err := readOwner(record)
	if err == nil && o.ID != id {
		err = damaged("", "it is of owner %d", o.ID)
	}
	return o, At(err, "", fmt.Sprintf("owner %d, who moves", id))
}
