// Package snapshot is what package store and package engine say to each other: how consistent copies of all owners of
// an engine are made while it goes on. Engine.Copies returns a [Maker].
//
// A round begins between two Ticks, by Begin. Who has changed since the round before belongs to it,
// and is copied as it was then, whenever that is done: by Help, on another goroutine, while no Tick
// runs; by Step, on the loop, a few owners in each frame; or, if it comes first, by whoever is
// about to change the owner, the loop or the worker that has it ("copy on update"). So a round is one
// instant of the whole engine, and no frame pays for all of it. Take ends it.
//
// An owner that is busy when a round begins cannot be copied. The round has the last state of it
// that is complete and agrees with all others: everything that it gave to other owners, and was
// given, and that they have, is in it; commands that wait for it are in Round.Waiting. For this an
// owner that the loop has changed since its last copy is copied once more before its next turn.
//
// Not in a copy are timeouts by function, and handlers that a call of the loop has put off to
// the next Tick: Copy.Lost counts them.
package snapshot
