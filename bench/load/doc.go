// Package load contains the games that bench measures. A game has simulated players who cast on
// each other in the proportions of real fights, an engine, and books that record in advance every
// pulse and end that must happen.
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
// For each buff the books have the owner, the end and the next pulse. They compute these only from
// the arguments of the calls and never query the engine. Each event must be the next one that the
// books expect for its buff, in exactly that millisecond, and in the frame that reaches it. An
// unexpected event is an error, and an event that is still expected at the end of a run was lost.
// A handler counts its calls in the player's data, so each pulse is counted three times: expected
// by the books, seen in a frame, and handled by a worker.
//
// A command for a busy owner is entered into the books at its place in the order of the owner's
// events. A handler's command for another owner is entered when the pulse of that handler is seen.
package load
