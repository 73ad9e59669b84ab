// Package recovered has the text of what was recovered. A panic in something that a game hands in
// brings a value of the game, whose Error or String may panic in turn; and whoever reports it is in the
// deferred function that has just stopped the first panic.
package recovered
