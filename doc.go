// Package bufftick is the front page of a tick engine for timed effects in game
// servers: buffs, debuffs, damage and healing over time, shields, stuns,
// cooldowns, timeouts. The package itself exports nothing; a program imports the
// packages below.
//
//	game ─▸ engine.AddBuff ─▸ buff.Set ─▸ wheel
//	                                        │ Tick
//	game ◂─ engine.Frame ◂─ handler ◂─ actor mailbox
//
// The way of one event: the game calls [engine.Engine.AddBuff]; the owner's
// [buff.Set] decides; the [wheel.Wheel] keeps the deadline; [engine.Engine.Tick]
// moves the wheel and hands what fell due to the owner's mailbox; a worker runs the
// owner's handler; the loop reads what came of it from the [engine.Frame].
//
// What most programs import:
//
//   - [github.com/bufftick/bufftick/engine]: buffs on a game loop. Start with its example.
//   - [github.com/bufftick/bufftick/buff]: the rules and the words: definitions, commands, events.
//   - [github.com/bufftick/bufftick/buff/catalog]: definitions from YAML, JSON and CSV.
//   - [github.com/bufftick/bufftick/store]: zones on disk, with store/bolt for one file.
//   - [github.com/bufftick/bufftick/replicate]: buffs on players' screens.
//   - [github.com/bufftick/bufftick/inspect]: the live page.
//   - [github.com/bufftick/bufftick/timer]: time-outs for programs without a loop.
//
// Beneath them are [github.com/bufftick/bufftick/wheel], the clock face, and
// [github.com/bufftick/bufftick/actor], one mailbox per player, run by few workers.
//
// A game to look at, a game to play in the browser, and a server to begin with:
//
//	go run ./examples/mmo
//	go -C examples/arena run .
//	go run ./examples/tavern
//
// The guide in docs/guide has twelve chapters, each a program.
//
// [engine.Engine.AddBuff]: https://pkg.go.dev/github.com/bufftick/bufftick/engine#Engine.AddBuff
// [engine.Engine.Tick]: https://pkg.go.dev/github.com/bufftick/bufftick/engine#Engine.Tick
// [engine.Frame]: https://pkg.go.dev/github.com/bufftick/bufftick/engine#Frame
// [buff.Set]: https://pkg.go.dev/github.com/bufftick/bufftick/buff#Set
// [wheel.Wheel]: https://pkg.go.dev/github.com/bufftick/bufftick/wheel#Wheel
package bufftick
