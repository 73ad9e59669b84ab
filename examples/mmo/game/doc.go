// Package game is a small online game that plays itself: bots in raids fight bosses with
// poisons, curses, shields and food, and every effect runs on package engine. [Run] is the
// whole of it, as command mmo calls it; what else is to be seen beside its page, a program
// mounts by [Console].Mount.
//
//	run.go       Run: flags in, summary out
//	flags.go     what can be set
//	loop.go      the game loop: frames, real time, status
//	world.go     who is there, and what the loop learns from a frame
//	raids.go     bosses, and what they do to their raids
//	bots.go      what players decide to do
//	spells.go    what there is to cast
//	handlers.go  what the buffs do: the code that the definitions call by name
//	book.go      the definitions, read from ../buffs/*.yaml
//	reload.go    and read anew while the game runs
//	live.go      with -live: a page in the browser, and keys
//	story.go     what is told on the way: who fell to whom; status.go has the line below it
//	summary.go   what is told at the end; totals.go, pulses.go, digest.go count it
package game
