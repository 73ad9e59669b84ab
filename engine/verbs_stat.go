package engine

import (
	"fmt"
	"iter"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
)

// Verbs of the loop about the attributes of an owner. Those that change one fail in the
// manner of those about time. All panic if the engine's catalog has no such attribute; its
// name gives buff.Catalog.Attr.

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

// asked returns the Set of an owner that can be looked at.
func (e *Engine) asked(id buff.OwnerID) (*buff.Set, error) {
	switch o := e.byID[id]; {
	case o == nil:
		return nil, fmt.Errorf("%w: %d", ErrUnknownOwner, id)
	case !e.idle(o):
		return nil, fmt.Errorf("%w: %d", ErrBusy, id)
	default:
		return &o.set, nil
	}
}

// Attributes returns the attributes of an owner in the order of the catalog, each with how
// many modifiers lie on it; [Engine.Modifiers] returns those. It is empty for an unknown
// owner and for one that is busy.
//
// Only the loop goroutine may call it. It may allocate: it is for those who look.
func (e *Engine) Attributes(id buff.OwnerID) iter.Seq[stat.View] {
	e.enter("Attributes")
	set, err := e.asked(id)
	if err != nil {
		return func(func(stat.View) bool) {}
	}
	return set.Attributes(e.Catalog())
}

// Modifiers returns what lies on an attribute of an owner, the oldest first: Of is the
// buff.Handle of the buff that put it there, for [Engine.Find]. It is empty for an unknown
// owner and for one that is busy.
//
// Only the loop goroutine may call it. It may allocate. Nothing may be changed while the loop
// over it runs.
func (e *Engine) Modifiers(id buff.OwnerID, attr stat.Attr) iter.Seq[stat.Modifier] {
	e.enter("Modifiers")
	attr = e.attr("Modifiers", attr)
	set, err := e.asked(id)
	if err != nil {
		set = nothing
	}
	return set.Modifiers(e.Catalog(), attr)
}

// SetBase makes v the base of an attribute of an owner. It fails with buff.ErrValue if v is
// no number of at most stat.MaxValue.
//
// Only the loop goroutine may call it.
func (e *Engine) SetBase(id buff.OwnerID, attr stat.Attr, v float64) buff.Result {
	e.enter("SetBase")
	return e.to(id, &buff.Command{Verb: buff.SetBase, Attr: e.attr("SetBase", attr), Value: v})
}

// Change adds to the base of an attribute of an owner, within its limits: what is healed is
// above zero, what is lost below. Nothing happens if by is zero. It fails as SetBase does.
//
// Only the loop goroutine may call it.
func (e *Engine) Change(id buff.OwnerID, attr stat.Attr, by float64) buff.Result {
	e.enter("Change")
	return e.to(id, &buff.Command{Verb: buff.AddBase, Attr: e.attr("Change", attr), Value: by})
}

// Damage takes an amount, rounded to whole points, half up, off the base of an attribute of
// an owner, after the shields of that school, or of all schools if it is 0, have taken their
// part: Result.Amount. Below one point nothing happens. It fails as SetBase does, and panics
// if the school is not of the engine's catalog.
//
// Only the loop goroutine may call it. It costs what [Engine.Absorb] costs.
func (e *Engine) Damage(id buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) buff.Result {
	e.enter("Damage")
	c := damage(e.attr("Damage", attr), amount, e.known("Damage", school))
	return e.to(id, &c)
}

func damage(attr stat.Attr, amount float64, school buff.Tag) buff.Command {
	return buff.Command{Verb: buff.Damage, Attr: attr, Value: amount, Tag: school}
}

// attr returns the attribute and panics if the engine's catalog has no such one. Any
// goroutine may call it.
func (e *Engine) attr(method string, a stat.Attr) stat.Attr {
	if s := e.Catalog().Attributes(); s == nil || int(a) >= s.Len() {
		panic("engine: " + method + " with an attribute that is not of this engine's catalog")
	}
	return a
}
