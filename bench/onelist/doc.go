// Package onelist is a rival of the engine, written to be as fast as its order of events allows.
//
// It keeps the engine's order for a part of the rules: apply, refresh, stack, pulse, end, remove, commands of
// handlers, and commands for other owners. A buff is one record of 64 bytes, and at most one live entry on a
// wheel. In each Tick all due entries are sorted once, by instant, rank and age, and then run.
//
//	Tick ─▸ collect due entries ─▸ sort ─▸ run each: record, event, handler, file the next deadline
//
// A refresh that moves a deadline to a later instant leaves its entry; the entry is filed again when it comes up
// early. Options add what the engine promises beyond that, so that the price of each promise can be measured.
//
// It is not safe for concurrent use, and it has no limits: an owner with more than 96 buffs panics.
package onelist
