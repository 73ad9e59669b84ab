// Package viewers measures the cost of showing buffs to players with several methods. All methods
// run the same game, which is the raids of profile B with 4,000 viewers. Each viewer sees 40
// players.
//
// The cost of a method is the processor time of its frames, minus the time of the same frames
// without viewers. The methods take turns, and play one second of the game in each turn. Messages
// are not sent through sockets, but written to memory and counted.
package viewers
