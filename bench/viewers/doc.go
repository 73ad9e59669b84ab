// Package viewers measures the cost of showing buffs to players with several methods, which run
// the same game: the raids of profile B with 4,000 viewers, each of which sees 40 players.
//
// The cost of a method is the processor time of its frames minus the time of the same frames
// without viewers. The methods alternate, with a second of the game each. There are no sockets:
// the messages are written to memory and counted.
package viewers
