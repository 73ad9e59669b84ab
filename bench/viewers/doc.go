// Package viewers compares the cost of several methods of showing buffs to players. All methods run
// the same game, which is the raids of profile B with 4,000 viewers. Each viewer sees 40 players.
//
// The cost of a method is the processor time of its frames, minus the time of the same frames
// without viewers. The methods take turns, and each turn is one second of the game. Messages are
// written to memory and counted, not sent through sockets.
package viewers
