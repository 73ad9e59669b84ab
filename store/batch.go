package store

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/bufftick/bufftick/buff"
)

// CheckName returns [ErrName] unless zone is a valid zone name: valid UTF-8 of 1 to [MaxName]
// bytes without a zero byte.
func CheckName(zone string) error {
	switch {
	case zone == "":
		return fmt.Errorf("%w: empty", ErrName)
	case len(zone) > MaxName:
		return fmt.Errorf("%w: %d bytes, more than %d", ErrName, len(zone), MaxName)
	case !utf8.ValidString(zone) || slices.Contains([]byte(zone), 0):
		return fmt.Errorf("%w: %q is not UTF-8 or contains a zero byte", ErrName, zone)
	}
	return nil
}

// Prepare sorts the lists of owners by id. It returns [ErrName], [ErrBatch] or [ErrTooLarge]
// if the Batch is invalid. Each Commit must call it first.
func (b *Batch) Prepare() error {
	if err := CheckName(b.Zone); err != nil {
		return err
	}
	byID := func(x, y Owner) int { return cmp.Compare(x.ID, y.ID) }
	if !slices.IsSortedFunc(b.Owners, byID) {
		slices.SortFunc(b.Owners, byID)
	}
	slices.Sort(b.Deleted)
	slices.Sort(b.Older)
	slices.SortFunc(b.Clocks.Zones, func(x, y ZoneClock) int { return cmp.Compare(x.Number, y.Number) })
	switch {
	case b.Epoch == 0:
		return fmt.Errorf("%w: epoch 0", ErrBatch)
	case b.Frame == 0 || !b.Whole && b.Frame <= b.Since:
		return fmt.Errorf("%w: frame %d does not follow frame %d", ErrBatch, b.Frame, b.Since)
	case b.Window < 0:
		return fmt.Errorf("%w: a window of %d", ErrBatch, b.Window)
	}
	if err := b.checkLists(); err != nil {
		return err
	}
	if err := b.checkMoves(); err != nil {
		return err
	}
	return b.checkSizes()
}

func (b *Batch) checkLists() error {
	ids := func(k int) buff.OwnerID { return b.Owners[k].ID }
	for k := range b.Owners {
		if k > 0 && ids(k-1) == ids(k) {
			return fmt.Errorf("%w: owner %d is listed twice", ErrBatch, ids(k))
		}
		if _, both := slices.BinarySearch(b.Deleted, ids(k)); both {
			return fmt.Errorf("%w: owner %d is both changed and deleted", ErrBatch, ids(k))
		}
	}
	for _, list := range [...][]buff.OwnerID{b.Deleted, b.Older} {
		for k := range list {
			if k > 0 && list[k-1] == list[k] {
				return fmt.Errorf("%w: owner %d is listed twice as deleted or older", ErrBatch, list[k])
			}
		}
	}
	for k, z := range b.Clocks.Zones {
		if k > 0 && b.Clocks.Zones[k-1].Number == z.Number {
			return fmt.Errorf("%w: area %d is listed twice", ErrBatch, z.Number)
		}
	}
	return nil
}

// checkMoves validates the departures and arrivals.
func (b *Batch) checkMoves() error {
	seen := make(map[buff.OwnerID]bool, len(b.Moved))
	for k := range b.Moved {
		m := &b.Moved[k]
		id := m.Owner.ID
		_, both := slices.BinarySearch(b.Deleted, id)
		if _, changed := slices.BinarySearchFunc(b.Owners, id, func(o Owner, id buff.OwnerID) int { return cmp.Compare(o.ID, id) }); changed {
			both = true
		}
		switch err := CheckName(m.To); {
		case err != nil:
			return err
		case seen[id] || both || m.To == b.Zone:
			return fmt.Errorf("%w: owner %d moves to zone %q, but also moves elsewhere, is already there, or is changed or deleted", ErrBatch, id, m.To)
		case m.Owner.Frame == 0 || m.Owner.Frame > b.Frame:
			return fmt.Errorf("%w: owner %d moves with frame %d, the batch is for frame %d", ErrBatch, id, m.Owner.Frame, b.Frame)
		case max(len(m.Owner.Blob), len(m.Owner.Data)) > MaxBytes:
			return fmt.Errorf("%w: owner %d, which leaves zone %q, has more than %d bytes", ErrTooLarge, id, b.Zone, MaxBytes)
		}
		seen[id] = true
	}
	for k := range b.Arrived {
		if a := &b.Arrived[k]; a.Number == 0 {
			return fmt.Errorf("%w: owner %d arrives with move 0", ErrBatch, a.Owner.ID)
		}
	}
	return nil
}

func (b *Batch) checkSizes() error {
	if n := max(len(b.State), len(b.Data)); n > MaxBytes {
		return fmt.Errorf("%w: %d bytes for zone %q, more than %d", ErrTooLarge, n, b.Zone, MaxBytes)
	}
	if n := max(len(b.Commands), b.Window); n > MaxWindow {
		return fmt.Errorf("%w: %d commands for zone %q, more than %d", ErrTooLarge, n, b.Zone, MaxWindow)
	}
	if n := max(len(b.Older), len(b.Clocks.Zones)); n > maxListed {
		return fmt.Errorf("%w: a list of %d for zone %q, more than %d", ErrTooLarge, n, b.Zone, maxListed)
	}
	for k := range b.Owners {
		o := &b.Owners[k]
		if n := max(len(o.Blob), len(o.Data)); n > MaxBytes {
			return fmt.Errorf("%w: %d bytes for owner %d of zone %q, more than %d", ErrTooLarge, n, o.ID, b.Zone, MaxBytes)
		}
	}
	return nil
}

// maxListed is the maximum number of owners, and of areas, in an engine.
const maxListed = buff.MaxOwners

// Follows returns nil if the Batch can be the next cut of a zone. epoch and frame are the zone's
// current epoch and frame; frame is 0 if the zone has no cut. If the Batch cannot follow, the
// error is [ErrFenced], [ErrLost] or [ErrBatch].
func (b *Batch) Follows(epoch, frame uint64) error {
	switch {
	case b.Epoch != epoch:
		return fmt.Errorf("%w: zone %q is at epoch %d, the batch at epoch %d", ErrFenced, b.Zone, epoch, b.Epoch)
	case !b.Whole && frame < b.Since:
		return fmt.Errorf("%w: zone %q is at frame %d, but frame %d was acknowledged", ErrLost, b.Zone, frame, b.Since)
	case b.Frame < frame: // a delayed commit that arrives after a later commit
		return fmt.Errorf("%w: zone %q is at frame %d, the batch is for frame %d", ErrBatch, b.Zone, frame, b.Frame)
	}
	return nil
}
