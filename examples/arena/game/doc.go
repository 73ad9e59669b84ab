// Package game is an arena with two sides of heroes, who fight each other and the Hollow King with
// poisons, shields, stuns and banners, all of which run on package engine. It is independent of the
// network; package serve runs it in real time.
//
//	world.go    the units, and one frame of the game
//	unit.go     a hero or the King
//	book.go     the definitions, read from ../buffs/*.yaml, and those that the code uses by name
//	cast.go     casting of the eight abilities, and basic attacks
//	bots.go     decisions of bots, the heroes that no person plays
//	king.go     the King's actions
//	ground.go   positions, movement and nearby units
//	learn.go    updates of the world from the events of a frame
//	orders.go   orders of players
//
// The same seed and the same orders give the same game, with any number of workers. A [World] may
// be used only by the goroutine that calls [World.Step].
package game
