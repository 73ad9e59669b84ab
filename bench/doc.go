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
// The wheel by itself, at 10^4 to 10^6 timers (-wheel.most 10000000 for more), against
// container/heap and a flat wheel of 43,200 slots, which keeps no order within a second;
// floor writes down the deadline and does nothing else.
// Other libraries are in bench/peers, a module of its own:
//
//	benchmark       question
//	WheelAdd        … to add a tenth more; WheelRemove: to take them out at random
//	WheelLater      … to move a random timer to a later deadline; WheelEarlier: back
//	WheelFire       … to let all fire within 12 h, all that leads there included
//	WheelPeriodic   … of one firing, when each timer fires every 3 s and is moved on
//	WheelMix        … of one call in the proportions of a game, frames included
//	WheelFrames     how long is the longest frame of a day, against its second and its kind
//	WheelMemory     what a timer weighs after churn, and how long a collection takes
//	WheelAfterFunc  what time.AfterFunc takes for WheelAdd
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
package main
