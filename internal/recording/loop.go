package recording

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Loop is what package engine/replay does with an engine, and no game may. Only the loop goroutine
// may use it.
type Loop interface {
	// Begin has the inbox accept and forget what is posted from now on, and give the next Ticks all
	// that Inbox hands in.
	Begin()

	// Fingerprint is what a recording knows the engine's first catalog by.
	Fingerprint() uint64

	// Find fills in the handler that a timeout by name calls, and fails if there is none.
	Find(c *buff.Command) error

	// Ask carries a command out that is known to be sound, for this catalog or for one before it.
	Ask(c *buff.Command)

	// Forward carries a command out as one of the inbox, within the function that Inbox was given.
	Forward(c *buff.Command)

	// Inbox has do called where the next Tick takes what the inbox has.
	Inbox(do func())

	// Foreign calls something of the game, under the name that a fault says. A panic is an error.
	Foreign(call string, do func()) error

	// Forget drops the time that is carried, for an engine that is to be closed: it was not played
	// when it was recorded.
	Forget()

	// GoOn ends the replay of a game that goes on: with that Budget, and an inbox that listens.
	GoOn(budget time.Duration)
}

// LoopOf returns the engine e, an *engine.Engine, as a Loop. Package engine sets it.
var LoopOf func(e any) Loop
