// Package game is an arena in which two sides of heroes fight against each other and against the
// Hollow King. Their poisons, shields, stuns and banners run on package engine. The game is
// independent of the network; package serve runs it in real time.
//
//	world.go    the units, and one frame of the game
//	unit.go     a hero or the King
//	book.go     the definitions in ../buffs/*.yaml, and the names of definitions in the code
//	cast.go     casting of the eight abilities, and basic attacks
//	bots.go     decisions of bots, which are the heroes that no person plays
//	king.go     the King's actions
//	ground.go   positions, movement and nearby units
//	learn.go    updates of the world from the events of a frame
//	orders.go   orders of players
//
// Two games with the same seed and the same orders are identical, whatever the number of workers. A
// [World] may be used only by the goroutine that calls [World.Step].
package game
