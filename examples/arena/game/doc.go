// Package game is an arena of two sides and their kings' nightmare: heroes who fight each other and the
// Hollow King with poisons, shields, stuns and banners, all of which run on package engine. It knows
// nothing of sockets; package serve plays it in real time.
//
//	world.go    who is there, and one frame of the game
//	unit.go     a hero, and the King
//	book.go     the definitions, read from ../buffs/*.yaml, and what is cast by code
//	cast.go     the eight abilities, and what each class does with its weapon
//	bots.go     what heroes do whom nobody plays
//	king.go     what the King does
//	ground.go   where everybody is: steps, room, who is near
//	learn.go    what the loop learns from a frame
//	orders.go   what players ask of their heroes
//
// The same seed and the same orders give the same game, with any number of workers. All of a [World]
// is for the goroutine that calls [World.Step].
package game
