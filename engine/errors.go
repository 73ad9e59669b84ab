package engine

import "errors"

// Errors of a call, wrapped with the name of the thing and the limit. Those of
// the rules are in package buff: buff.ErrDuration, buff.ErrStacks, buff.ErrFull,
// buff.ErrStale, buff.ErrInfinite, buff.ErrLevel, buff.ErrScale, buff.ErrRate,
// buff.ErrPeriod, buff.ErrTag, buff.ErrAmount.
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
	ErrUnknownHandler = errors.New("engine: no such handler")
	ErrOverloaded     = errors.New("engine: too much waits for the owner")
	ErrInboxFull      = errors.New("engine: the inbox is full")
)
