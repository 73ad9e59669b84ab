// Package recovered formats recovered panic values. A panic in code of the game has a value of
// the game, whose Error or String method may panic in turn; and the caller is the deferred
// function that has just recovered the first panic.
package recovered
