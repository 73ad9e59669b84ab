// Package floor is the least that the promises of the engine cost: a program of the same
// guarantees, written for this one purpose, so that nobody takes the engine's own cost for the
// price of its promises. It stays beside the engine for good, and is measured in turn with it.
//
// It has: order by millisecond, rank and age on each owner; handles with generations; new ones,
// refreshes, stacks, removals; an event for everything that happens; handlers whose commands wait
// until they return; commands across owners at the end of the frame, by time of the cause, owner and
// number of issue. A test holds it to the engine's events, owner by owner.
//
// It has not: gates, tags, attributes, rates and pauses, timers of stacks, reload, saving, other
// goroutines, workers, budgets, catching up, observation. Its time ends after 49 days, an owner has at
// most 96 buffs, and nothing that it has taken is ever given back.
//
// # Layout
//
//	ring      lists of {owner, due}: one lazy entry for each owner, under its earliest deadline
//	header    128 bytes for each owner: what it is filed under, and for each of twelve blocks of eight
//	          buffs the block's number and earliest deadline
//	line      64 bytes for each block: eight deadlines, and eight keys of definition and source. What
//	          is due, and what an application joins, is found without a look at any instance
//	instance  64 bytes for each buff, without pointers, the eight of a block in a row
//
// When the earliest deadline of an owner moves later nothing is told to the ring: the entry comes up
// too early once, and is filed anew. All of it is in a few large pieces of memory in which the collector
// finds nothing to follow. What is due is worked off in batches of 64 owners: first all is read that
// they will need, in loops so short that the processor waits for many reads at once, and then the
// work is done. [World.Do] does the same for a batch of calls.
package floor
