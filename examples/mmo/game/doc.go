// Package game is a small online game that plays itself: bots in raids fight bosses with
// poisons, curses, shields and food, and every effect runs on package engine. [Run] runs the
// whole game; the command mmo only calls Run. Another program can add pages with [Console].Mount.
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
//	reload.go    reloading the definitions while the game runs
//	keep.go      saving the world on disk
//	live.go      -live: a page in the browser, and keys
//	story.go     lines about deaths and bosses
//	status.go    the status line
//	summary.go   the final report, with figures from totals.go, pulses.go and digest.go
package game
