// Package onelist is an alternative to the engine. It is designed to be as fast as possible while
// keeping the engine's order of events.
//
// The package implements a part of the engine's rules: apply, refresh, stack, pulse, end, remove,
// commands from handlers, and commands for other owners. A buff is a record of 64 bytes, and has at
// most one live entry on a wheel. In each Tick, all due entries are sorted once, by time, rank and
// age, and then executed.
//
//	Tick ─▸ collect due entries ─▸ sort ─▸ for each: update record, emit event, call handler, file next deadline
//
// A refresh that postpones a deadline does not move the entry. When the entry becomes due too
// early, it is filed again. With [Options], onelist keeps further promises of the engine, so that
// the cost of each promise can be measured.
//
// A World is not safe for concurrent use. It panics if an owner gets more than 96 buffs.
package onelist
