// Package rival runs the same work on the engine and on hand-written alternatives, in alternating
// rounds of one run (A B A B). The speed of a machine varies over seconds, and that affects
// alternating measurements alike. So their ratio is more reliable than each of them.
//
// The work is a [Game]. It has buffs, some of which pulse. They are refreshed sometimes, and start
// again when they end; the [Load] of the game says how often. All contenders get the same calls.
// These are the contenders, and the features that the alternatives lack:
//
//	engine      this module, handlers called on the loop
//	ants        the same, handlers on a pool
//	scan        visits every buff in each frame, in one flat array. No order within a
//	            frame, no handles, no events, no rules
//	lists       one list for each of the next 43,200 frames; a refresh moves the entry
//	            to another list. Deadlines must be less than 43,200 frames ahead, no rules
//	heap        container/heap of all deadlines, with the index of each for a refresh. No
//	            order among equal deadlines, no rules
//	AfterFunc   a time.AfterFunc for each buff, a lock for each player. Real time, the
//	            order of the scheduler, no rules
//
// Lists and heap only keep deadlines. So that the comparison is fair, they also look up the player
// and the buff by definition and source, and write an event for each change, as the engine does. A
// check makes sure that all contenders except AfterFunc have the same pulses and ends in each
// round.
package rival
