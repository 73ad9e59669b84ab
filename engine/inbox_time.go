package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Verbs of the Inbox about time: what they do is said at the Engine's. They fail with
// ErrInboxFull or ErrClosed.

// ExtendUpTo is Extend that never leaves more than most. It fails with
// [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) ExtendUpTo(h buff.Handle, d, most time.Duration) error {
	return in.by(h.Number(), extendUpTo(h, d, most))
}

// SetRemaining makes the buff of a handle end d after the next Tick. It fails with
// [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) SetRemaining(h buff.Handle, d time.Duration) error {
	return in.by(h.Number(), buff.Command{Verb: buff.SetRemaining, Handle: h, By: d})
}

// SetPeriod changes the period of the buff of a handle in the next Tick. It fails
// with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) SetPeriod(h buff.Handle, d time.Duration) error {
	return in.by(h.Number(), buff.Command{Verb: buff.SetPeriod, Handle: h, By: d})
}

// Pause stops the time of an owner in the next Tick. It fails with [ErrInboxFull] or
// [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Pause(owner buff.OwnerID) error {
	return in.to(owner, buff.Command{Verb: buff.Hold, Whose: buff.OfOwner})
}

// Resume lets the time of an owner go on in the next Tick. It fails with
// [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Resume(owner buff.OwnerID) error {
	return in.to(owner, buff.Command{Verb: buff.Resume, Whose: buff.OfOwner})
}

// SetRate lets the time of an owner pass at a rate from the next Tick on. It fails
// with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) SetRate(owner buff.OwnerID, r buff.Ratio) error {
	return in.to(owner, buff.Command{Verb: buff.SetRate, Whose: buff.OfOwner, Rate: r})
}

// PauseBuff stops the time of one buff in the next Tick. It fails with
// [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) PauseBuff(h buff.Handle) error {
	return in.by(h.Number(), buff.Command{Verb: buff.Hold, Handle: h})
}

// ResumeBuff lets the time of one buff go on in the next Tick. It fails with
// [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) ResumeBuff(h buff.Handle) error {
	return in.by(h.Number(), buff.Command{Verb: buff.Resume, Handle: h})
}

// SetBuffRate lets the time of one buff pass at a rate from the next Tick on. It
// fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) SetBuffRate(h buff.Handle, r buff.Ratio) error {
	return in.by(h.Number(), buff.Command{Verb: buff.SetRate, Handle: h, Rate: r})
}
