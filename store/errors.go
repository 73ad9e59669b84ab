package store

import (
	"errors"
	"fmt"
)

// Errors of a zone.
var (
	// ErrEmpty: nothing has been committed to the zone.
	ErrEmpty = errors.New("store: the zone has no cut")

	// ErrFenced: another has opened the zone since. Drop it and open it again, if it is still yours.
	ErrFenced = errors.New("store: fenced: the zone has another owner")

	// ErrLost: the store has not the cut that the Batch follows. It has lost what it had
	// acknowledged: an older copy of a file has been put back, or a database has failed over to
	// a replica that lagged. A Batch that is Whole makes it good.
	ErrLost = errors.New("store: an acknowledged cut is lost")

	// ErrTaken: New was called for a zone that has a cut. Open brings it back.
	ErrTaken = errors.New("store: the zone has a cut already")

	// ErrDone: the command of that id was done before, and is on disk.
	ErrDone = errors.New("store: the command was done before")

	// ErrElsewhere: an owner of the Batch is in another zone of the store. Owners of different
	// zones have different ids.
	ErrElsewhere = errors.New("store: the owner is in another zone")

	// ErrNoMoves: owners cannot move between the zones of this store, because it is not a Mover.
	ErrNoMoves = errors.New("store: no owner can move between the zones of this store")
)

// Errors of a file or a database.
var (
	// ErrDamaged is matched by every [DamageError].
	ErrDamaged = errors.New("store: damaged")

	// ErrForeign: what is there is no store of this project.
	ErrForeign = errors.New("store: not of bufftick")

	// ErrFuture: a later version of this library has written it. Update the program; nothing has
	// been changed.
	ErrFuture = errors.New("store: written by a later version")

	// ErrLocked: another process has the file open.
	ErrLocked = errors.New("store: locked by another process")

	// ErrReadOnly: the store can be loaded from and not written to.
	ErrReadOnly = errors.New("store: read-only")

	// ErrClosed: the store has been closed.
	ErrClosed = errors.New("store: closed")

	// ErrBroken: further writes may be lost. The disk did not keep a write, or the file was removed, replaced or
	// truncated while it was open. Close the store and open it again.
	ErrBroken = errors.New("store: broken, further writes may be lost; close the store and open it again")
)

// Errors of the caller.
var (
	// ErrName: no zone can be called so.
	ErrName = errors.New("store: bad name of a zone")

	// ErrBatch: the Batch contradicts itself.
	ErrBatch = errors.New("store: bad batch")

	// ErrTooLarge: more than MaxBytes or MaxWindow. The error names the owner.
	ErrTooLarge = errors.New("store: too large")
)

// DamageError says what is damaged, where, and what to do. It matches [ErrDamaged].
type DamageError struct {
	File    string // or the address of a database, or ""
	Place   string // in it: a zone, an owner, a page, a byte
	Problem string
}

// Error says all of it in one line.
func (e *DamageError) Error() string {
	text := ErrDamaged.Error() + ": "
	if e.File != "" {
		text += e.File + ": "
	}
	if e.Place != "" {
		text += e.Place + ": "
	}
	return text + e.Problem + "; nothing has been changed: put back a copy, or see what is whole by: bufftick cut -verify"
}

// Is reports whether target is [ErrDamaged].
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }

// whatToDo is said behind an error that names a file.
var whatToDo = []struct {
	of   error
	text string
}{
	{ErrLocked, "end that one first"},
	{ErrForeign, "nothing has been changed: is it the file that was meant?"},
	{ErrFuture, "nothing has been changed: update this program"},
	{ErrReadOnly, "let this process write to the file and its folder"},
}

// At returns err, if it is a [DamageError], with a file and a place in front of its own. Before any
// other error it puts the file, and behind it what to do, if that is known; without a file it is as it was.
func At(err error, file, place string) error {
	damage, ok := errors.AsType[*DamageError](err)
	if !ok {
		return atFile(err, file)
	}
	d := *damage
	if d.File == "" {
		d.File = file
	}
	if d.Place != "" && place != "" {
		place += ": "
	}
	d.Place = place + d.Place
	return &d
}

func atFile(err error, file string) error {
	if err == nil || file == "" {
		return err
	}
	for _, known := range whatToDo {
		if errors.Is(err, known.of) {
			return fmt.Errorf("%s: %w; %s", file, err, known.text)
		}
	}
	return fmt.Errorf("%s: %w", file, err)
}
