package engine

import (
	"iter"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
)

// What the loop and a handler can ask about the attributes of an owner; Do changes them. All panic
// if the engine's catalog has no such attribute; its name gives buff.Catalog.Attr.

// Attribute returns an attribute of an owner, with all that its buffs make of it and within
// its limits. It fails with [ErrUnknownOwner], and with [ErrBusy] while the owner is busy.
//
// Only the loop goroutine may call it. It costs O(1), or O(modifiers of that attribute) if
// something has changed since it was last asked for.
func (e *Engine) Attribute(id buff.OwnerID, attr stat.Attr) (float64, error) {
	e.enter("Attribute")
	attr = e.attr("Attribute", attr)
	set, err := e.asked(id)
	if err != nil {
		return 0, err
	}
	return set.Attribute(e.Catalog(), attr), nil
}

// Base returns an attribute of an owner without what its buffs make of it. It fails as
// Attribute does.
//
// Only the loop goroutine may call it.
func (e *Engine) Base(id buff.OwnerID, attr stat.Attr) (float64, error) {
	e.enter("Base")
	attr = e.attr("Base", attr)
	set, err := e.asked(id)
	if err != nil {
		return 0, err
	}
	return set.Base(e.Catalog(), attr), nil
}

// Attributes returns the attributes of an owner in the order of the catalog, each with how
// many modifiers lie on it; [Engine.Modifiers] returns those. It fails as Attribute does, and
// is empty then.
//
// Only the loop goroutine may call it. It may allocate: it is for those who look.
func (e *Engine) Attributes(id buff.OwnerID) (iter.Seq[stat.View], error) {
	e.enter("Attributes")
	set, err := e.asked(id)
	if err != nil {
		return func(func(stat.View) bool) {}, err
	}
	return set.Attributes(e.Catalog()), nil
}

// Modifiers returns what lies on an attribute of an owner, the oldest first: Of is the
// buff.Handle of the buff that put it there, for [Engine.Find]. It fails as Attribute does,
// and is empty then.
//
// Only the loop goroutine may call it. It may allocate. Nothing may be changed while the loop
// over it runs.
func (e *Engine) Modifiers(id buff.OwnerID, attr stat.Attr) (iter.Seq[stat.Modifier], error) {
	e.enter("Modifiers")
	attr = e.attr("Modifiers", attr)
	set, err := e.asked(id)
	if err != nil {
		set = nothing
	}
	return set.Modifiers(e.Catalog(), attr), err
}

// attr returns the attribute and panics if the engine's catalog has no such one. Any
// goroutine may call it.
func (e *Engine) attr(method string, a stat.Attr) stat.Attr {
	if s := e.Catalog().Attributes(); s == nil || a == 0 || int(a) > s.Len() {
		panic("engine: " + method + " with an attribute that is not of this engine's catalog")
	}
	return a
}

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
