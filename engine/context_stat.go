package engine

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
)

// Verbs of a handler about attributes. An attribute or a school that is not of the engine's
// catalog makes them panic.

// Attribute returns an attribute of the handler's own owner, with all that its buffs make of
// it, before the commands of this handler; see [Engine.Attribute].
//
// Only inside the handler.
func (c *Context) Attribute(attr stat.Attr) float64 {
	l := c.live()
	return l.owner.set.Attribute(l.turn.Catalog, l.engine.attr("Attribute", attr))
}

// Base returns an attribute of the handler's own owner without what its buffs make of it,
// before the commands of this handler.
//
// Only inside the handler.
func (c *Context) Base(attr stat.Attr) float64 {
	l := c.live()
	return l.owner.set.Base(l.turn.Catalog, l.engine.attr("Base", attr))
}

// SetBase makes v the base of an attribute of an owner. What is no number of at most
// stat.MaxValue changes nothing.
//
// Only inside the handler.
func (c *Context) SetBase(owner buff.OwnerID, attr stat.Attr, v float64) {
	c.to(owner, buff.Command{Verb: buff.SetBase, Attr: c.live().engine.attr("SetBase", attr), Value: v})
}

// Change adds to the base of an attribute of an owner, within its limits; see
// [Engine.Change].
//
// Only inside the handler.
func (c *Context) Change(owner buff.OwnerID, attr stat.Attr, by float64) {
	c.to(owner, buff.Command{Verb: buff.AddBase, Attr: c.live().engine.attr("Change", attr), Value: by})
}

// Damage takes an amount off the base of an attribute of an owner, after its shields; see
// [Engine.Damage].
//
// Only inside the handler.
func (c *Context) Damage(owner buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) {
	e := c.live().engine
	c.to(owner, damage(e.attr("Damage", attr), amount, e.known("Damage", school)))
}
