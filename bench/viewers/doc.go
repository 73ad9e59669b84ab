// Package viewers measures what it costs to show buffs to players: 4,000 viewers of the raids of
// profile B, each of whom sees 40 players, in several ways, of which each plays the same game.
//
// A way is charged for what its frames take more of the processors than those of the game without
// viewers, frame by frame the same game, in turn second by second. No socket is in it: what a viewer
// would be sent is written to memory and counted.
package viewers
