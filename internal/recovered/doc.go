// Package recovered formats recovered panic values. When code of the game panics, the value may be
// of a type of the game, whose Error or String method may panic too. This second panic must be
// handled, because it would happen in the deferred function that has just recovered from the first
// one.
package recovered
