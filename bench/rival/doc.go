// Package rival runs the same work on the engine and on hand-written alternatives, in alternating
// rounds of one run (A B A B). The speed of a machine varies within seconds, and this affects
// alternating measurements in the same way. Their ratio is therefore more reliable than the
// measurements themselves.
//
// The work is a [Game] with buffs, some of which pulse. Buffs are sometimes refreshed, and start
// again when they end. The [Load] of the game says how often this happens. All contenders get the
// same calls. These are the contenders, and the features that the alternatives lack:
//
//	engine      this module, with handlers on the loop
//	ants        this module, with handlers on a pool
//	scan        visits every buff in each frame, in one flat array. No order within a
//	            frame, no handles, no events, no rules
//	lists       one list for each of the next 43,200 frames; a refresh moves the buff
//	            to another list. Deadlines must be less than 43,200 frames ahead, no rules
//	heap        container/heap of all deadlines; a refresh finds a buff by its index. No
//	            order among equal deadlines, no rules
//	AfterFunc   a time.AfterFunc for each buff, and a lock for each player. Real time;
//	            events in the order of the scheduler; no rules
//
// The contenders "lists" and "heap" keep only deadlines. For a fair comparison, they also do other
// work of the engine: they look up the player, and the buff by definition and source, and write an
// event for each change. A check makes sure that all contenders except AfterFunc have the same
// pulses and ends in each round.
package rival
