// Package game is a small online game that plays itself: bots in raids fight bosses with
// poisons, curses, shields and food, and every effect runs on package engine. [Run] is the
// whole game, as called by command mmo; a program adds further pages with [Console].Mount.
//
//	run.go       Run: from flags to the summary
//	flags.go     flags
//	loop.go      the game loop: frames, real time, status
//	world.go     the units, and how the loop follows a frame's events
//	raids.go     bosses and their actions
//	bots.go      decisions of players
//	spells.go    classes and spells
//	handlers.go  the Go code that definitions call by name
//	book.go      the definitions, read from ../buffs/*.yaml
//	reload.go    reloading them while the game runs
//	keep.go      the world on disk
//	live.go      -live: a page in the browser, and keys
//	story.go     lines about deaths and bosses; status.go has the status line
//	summary.go   the final report; totals.go, pulses.go, digest.go count for it
package game
