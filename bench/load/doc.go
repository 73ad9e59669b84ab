// Package load contains the games measured by bench: simulated players who cast on each other
// in the proportions of real fights, an engine, and books in which every expected pulse and end
// is recorded in advance.
//
// A profile is a struct of numbers with a Run method. Most profiles are a [Mix] of calls for a
// [world]:
//
//	mix    which calls are made how often, for which players  mix.go, draw.go
//	world  the loop, with calls, Tick, events and figures     world.go
//	books  the expected events, computed separately           books.go, books_events.go
//	meter  measures frame times                               meter.go
//
// # The books
//
// For each buff the books have the owner, the end and the next pulse. They compute them only from the
// arguments of the calls and never query the engine. An event must be the next one that the
// books expect for this buff, in that very millisecond, and in the frame that reaches it. An
// unexpected event is an error, and an event that is still due at the end of a run was lost. A
// handler counts its calls on the player, so each pulse is counted three times: expected by the
// books, seen in a frame, and handled by a worker.
//
// A command for a busy owner is entered into the books at its place in the order of the owner's events. A
// handler's command for another owner is entered when its pulse is seen.
package load
