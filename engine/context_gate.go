package engine

import "github.com/bufftick/bufftick/buff"

// Verbs of a handler about what may be applied to an owner, and what has an effect. A tag
// that is not of the engine's catalog makes them panic; with the tag 0 they do nothing.

// Inhibit takes the effect of the buff of a handle away; see [Engine.Inhibit].
//
// Only inside the handler.
func (c *Context) Inhibit(h buff.Handle) {
	c.by(h.Number(), buff.Command{Verb: buff.Inhibit, Handle: h})
}

// Release ends an Inhibit.
//
// Only inside the handler.
func (c *Context) Release(h buff.Handle) {
	c.by(h.Number(), buff.Command{Verb: buff.Release, Handle: h})
}

// AddTag gives an owner a tag once more; see [Engine.AddTag].
//
// Only inside the handler.
func (c *Context) AddTag(owner buff.OwnerID, tag buff.Tag) {
	c.to(owner, buff.Command{Verb: buff.AddTag, Tag: c.live().engine.known("AddTag", tag)})
}

// DropTag takes back one AddTag.
//
// Only inside the handler.
func (c *Context) DropTag(owner buff.OwnerID, tag buff.Tag) {
	c.to(owner, buff.Command{Verb: buff.DropTag, Tag: c.live().engine.known("DropTag", tag)})
}

// Immunize makes an owner immune to buffs with a tag, once more; see [Engine.Immunize].
//
// Only inside the handler.
func (c *Context) Immunize(owner buff.OwnerID, tag buff.Tag, purge bool) {
	c.to(owner, buff.Command{Verb: buff.Immunize, Tag: c.live().engine.known("Immunize", tag), Purge: purge})
}

// Expose takes back one Immunize.
//
// Only inside the handler.
func (c *Context) Expose(owner buff.OwnerID, tag buff.Tag) {
	c.to(owner, buff.Command{Verb: buff.Expose, Tag: c.live().engine.known("Expose", tag)})
}
