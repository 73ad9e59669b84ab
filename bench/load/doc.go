// Package load plays the games that package main of bench measures: simulated players
// who cast on each other in the proportions of real fights, an engine that works it off,
// and books in which every pulse and every end that must happen is written down first.
//
// A profile is a struct of numbers with a Run method. Most of them are a [Mix] of calls
// for a [world]:
//
//	mix    what is asked for, how often, of whom     mix.go, draw.go
//	world  the loop: calls, Tick, events, figures    world.go
//	books  what must happen, by its own arithmetic   books.go, books_events.go
//	meter  what the frames took                      meter.go
//
// # The books
//
// For each buff the books have the owner, the end and the next pulse, from the numbers of
// the call alone: they never ask the engine when something is due. An event must be the
// next one that the books have for this buff, at that very millisecond, and in the frame
// that reaches it; what is not written down is an event too many, and what is still due at
// the end of a run was lost. A handler counts its calls on the player, so that there are
// three counts of every pulse: due by the books, seen in a frame, handled by a worker.
//
// A command for an owner who is busy is entered when its turn comes by the order of the
// owner's events. What a handler asks for another owner is entered when its pulse is seen.
package load
