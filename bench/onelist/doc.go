// Package onelist is an alternative to the engine. It is written to be as fast as possible while
// it keeps the engine's order of events.
//
// It implements part of the engine's rules: apply, refresh, stack, pulse, end, remove, commands of
// handlers, and commands for other owners. A buff is a record of 64 bytes, and has at most one
// live entry on a wheel. In each Tick, all due entries are sorted once, by instant, rank and age,
// and then executed.
//
//	Tick ─▸ collect due entries ─▸ sort ─▸ for each: update record, emit event, call handler, file next deadline
//
// A refresh that postpones a deadline does not move the entry. When the entry is due too early, it
// is filed again. With Options, onelist keeps further promises of the engine, so that the cost of
// each can be measured.
//
// It is not safe for concurrent use, and has one limit: an owner with more than 96 buffs panics.
package onelist
