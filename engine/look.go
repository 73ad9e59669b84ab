package engine

import (
	"iter"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
)

// What the loop and a handler can ask of an owner.
//
// The loop gets the answer that a handler of the owner would get, and an error: [ErrBusy]
// while the owner's turn is not over, and [ErrUnknownOwner] where there is no such owner. An
// error says that nobody has looked; the rest of the answer then says nothing. Without an
// error "no" means no. A question that is answered allocates nothing; one that is not
// allocates the error, 32 bytes.

// HasTag reports whether an owner has a tag: by what its buffs grant, or by AddTag. Nobody has tag 0, which is what
// Catalog.Tag returns for a name that there is not. It fails with [ErrBusy]
// and [ErrUnknownOwner]: an error must not be taken for false, or a stunned player could act because it could
// not be read.
//
// Only the loop goroutine may call it.
func (e *Engine) HasTag(id buff.OwnerID, tag buff.Tag) (bool, error) {
	e.enter("HasTag")
	set, err := e.asked(id)
	if err != nil {
		return false, err
	}
	return set.Has(tag), nil
}

// Dead reports whether an owner has been killed and not revived since: by buff.Kill, by an action of a buff, or
// because an attribute with at_min: kill has come to its minimum. A buff.Died reports the death. It fails as
// HasTag does.
//
// Only the loop goroutine may call it.
func (e *Engine) Dead(id buff.OwnerID) (bool, error) {
	e.enter("Dead")
	set, err := e.asked(id)
	if err != nil {
		return false, err
	}
	return set.Dead(), nil
}

// Remaining returns the longest time left among the buffs of an owner with a tag, in Tags
// or Grants or below it there, and reports whether there is one: a cooldown is a buff with
// a tag. Of one whose time stands still it is what would be left if its time went on now,
// and of an infinite one the longest Duration there is. It fails as HasTag does.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Remaining(id buff.OwnerID, tag buff.Tag) (left time.Duration, found bool, err error) {
	e.enter("Remaining")
	set, err := e.asked(id)
	if err != nil {
		return 0, false, err
	}
	left, found = set.Remaining(tag, e.now)
	return left, found, nil
}

// Param returns a parameter of the buff of a handle, by its name in the definition, and
// reports whether there is one. It fails with [ErrBusy] if the buff's owner is busy.
//
// Only the loop goroutine may call it. It costs O(parameters of the definition).
func (e *Engine) Param(h buff.Handle, name string) (v float64, found bool, err error) {
	e.enter("Param")
	set, err := e.holder(h)
	if err != nil {
		return 0, false, err
	}
	v, found = set.Param(h, name)
	return v, found, nil
}

// Carried is what an owner carries, or nothing. It is good until something is asked of the
// owner, or the next Tick. It is no iter.Seq itself: what a function returns beside an error
// is called through a pointer, and a loop over it would allocate.
type Carried struct{ set *buff.Set }

// All returns the buffs, the oldest application first. The loop over them may end the one
// that it is at. It allocates nothing.
func (c Carried) All() iter.Seq[buff.Instance] { return c.set.All() }

// Buffs returns what the owner carries. It fails as HasTag does, and there is nothing then.
//
// Only the loop goroutine may call it.
func (e *Engine) Buffs(id buff.OwnerID) (Carried, error) {
	e.enter("Buffs")
	set, err := e.asked(id)
	if err != nil {
		return Carried{nothing}, err
	}
	return Carried{set}, nil
}

// nothing is what an owner carries who cannot be looked at, or is not there.
var nothing = buff.NewSet(0, 0, 0, 1)

// At returns the buff in a slot and reports whether there is one: see [buff.Set.At].
func (c Carried) At(slot int) (buff.Instance, bool) { return c.set.At(slot) }

// Find returns the buff of a handle and reports whether it runs. It fails with [ErrBusy] if
// the buff's owner is busy: whether it still runs is not known then.
//
// Only the loop goroutine may call it.
func (e *Engine) Find(h buff.Handle) (b buff.Instance, found bool, err error) {
	e.enter("Find")
	set, err := e.holder(h)
	if err != nil {
		return buff.Instance{}, false, err
	}
	b, found = set.Find(h)
	return b, found, nil
}

// OwnerOf returns who carries the buff of a handle, and reports whether it runs. It fails as Find
// does.
//
// Only the loop goroutine may call it.
func (e *Engine) OwnerOf(h buff.Handle) (id buff.OwnerID, found bool, err error) {
	e.enter("OwnerOf")
	set, err := e.holder(h)
	if err != nil {
		return 0, false, err
	}
	if _, found = set.Find(h); !found {
		return 0, false, nil
	}
	return set.Owner(), true, nil
}

// OwnerIDs returns the owners that there are, in the order of their numbers, those that are busy among
// them. The loop over them may drop the one that it is at. It allocates nothing.
//
// Only the loop goroutine may call it. It costs O(owners).
func (e *Engine) OwnerIDs() iter.Seq[buff.OwnerID] {
	return func(yield func(buff.OwnerID) bool) {
		e.enter("OwnerIDs")
		for o := range e.all {
			if !yield(o.id()) {
				return
			}
		}
	}
}

// asked returns the Set of an owner that can be looked at.
func (e *Engine) asked(id buff.OwnerID) (*buff.Set, error) {
	switch o := e.ownerOf(id); {
	case o == nil:
		return nil, &ownerError{ErrUnknownOwner, id}
	case !e.idle(o):
		return nil, &ownerError{ErrBusy, id}
	default:
		return &o.set, nil
	}
}

// holder returns the Set that a handle is about. Where there is no such owner, and so no such
// buff, it is one without any.
func (e *Engine) holder(h buff.Handle) (*buff.Set, error) {
	switch o := e.at(h.Number()); {
	case o == nil:
		return nothing, nil
	case !e.idle(o):
		return nil, &ownerError{ErrBusy, o.id()}
	default:
		return &o.set, nil
	}
}

// HasTag reports whether the handler's own owner has a tag, before the commands of this
// handler.
//
// Only inside the handler.
func (c *Context) HasTag(tag buff.Tag) bool { return c.live().owner.set.Has(tag) }

// Remaining returns the longest time left among the buffs of the handler's own owner with
// a tag, and reports whether there is one: see [Engine.Remaining].
//
// Only inside the handler. It costs O(buffs of that owner).
func (c *Context) Remaining(tag buff.Tag) (time.Duration, bool) {
	l := c.live()
	return l.owner.set.Remaining(tag, l.turn.At())
}

// Param returns a parameter of a buff of the handler's own owner, by its name in the definition, and reports
// whether there is one. The buff of an event that ended it has no parameters any more.
//
// Only inside the handler. It costs O(parameters of the definition).
func (c *Context) Param(h buff.Handle, name string) (float64, bool) {
	return c.live().owner.set.Param(h, name)
}

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
// Only the loop goroutine may call it. It may allocate: it is meant for displays, not for rules.
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
