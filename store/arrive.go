package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
)

// ArriveAll adds all owners in transit to the given zones with [Saver.Arrive], and returns when
// they are on disk. Call it at startup, after each zone has been opened and before the first player
// logs in: otherwise a player between two zones when the process ended is neither in an engine nor
// parked, and looks like a new player.
//
// Each owner is passed to report, if it is not nil. An owner that cannot be added remains in
// transit, and the error names it; the other owners are added. ArriveAll also returns
// the errors of Mover.Arrivals and SaveAll, and engine.ErrBusy for a zone that is not completely
// restored.
//
// Only the loop goroutine of the zones may call it, between two Ticks. It waits for the disk.
func ArriveAll(ctx context.Context, s Mover, zones []*Saver, report func(a *Arrival, r buff.Restoration, err error)) error {
	errs := make([]error, len(zones))
	for k, v := range zones {
		errs[k] = v.arriveAll(ctx, s, report)
	}
	return errors.Join(errs...)
}

func (v *Saver) arriveAll(ctx context.Context, s Mover, report func(*Arrival, buff.Restoration, error)) error {
	if v.restoring != nil {
		return v.notRestored()
	}
	var errs []error
	failed := map[buff.OwnerID]bool{}
	for saved := false; ; saved = true { // Arrivals returns at most MostArrivals at a time
		list, err := s.Arrivals(ctx, []string{v.zone})
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		added := false
		v.Arrive(list, func(a *Arrival, r buff.Restoration, err error) {
			id := a.Owner.ID
			if failed[id] {
				return
			}
			if added = added || err == nil; err != nil {
				failed[id] = true
				errs = append(errs, fmt.Errorf("store: owner %d is still in transit to zone %q: %w", id, v.zone, err))
			}
			if report != nil {
				report(a, r, err)
			}
		})
		// An earlier call may have added owners without saving them.
		waiting := slices.ContainsFunc(list, func(a Arrival) bool { return !failed[a.Owner.ID] })
		if !waiting || saved && !added {
			return errors.Join(errs...)
		}
		if err := v.SaveAll(ctx); err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
}
