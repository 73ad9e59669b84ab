package engine

import (
	"errors"
	"strconv"

	"github.com/bufftick/bufftick/buff"
)

// Errors of calls. The returned errors wrap these, and add the subject and the limit. Package buff
// has the errors of the rules: buff.ErrDuration, buff.ErrStacks, buff.ErrFull, buff.ErrStale,
// buff.ErrInfinite, buff.ErrLevel, buff.ErrScale, buff.ErrRate, buff.ErrPeriod, buff.ErrTag,
// buff.ErrAmount.
var (
	ErrClosed         = errors.New("engine: closed")
	ErrUnknownOwner   = errors.New("engine: unknown owner")
	ErrOwnerExists    = errors.New("engine: owner already exists")
	ErrTooManyOwners  = errors.New("engine: too many owners")
	ErrBusy           = errors.New("engine: owner is busy")
	ErrTooManyAreas   = errors.New("engine: too many areas")
	ErrUnknownSpec    = errors.New("engine: definition is not in this engine's catalog")
	ErrRemoved        = errors.New("engine: definition has been removed")
	ErrLineage        = errors.New("engine: catalog was not built from the current one")
	ErrNoEpoch        = errors.New("engine: Options.Epoch is missing")
	ErrUnknownHandler = errors.New("engine: unknown handler")
	ErrOverloaded     = errors.New("engine: overloaded")
	ErrInboxFull      = errors.New("engine: inbox is full")

	ErrTooManyProducers = errors.New("engine: too many inbox producers")
)

// ownerError is an error about an owner. Its text is formatted lazily, because a game may query
// unavailable owners in every frame.
type ownerError struct {
	what error
	id   buff.OwnerID
}

func (e *ownerError) Error() string {
	return e.what.Error() + ": " + strconv.FormatUint(uint64(e.id), 10)
}

func (e *ownerError) Unwrap() error { return e.what }
