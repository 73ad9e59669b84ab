// Package rival lets the engine and what one would write without it do the same work, in
// the same run, in turn: A B A B. Machines have moods that last for seconds; two figures
// that were taken in turn share them, and their ratio is worth more than each of them.
//
// The work is a [Game]: so many buffs, some of which pulse, that last for a while, are
// refreshed now and then, and begin anew when they end; how often is its [Load]. Everybody
// gets the same calls. The rivals, and what each leaves out:
//
//	engine      this module, handlers called on the loop
//	ants        the same, handlers on a pool
//	scan        looks at every buff in each frame, in one flat array. No order within a
//	            frame, no handles, no events, no rules
//	lists       one list for each of 43,200 frames to come, keyed by the frame in which
//	            something is due; a refresh takes the entry out of its list. Nothing
//	            within 43,200 frames can be told from what is due 43,200 later, no rules
//	heap        container/heap of all deadlines, with the place of each for a refresh. No
//	            order among equals, no rules
//	AfterFunc   a time.AfterFunc for each buff, a lock for each player. Time is real, order
//	            is that of the scheduler, no rules
//
// lists and heap keep deadlines; what is around them they do as the engine does: they find the
// player, and on him the buff of that definition and source, and write an event for all that
// happens. All but AfterFunc are counted and must have seen the same pulses and ends in each round.
package rival
