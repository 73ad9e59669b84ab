package recording

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Loop is the part of an engine that only package engine/replay uses. Only the loop goroutine
// may use it.
type Loop interface {
	// Begin makes the inbox discard all posts from now on, and makes the next Ticks process only
	// the commands that the function passed to Inbox executes.
	Begin()

	// Fingerprint returns the fingerprint of the engine's first catalog.
	Fingerprint() uint64

	// Find sets the handler of a timeout from its name, and fails if there is no such handler.
	Find(c *buff.Command) error

	// Ask executes a command that is valid for the present catalog or for an earlier one.
	Ask(c *buff.Command)

	// Forward executes a command like a command of the inbox. Call it only in the function passed
	// to Inbox.
	Forward(c *buff.Command)

	// Inbox sets a function that is called when the next Tick reads the inbox.
	Inbox(do func())

	// Foreign executes a function of the game. If the function panics, Foreign reports a fault with
	// the given name, and returns the panic as an error.
	Foreign(call string, do func()) error

	// Forget drops the unprocessed time of an engine that will be closed, because the recorded
	// engine did not process it either.
	Forget()

	// GoOn ends the replay of a game that continues. The inbox accepts posts again, and Ticks have
	// the given budget.
	GoOn(budget time.Duration)
}

// LoopOf returns the engine e, an *engine.Engine, as a Loop. Package engine sets it.
var LoopOf func(e any) Loop
