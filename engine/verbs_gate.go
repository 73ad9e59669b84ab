package engine

import (
	"github.com/bufftick/bufftick/buff"
)

// Verbs of the loop about what may be applied to an owner, and what has an effect. They
// fail in the manner of those about time.

// Inhibit takes the effect of the buff of a handle away, as if its ongoing requirement
// failed: its pulses are suppressed, what it grants is off, and its time goes on. To
// inhibit twice is the same as once.
//
// Only the loop goroutine may call it.
func (e *Engine) Inhibit(h buff.Handle) buff.Result {
	e.enter("Inhibit")
	return e.by(h.Number(), &buff.Command{Verb: buff.Inhibit, Handle: h})
}

// Release ends an Inhibit. The buff has its effect again unless something else hides it;
// its Inhibition says what becomes of the beat.
//
// Only the loop goroutine may call it.
func (e *Engine) Release(h buff.Handle) buff.Result {
	e.enter("Release")
	return e.by(h.Number(), &buff.Command{Verb: buff.Release, Handle: h})
}

// AddTag gives an owner a tag and those above it, once more; see buff.Catalog.Tag. It
// fails with buff.ErrTag for the tag 0, and panics for one that is not of the engine's
// catalog.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner) if the tag is new
// and some of them have requirements.
func (e *Engine) AddTag(id buff.OwnerID, tag buff.Tag) buff.Result {
	e.enter("AddTag")
	return e.to(id, &buff.Command{Verb: buff.AddTag, Tag: e.known("AddTag", tag)})
}

// DropTag takes back one AddTag. An owner who does not have the tag is left as it is; what
// its buffs grant must not be dropped. It fails and panics as AddTag does.
//
// Only the loop goroutine may call it. It costs what AddTag costs.
func (e *Engine) DropTag(id buff.OwnerID, tag buff.Tag) buff.Result {
	e.enter("DropTag")
	return e.to(id, &buff.Command{Verb: buff.DropTag, Tag: e.known("DropTag", tag)})
}

// Immunize makes an owner immune to buffs with a tag or one below it, once more: new ones
// are denied, and those that it carries follow the Immune of their definition. With purge
// they go, unless that is ignore; Result.Amount says how many went. It fails and panics
// as AddTag does.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Immunize(id buff.OwnerID, tag buff.Tag, purge bool) buff.Result {
	e.enter("Immunize")
	return e.to(id, &buff.Command{Verb: buff.Immunize, Tag: e.known("Immunize", tag), Purge: purge})
}

// Expose takes back one Immunize. It fails and panics as AddTag does.
//
// Only the loop goroutine may call it.
func (e *Engine) Expose(id buff.OwnerID, tag buff.Tag) buff.Result {
	e.enter("Expose")
	return e.to(id, &buff.Command{Verb: buff.Expose, Tag: e.known("Expose", tag)})
}

// known returns the tag and panics if it cannot be one of the engine's catalog.
func (e *Engine) known(method string, tag buff.Tag) buff.Tag {
	if tag != 0 && e.Catalog().TagName(tag) == "" {
		panic("engine: " + method + " with a tag that is not of this engine's catalog")
	}
	return tag
}
