// Package load contains the games that bench measures. A game has simulated players, an engine, and
// books. The players cast on other players in the proportions of real fights. The books record in
// advance every pulse and every end that must happen.
//
// A profile is a struct of parameters with a method Run. Most profiles are a [Mix] of calls in a
// [world]:
//
//	mix    which calls are made, how often, for which players  mix.go, draw.go
//	world  the loop, with calls, Tick, events and figures      world.go
//	books  the expected events, computed separately            books.go, books_events.go
//	meter  measures frame times                                meter.go
//
// # The books
//
// For each buff the books have the owner, the end and the next pulse. They compute these only from
// the arguments of the calls and never query the engine. Each event must be the next event that the
// books expect for its buff, at exactly the expected millisecond, and in the frame that reaches
// this time. An unexpected event is an error. If an event is still expected at the end of a run, it
// was lost. A handler counts its calls in the player's data, so each pulse is counted three times:
// when the books expect it, when it is seen in a frame, and when a worker handles it.
//
// A command for a busy owner is entered into the books at its place in the order of the owner's
// events. If a handler issues a command for another owner, the command is entered when the pulse
// that called the handler is seen.
package load
