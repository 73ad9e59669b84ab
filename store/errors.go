package store

import (
	"errors"
	"fmt"
)

// Errors about a zone.
var (
	// ErrEmpty means that the zone has no committed cut.
	ErrEmpty = errors.New("store: the zone has no cut")

	// ErrFenced means that another writer has opened the zone in the meantime. Drop the zone, and
	// open it again only if this process should still run it.
	ErrFenced = errors.New("store: fenced: another writer has opened the zone")

	// ErrLost means that the store does not have the cut that the Batch follows. It has lost an
	// acknowledged cut: an older copy of a file was restored, or a database failed over to a
	// replica that lagged. A Batch with Whole set repairs the zone.
	ErrLost = errors.New("store: an acknowledged cut is lost")

	// ErrTaken means that New was called for a zone that has a cut. Use Open to restore it.
	ErrTaken = errors.New("store: the zone has a cut already")

	// ErrDone means that the command with this id was executed before and that its result is on
	// disk.
	ErrDone = errors.New("store: the command has already been executed")

	// ErrElsewhere means that an owner of the Batch is in another zone of the store. An owner id
	// may be used in only one zone of a store.
	ErrElsewhere = errors.New("store: the owner is in another zone")

	// ErrNoMoves means that the store is not a Mover, so owners cannot move between its zones.
	ErrNoMoves = errors.New("store: owners cannot move between the zones of this store")
)

// Errors about a file or a database.
var (
	// ErrDamaged is matched by every [DamageError].
	ErrDamaged = errors.New("store: damaged")

	// ErrForeign means that the file or database is not a store of this project.
	ErrForeign = errors.New("store: not a bufftick store")

	// ErrFuture means that a later version of this library wrote the data. Update the program;
	// the data is unchanged.
	ErrFuture = errors.New("store: written by a later version")

	// ErrLocked means that another process has the file open.
	ErrLocked = errors.New("store: locked by another process")

	// ErrReadOnly means that the store can be read but not written.
	ErrReadOnly = errors.New("store: read-only")

	// ErrClosed means that the store has been closed.
	ErrClosed = errors.New("store: closed")

	// ErrBroken means that further writes may be lost, because the disk did not keep a write, or
	// the file was removed, replaced or truncated while it was open. Close the store and open it
	// again.
	ErrBroken = errors.New("store: broken, further writes may be lost; close the store and open it again")
)

// Errors of the caller.
var (
	// ErrName means that the name is not valid for a zone.
	ErrName = errors.New("store: invalid zone name")

	// ErrBatch means that the Batch is inconsistent.
	ErrBatch = errors.New("store: invalid batch")

	// ErrTooLarge means that a size exceeds MaxBytes or MaxWindow. The error names the owner.
	ErrTooLarge = errors.New("store: too large")
)

// DamageError describes damaged data, its location, and a remedy. It matches [ErrDamaged].
type DamageError struct {
	File    string // file, or the address of a database, or ""
	Place   string // location in the file: a zone, an owner, a page, or a byte
	Problem string
}

// Error returns the description in one line.
func (e *DamageError) Error() string {
	text := ErrDamaged.Error() + ": "
	if e.File != "" {
		text += e.File + ": "
	}
	if e.Place != "" {
		text += e.Place + ": "
	}
	return text + e.Problem + "; nothing has been changed: restore a copy, or list the intact records with: bufftick cut -verify"
}

// Is reports whether target is [ErrDamaged].
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }

// damaged returns a DamageError without a file.
func damaged(place, format string, args ...any) error {
	return &DamageError{Place: place, Problem: fmt.Sprintf(format, args...)}
}
