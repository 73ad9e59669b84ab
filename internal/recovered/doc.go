// Package recovered formats recovered panic values. When code of the game panics, the value may be
// of a type of the game, and its Error or String method may panic too. That must be handled,
// because the caller is the deferred function that has just recovered the first panic.
package recovered
