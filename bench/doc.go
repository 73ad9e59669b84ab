// Package bench weighs the engine against what one would write without it.
//
//	go test -run '^$' -bench . ./bench                    all of it, some minutes
//	go test -run '^$' -bench Tick -benchtime 0.5s ./bench one of them
//
// It holds benchmarks only. There is one for each question; the rows to compare
// stand in the same benchmark, so that they run in the same minute on the same
// machine:
//
//	benchmark   question                                        rows
//	Add         what does it cost to keep a deadline            wheel, heap, AfterFunc
//	Cancel      … to take it back                               wheel, heap, AfterFunc
//	Fire        … when it comes due                             wheel, heap, AfterFunc
//	Tick        what does a frame cost, per player and event    one goroutine, ants, a scan of all buffs
//	Buffs       what does one call cost among 100,000 buffs     new, refresh, remove
//	Hand        what does it cost to bring work to a worker     mailboxes, one Submit for each message
//	Memory      what does it weigh                              a player, a buff
//
// The figure to read is the one with the unit of the question: ns/timer,
// ns/player, ns/event, ns/call, ns/message, B/buff. ns/op is the cost of a batch
// and says nothing by itself.
//
// # What the figures do not show
//
// The handlers do next to nothing, so that the figures are the engine's and not
// the game's. The heap and the scan keep no order among equals, no generations
// and no events; they do less than what they are compared with. Nothing here
// shows how even the frames are: for that, run the game in examples/mmo.
package bench
