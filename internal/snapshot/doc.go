// Package snapshot is the interface between package store and package engine: consistent copies
// of all owners of an engine, made while it runs. [Of] returns the [Maker] of an engine.
//
// Begin starts a round between two Ticks. The round consists of the owners that have changed since
// the last round, in their state at that instant. They are copied later, in one of three ways: by
// Help, on another goroutine, while no Tick runs; by Step, on the loop, a few owners per frame; or
// by the loop or worker that is about to change the owner (copy on update). Take ends the round.
// Together with the earlier rounds, a round thus gives the state of the whole engine at one
// instant, and no single frame has to copy all owners.
//
// An owner that is busy when a round starts cannot be copied. Instead, the round has the owner's
// last complete state that is consistent with the other owners: if this owner and another owner of
// the round have exchanged something, both states show it. Commands that wait for the owner are in
// Round.Waiting. To make sure that such a state exists, an owner that the loop has changed since
// its last copy is copied again before its next turn.
//
// A copy does not include timeouts that were set with a function value. Nor does it include
// handlers that a method called on the loop goroutine has deferred to the next Tick. Copy.Lost
// counts both.
package snapshot
