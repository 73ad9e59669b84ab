// Package bufftick is the front page of a tick engine for timed effects in game
// servers: buffs, debuffs, damage and healing over time, shields, stuns,
// cooldowns, timeouts. The package itself exports nothing; a program imports the
// packages below.
//
//	package        what it is                                       may import
//	wheel          the clock face: slots, hands, timers             standard library
//	buff           the rules: Spec, Catalog, Set, Instance, Event   wheel
//	buff/catalog   definition files into a buff.Catalog             buff, a YAML reader
//	actor          one mailbox per player, run by few workers       standard library
//	engine         puts them on a game loop                         wheel, buff, actor, ants
//
// The way of one event: the game calls AddBuff on the engine; the owner's
// buff.Set decides; the wheel keeps the deadline; Tick moves the wheel and hands
// what fell due to the owner's mailbox; a worker runs the owner's handler; the
// loop reads what came of it from the Frame.
//
//	game ─▸ engine.AddBuff ─▸ buff.Set ─▸ wheel
//	                                        │ Tick
//	game ◂─ engine.Frame ◂─ handler ◂─ actor mailbox
//
// Start with the example of package engine, or run the small game:
//
//	go run ./examples/mmo
package bufftick
