package record

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// Prepare sorts the lists of owners of a Batch by id. It returns [store.ErrName], [store.ErrBatch]
// or [store.ErrTooLarge] if the Batch is invalid. Each Commit must call it first.
func Prepare(b *store.Batch) error {
	if err := store.CheckName(b.Zone); err != nil {
		return err
	}
	byID := func(x, y store.Owner) int { return cmp.Compare(x.ID, y.ID) }
	if !slices.IsSortedFunc(b.Owners, byID) {
		slices.SortFunc(b.Owners, byID)
	}
	slices.Sort(b.Deleted)
	slices.Sort(b.Older)
	slices.SortFunc(b.Clocks.Areas, func(x, y store.AreaClock) int { return cmp.Compare(x.Number, y.Number) })
	switch {
	case b.Epoch == 0:
		return fmt.Errorf("%w: epoch 0", store.ErrBatch)
	case b.Frame == 0 || !b.Whole && b.Frame <= b.Since:
		return fmt.Errorf("%w: frame %d does not follow frame %d", store.ErrBatch, b.Frame, b.Since)
	case b.Window < 0:
		return fmt.Errorf("%w: a window of %d", store.ErrBatch, b.Window)
	}
	if err := checkLists(b); err != nil {
		return err
	}
	if err := checkMoves(b); err != nil {
		return err
	}
	return checkSizes(b)
}

func checkLists(b *store.Batch) error {
	ids := func(k int) buff.OwnerID { return b.Owners[k].ID }
	for k := range b.Owners {
		if k > 0 && ids(k-1) == ids(k) {
			return fmt.Errorf("%w: owner %d is listed twice", store.ErrBatch, ids(k))
		}
		if _, both := slices.BinarySearch(b.Deleted, ids(k)); both {
			return fmt.Errorf("%w: owner %d is both changed and deleted", store.ErrBatch, ids(k))
		}
	}
	for _, list := range [...][]buff.OwnerID{b.Deleted, b.Older} {
		for k := range list {
			if k > 0 && list[k-1] == list[k] {
				return fmt.Errorf("%w: owner %d is listed twice as deleted or older", store.ErrBatch, list[k])
			}
		}
	}
	for k, z := range b.Clocks.Areas {
		if k > 0 && b.Clocks.Areas[k-1].Number == z.Number {
			return fmt.Errorf("%w: area %d is listed twice", store.ErrBatch, z.Number)
		}
	}
	return nil
}

// checkMoves validates the departures and arrivals.
func checkMoves(b *store.Batch) error {
	seen := make(map[buff.OwnerID]bool, len(b.Moved))
	for k := range b.Moved {
		m := &b.Moved[k]
		id := m.Owner.ID
		_, both := slices.BinarySearch(b.Deleted, id)
		if _, changed := slices.BinarySearchFunc(b.Owners, id, func(o store.Owner, id buff.OwnerID) int { return cmp.Compare(o.ID, id) }); changed {
			both = true
		}
		switch err := store.CheckName(m.To); {
		case err != nil:
			return err
		case seen[id] || both || m.To == b.Zone:
			return fmt.Errorf("%w: owner %d moves to zone %q, but also moves elsewhere, is already there, or is changed or deleted", store.ErrBatch, id, m.To)
		case m.Owner.Frame == 0 || m.Owner.Frame > b.Frame:
			return fmt.Errorf("%w: owner %d moves with frame %d, the batch is for frame %d", store.ErrBatch, id, m.Owner.Frame, b.Frame)
		case max(len(m.Owner.Blob), len(m.Owner.Data)) > store.MaxBytes:
			return fmt.Errorf("%w: owner %d, which leaves zone %q, has more than %d bytes", store.ErrTooLarge, id, b.Zone, store.MaxBytes)
		}
		seen[id] = true
	}
	for k := range b.Arrived {
		if a := &b.Arrived[k]; a.Number == 0 {
			return fmt.Errorf("%w: owner %d arrives with move 0", store.ErrBatch, a.Owner.ID)
		}
	}
	return nil
}

func checkSizes(b *store.Batch) error {
	if n := max(len(b.State), len(b.Data)); n > store.MaxBytes {
		return fmt.Errorf("%w: %d bytes for zone %q, more than %d", store.ErrTooLarge, n, b.Zone, store.MaxBytes)
	}
	if n := max(len(b.Commands), b.Window); n > store.MaxWindow {
		return fmt.Errorf("%w: %d commands for zone %q, more than %d", store.ErrTooLarge, n, b.Zone, store.MaxWindow)
	}
	if n := max(len(b.Older), len(b.Clocks.Areas)); n > maxListed {
		return fmt.Errorf("%w: a list of %d for zone %q, more than %d", store.ErrTooLarge, n, b.Zone, maxListed)
	}
	for k := range b.Owners {
		o := &b.Owners[k]
		if n := max(len(o.Blob), len(o.Data)); n > store.MaxBytes {
			return fmt.Errorf("%w: %d bytes for owner %d of zone %q, more than %d", store.ErrTooLarge, n, o.ID, b.Zone, store.MaxBytes)
		}
	}
	return nil
}

// maxListed is the maximum number of owners, and of areas, in an engine.
const maxListed = buff.MaxOwners

// Follows returns nil if a Batch can be the next cut of a zone. epoch and frame are the zone's
// current epoch and frame; frame is 0 if the zone has no cut. If the Batch cannot follow, the
// error is [store.ErrFenced], [store.ErrLost] or [store.ErrBatch].
func Follows(b *store.Batch, epoch, frame uint64) error {
	switch {
	case b.Epoch != epoch:
		return fmt.Errorf("%w: zone %q is at epoch %d, the batch at epoch %d", store.ErrFenced, b.Zone, epoch, b.Epoch)
	case !b.Whole && frame < b.Since:
		return fmt.Errorf("%w: zone %q is at frame %d, but frame %d was acknowledged", store.ErrLost, b.Zone, frame, b.Since)
	case b.Frame < frame: // a delayed commit that arrives after a later commit
		return fmt.Errorf("%w: zone %q is at frame %d, the batch is for frame %d", store.ErrBatch, b.Zone, frame, b.Frame)
	}
	return nil
}
