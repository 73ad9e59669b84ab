// Package snapshot is the interface between package store and package engine: consistent copies
// of all owners of an engine, made while it runs. Engine.Copies returns a [Maker].
//
// Begin starts a round between two Ticks. Owners that have changed since the last round belong
// to it, and are copied in their state at that instant, at any later time: by Help, on another
// goroutine, while no Tick runs; by Step, on the loop, a few owners per frame; or, if that is
// earlier, by the loop or worker that is about to change the owner (copy on update). So a round
// is one instant of the whole engine, and no frame pays for all of it. Take ends it.
//
// An owner that is busy when a round starts cannot be copied. The round has its last complete
// state that agrees with all others: it includes everything that the owner gave to other owners
// and received from them, as far as they have it. Commands that wait for it are in
// Round.Waiting. For this, an owner that the loop has changed since its last copy is copied
// again before its next turn.
//
// A copy does not include timeouts by function, and handlers that a call of the loop has
// deferred to the next Tick; Copy.Lost counts them.
package snapshot
