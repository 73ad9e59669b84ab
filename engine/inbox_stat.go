package engine

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
)

// Verbs of the Inbox about attributes. An attribute or a school that is not of the engine's
// catalog makes them panic; a value that is no number of at most stat.MaxValue changes
// nothing, and is counted in Stats.Undelivered.

// SetBase makes v the base of an attribute of an owner in the next Tick. It fails with
// [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) SetBase(owner buff.OwnerID, attr stat.Attr, v float64) error {
	return in.to(owner, buff.Command{Verb: buff.SetBase, Attr: in.engine.attr("SetBase", attr), Value: v})
}

// Change adds to the base of an attribute of an owner in the next Tick, within its limits;
// see [Engine.Change]. It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Change(owner buff.OwnerID, attr stat.Attr, by float64) error {
	return in.to(owner, buff.Command{Verb: buff.AddBase, Attr: in.engine.attr("Change", attr), Value: by})
}

// Damage takes an amount off the base of an attribute of an owner in the next Tick, after
// its shields; see [Engine.Damage]. It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Damage(owner buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) error {
	return in.to(owner, damage(in.engine.attr("Damage", attr), amount, in.engine.known("Damage", school)))
}
