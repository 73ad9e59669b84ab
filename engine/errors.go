package engine

import (
	"errors"
	"strconv"

	"github.com/bufftick/bufftick/buff"
)

// Errors of calls, wrapped with the name of the subject and the limit. Package buff has the
// errors of the rules: buff.ErrDuration, buff.ErrStacks, buff.ErrFull, buff.ErrStale,
// buff.ErrInfinite, buff.ErrLevel, buff.ErrScale, buff.ErrRate, buff.ErrPeriod, buff.ErrTag,
// buff.ErrAmount.
var (
	ErrClosed         = errors.New("engine: closed")
	ErrUnknownOwner   = errors.New("engine: no such owner")
	ErrOwnerExists    = errors.New("engine: the owner is there already")
	ErrTooManyOwners  = errors.New("engine: no room for another owner")
	ErrBusy           = errors.New("engine: the owner is busy")
	ErrTooManyZones   = errors.New("engine: no room for another zone")
	ErrUnknownSpec    = errors.New("engine: the definition is not of this engine's catalog")
	ErrRemoved        = errors.New("engine: the definition is not there any more")
	ErrLineage        = errors.New("engine: the catalog was not made from the present one")
	ErrNoEpoch        = errors.New("engine: Options.Epoch is missing")
	ErrUnknownHandler = errors.New("engine: no such handler")
	ErrOverloaded     = errors.New("engine: too much waits for the owner")
	ErrInboxFull      = errors.New("engine: the inbox is full")

	ErrTooManyProducers = errors.New("engine: no room for another producer in the inbox")
)

// ownerError is an error about an owner. Its text is formatted lazily: a game may query
// unavailable owners in every frame.
type ownerError struct {
	what error
	id   buff.OwnerID
}

func (e *ownerError) Error() string {
	return e.what.Error() + ": " + strconv.FormatUint(uint64(e.id), 10)
}

func (e *ownerError) Unwrap() error { return e.what }
