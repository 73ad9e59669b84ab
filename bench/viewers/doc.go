// Package viewers measures the cost of showing buffs to players: 4,000 viewers of the raids of
// profile B, each of which sees 40 players, with several methods that run the same game.
//
// The cost of a method is the processor time of its frames minus the time of the same frames
// without viewers. The methods alternate, with a second of the game each. There are no sockets: the messages are
// written to memory and counted.
package viewers
