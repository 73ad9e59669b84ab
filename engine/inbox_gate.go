package engine

import "github.com/bufftick/bufftick/buff"

// Verbs of the Inbox about what may be applied to an owner, and what has an effect.
// A tag
// that is not of the engine's catalog makes them panic; with the tag 0 they do nothing,
// and that is counted in Stats.Undelivered.

// Inhibit takes the effect of the buff of a handle away in the next Tick. It fails
// with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Inhibit(h buff.Handle) error {
	return in.by(h.Number(), buff.Command{Verb: buff.Inhibit, Handle: h})
}

// Release ends an Inhibit in the next Tick. It fails with [ErrInboxFull] or
// [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Release(h buff.Handle) error {
	return in.by(h.Number(), buff.Command{Verb: buff.Release, Handle: h})
}

// AddTag gives an owner a tag once more in the next Tick. It fails with
// [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) AddTag(owner buff.OwnerID, tag buff.Tag) error {
	return in.to(owner, buff.Command{Verb: buff.AddTag, Tag: in.engine.known("AddTag", tag)})
}

// DropTag takes back one AddTag in the next Tick. It fails with [ErrInboxFull] or
// [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) DropTag(owner buff.OwnerID, tag buff.Tag) error {
	return in.to(owner, buff.Command{Verb: buff.DropTag, Tag: in.engine.known("DropTag", tag)})
}

// Immunize makes an owner immune to buffs with a tag, once more, in the next Tick.
// It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Immunize(owner buff.OwnerID, tag buff.Tag, purge bool) error {
	return in.to(owner, buff.Command{Verb: buff.Immunize, Tag: in.engine.known("Immunize", tag), Purge: purge})
}

// Expose takes back one Immunize in the next Tick. It fails with [ErrInboxFull] or
// [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Expose(owner buff.OwnerID, tag buff.Tag) error {
	return in.to(owner, buff.Command{Verb: buff.Expose, Tag: in.engine.known("Expose", tag)})
}
