package store

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/bufftick/bufftick/buff"
)

// CheckName fails with [ErrName] unless it can be the name of a zone: valid UTF-8 of 1 to
// [MaxName] bytes without a zero byte.
func CheckName(zone string) error {
	switch {
	case zone == "":
		return fmt.Errorf("%w: it is empty", ErrName)
	case len(zone) > MaxName:
		return fmt.Errorf("%w: %d bytes, more than %d", ErrName, len(zone), MaxName)
	case !utf8.ValidString(zone) || slices.Contains([]byte(zone), 0):
		return fmt.Errorf("%w: %q is not UTF-8, or has a zero byte", ErrName, zone)
	}
	return nil
}

// Prepare puts the lists of owners into the order of their ids and fails with [ErrName],
// [ErrBatch] or [ErrTooLarge] if no store may take the Batch. Each Commit begins with it.
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
		return fmt.Errorf("%w: epoch 0 is nobody's", ErrBatch)
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
			return fmt.Errorf("%w: owner %d is there twice", ErrBatch, ids(k))
		}
		if _, both := slices.BinarySearch(b.Deleted, ids(k)); both {
			return fmt.Errorf("%w: owner %d is changed and deleted", ErrBatch, ids(k))
		}
	}
	for _, list := range [...][]buff.OwnerID{b.Deleted, b.Older} {
		for k := range list {
			if k > 0 && list[k-1] == list[k] {
				return fmt.Errorf("%w: owner %d is deleted, or older, twice", ErrBatch, list[k])
			}
		}
	}
	for k, z := range b.Clocks.Zones {
		if k > 0 && b.Clocks.Zones[k-1].Number == z.Number {
			return fmt.Errorf("%w: area %d is there twice", ErrBatch, z.Number)
		}
	}
	return nil
}

// checkMoves looks at those who leave, and at those who have come.
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
			return fmt.Errorf("%w: owner %d leaves for zone %q twice, or from there, or is changed or deleted", ErrBatch, id, m.To)
		case m.Owner.Frame == 0 || m.Owner.Frame > b.Frame:
			return fmt.Errorf("%w: owner %d leaves with frame %d, the batch is of %d", ErrBatch, id, m.Owner.Frame, b.Frame)
		case max(len(m.Owner.Blob), len(m.Owner.Data)) > MaxBytes:
			return fmt.Errorf("%w: owner %d of zone %q, which leaves, has more than %d bytes", ErrTooLarge, id, b.Zone, MaxBytes)
		}
		seen[id] = true
	}
	for k := range b.Arrived {
		if a := &b.Arrived[k]; a.Number == 0 {
			return fmt.Errorf("%w: owner %d has come with move 0", ErrBatch, a.Owner.ID)
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
	if n := max(len(b.Older), len(b.Clocks.Zones)); n > mostListed {
		return fmt.Errorf("%w: a list of %d for zone %q, more than %d", ErrTooLarge, n, b.Zone, mostListed)
	}
	for k := range b.Owners {
		o := &b.Owners[k]
		if n := max(len(o.Blob), len(o.Data)); n > MaxBytes {
			return fmt.Errorf("%w: %d bytes for owner %d of zone %q, more than %d", ErrTooLarge, n, o.ID, b.Zone, MaxBytes)
		}
	}
	return nil
}

// mostListed is how many owners an engine may have, and areas.
const mostListed = buff.MaxOwners

// Follows fails unless the Batch may be made the next cut of a zone that is at this epoch and
// frame; frame 0 is that of one without a cut. The errors are [ErrFenced], [ErrLost] and [ErrBatch].
func (b *Batch) Follows(epoch, frame uint64) error {
	switch {
	case b.Epoch != epoch:
		return fmt.Errorf("%w: zone %q is at epoch %d, the batch is of %d", ErrFenced, b.Zone, epoch, b.Epoch)
	case !b.Whole && frame < b.Since:
		return fmt.Errorf("%w: zone %q is at frame %d, and frame %d had been acknowledged", ErrLost, b.Zone, frame, b.Since)
	case b.Frame < frame: // a commit that was given up has come after all, behind its successor
		return fmt.Errorf("%w: zone %q is at frame %d, the batch is of %d", ErrBatch, b.Zone, frame, b.Frame)
	}
	return nil
}
