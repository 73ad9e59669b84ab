package store

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Park removes an owner from the engine, as if by Despawn, and keeps its buffs and the game's own
// data in the zone, until [Saver.Unpark] restores it. Call it when a player logs out. The next cut
// contains the owner as parked, so a crash neither loses nor duplicates it: a restored zone has
// the owner either in the engine or parked, as it was at the time of the cut.
//
// After a restart, the engine has the owners that were not parked, although no player is connected
// any more. The game parks them, or lets them play on until their players return:
//
//	for id := range zone.Engine().OwnerIDs() {
//		err = errors.Join(err, zone.Park(id))
//	}
//
// A player who was moving between two zones is in neither: call [ArriveAll] first.
//
// While an owner is parked, the game must not spawn another owner with its id. The Saver keeps all
// parked owners in memory, in their encoded form.
//
// It returns engine.ErrUnknownOwner; engine.ErrBusy while the owner's handlers run or some owners
// of the zone are not restored yet, or engine.ErrOverloaded (the caller can retry after the next
// Tick); or the error of Marshal. An error leaves everything unchanged.
//
// Only the loop goroutine may call it, between two Ticks. It costs O(buffs of the owner).
func (v *Saver) Park(id buff.OwnerID) error {
	o, err := v.despawn(id, parkedOwner)
	if err != nil {
		return err
	}
	v.parked[id] = o
	v.parks[id] = struct{}{}
	return nil
}

// Unpark returns a parked owner to the engine, with its buffs and the result of Unmarshal. Call it
// when a player logs in. The clock of each buff decides whether the time since Park counts for it,
// as in engine.Engine.Restore. Restoration.Sources omits parked owners.
//
// It returns engine.ErrUnknownOwner if no owner with this id is parked, engine.ErrOwnerExists if
// the owner is in the engine, engine.ErrBusy if some owners of the zone are not restored yet, or
// another error of Restore or Unmarshal. After an error, the owner is still parked.
//
// Only the loop goroutine may call it, between two Ticks. It costs O(buffs of the owner).
func (v *Saver) Unpark(id buff.OwnerID) (r buff.Restoration, err error) {
	o, parked := v.parked[id]
	switch {
	case v.restoring != nil:
		return r, v.notRestored()
	case !parked && v.present(id):
		return r, fmt.Errorf("%w: owner %d is not parked", engine.ErrOwnerExists, id)
	case !parked:
		return r, fmt.Errorf("%w: owner %d is not parked in zone %q", engine.ErrUnknownOwner, id, v.zone)
	}
	_, _, data, err := SplitData(o.Data)
	if err != nil {
		return r, err
	}
	game, err := v.unmarshal(id, data)
	if err != nil {
		return r, err
	}
	if r, err = v.engine.Restore(id, game, o.Blob); err != nil {
		return r, err
	}
	delete(v.parked, id)
	r.Sources = slices.DeleteFunc(r.Sources, v.isParked)
	return r, nil
}

// Parked returns the parked owners in the order of their ids, each with the game's own data as
// Marshal has encoded it. The data must not be changed.
//
// Only the loop goroutine may call it.
func (v *Saver) Parked() iter.Seq2[buff.OwnerID, []byte] {
	return func(yield func(buff.OwnerID, []byte) bool) {
		for _, id := range slices.Sorted(maps.Keys(v.parked)) {
			if _, _, data, err := SplitData(v.parked[id].Data); err == nil && !yield(id, data) {
				return
			}
		}
	}
}

// loadParked moves the parked owners of a cut to the Saver.
func (v *Saver) loadParked(c *Cut) {
	c.Owners = slices.DeleteFunc(c.Owners, func(o Owner) bool {
		_, parked, _, _ := SplitData(o.Data) // restoreOwner reports the error
		if parked {
			v.parked[o.ID] = o
		}
		return parked
	})
}

func (v *Saver) isParked(id buff.OwnerID) bool {
	_, parked := v.parked[id]
	return parked
}

// present reports whether an owner is in the engine.
func (v *Saver) present(id buff.OwnerID) bool {
	_, err := v.engine.Area(id)
	return err == nil
}

// takeParks returns the parked owners for a cut: all of them, or those that have been parked since
// the last cut. A batch must not contain an owner twice, so takeParks omits owners that the game
// has spawned nevertheless.
func (v *Saver) takeParks(whole bool) (list []Owner) {
	if whole {
		for id := range v.parked {
			v.parks[id] = struct{}{}
		}
	}
	for id := range v.parks {
		if o, parked := v.parked[id]; parked && !v.present(id) {
			list = append(list, o)
		}
	}
	clear(v.parks)
	return list
}
