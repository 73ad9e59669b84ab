package engine

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/rules"
)

// Queries of an owner by the loop and by handlers.
//
// The loop gets the same answers as a handler of the owner. In addition, each query of the loop
// returns an error. It is [ErrBusy] while the owner's turn is not over, [ErrUnknownOwner] if there
// is no such owner, and otherwise nil. If the error is not nil, the other results are meaningless.
// Queries that succeed don't allocate; queries that fail allocate the error, 32 bytes.

// HasTag reports whether an owner has a tag, granted by its buffs or by AddTag. It reports false
// for tag 0, which Catalog.Tag returns for an unknown name. It fails with [ErrBusy] or
// [ErrUnknownOwner]. Do not treat an error as false: a stunned player could then act while its
// state cannot be read.
//
// Only the loop goroutine may call it.
func (e *Engine) HasTag(id buff.OwnerID, tag buff.Tag) (bool, error) {
	e.enter("HasTag")
	set, err := e.readableSet(id)
	if err != nil {
		return false, err
	}
	return set.Has(tag), nil
}

// Dead reports whether an owner has been killed and not revived since. An owner is killed by
// buff.Kill, by an action of a buff, or when an attribute with the setting `at_min: kill` reaches
// its minimum. A buff.Died event reports the death. Dead fails in the same cases as HasTag.
//
// Only the loop goroutine may call it.
func (e *Engine) Dead(id buff.OwnerID) (bool, error) {
	e.enter("Dead")
	set, err := e.readableSet(id)
	if err != nil {
		return false, err
	}
	return set.Dead(), nil
}

// Area returns the number of the area in which an owner is: see buff.SetArea. It fails with
// [ErrUnknownOwner]; the area of a busy owner is known.
//
// Only the loop goroutine may call it.
func (e *Engine) Area(id buff.OwnerID) (uint32, error) {
	e.enter("Area")
	o := e.ownerOf(id)
	if o == nil {
		return 0, &ownerError{ErrUnknownOwner, id}
	}
	return o.area, nil
}

// FindSpec returns the oldest buff of the definition on an owner that the given source applied, and
// reports whether there is one. Buffs of other versions of the definition count too. FindSpec fails
// in the same cases as HasTag, and with [ErrUnknownSpec] if the definition is nil or belongs neither
// to the engine's catalog nor to one that it succeeds.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) FindSpec(id buff.OwnerID, spec *buff.Spec, source buff.OwnerID) (b buff.Instance, found bool, err error) {
	e.enter("FindSpec")
	if _, err := e.version(spec); err != nil && !errors.Is(err, ErrRemoved) {
		return buff.Instance{}, false, err
	}
	set, err := e.readableSet(id)
	if err != nil {
		return buff.Instance{}, false, err
	}
	for b := range set.All() {
		if b.Source == source && b.Spec.Lineage() == spec.Lineage() {
			return b, true, nil
		}
	}
	return buff.Instance{}, false, nil
}

// Remaining returns the longest time left among an owner's buffs with a tag, and reports whether
// there is such a buff. If, for example, cooldowns are buffs with a tag, it returns the time until
// an ability is ready. A buff has a tag if the Tags or Grants of its definition contain the tag or
// one below it in the hierarchy. The time left of a paused buff is counted as if the buff were
// resumed now; the time left of an infinite buff is the longest Duration. Remaining fails in the
// same cases as HasTag.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Remaining(id buff.OwnerID, tag buff.Tag) (left time.Duration, found bool, err error) {
	e.enter("Remaining")
	set, err := e.readableSet(id)
	if err != nil {
		return 0, false, err
	}
	left, found = set.Remaining(tag, e.now)
	return left, found, nil
}

// Param returns the named parameter of the buff with the given handle, and reports whether the buff
// and the parameter exist. It fails with [ErrBusy] if the buff's owner is busy.
//
// Only the loop goroutine may call it. It costs O(parameters of the definition).
func (e *Engine) Param(h buff.Handle, name string) (v float64, found bool, err error) {
	e.enter("Param")
	set, err := e.setOfHandle(h)
	if err != nil {
		return 0, false, err
	}
	v, found = set.Param(h, name)
	return v, found, nil
}

// Carried holds the buffs of an owner. It is valid until the owner changes or the next Tick. It is
// not an iter.Seq, because returning a function value along with an error would allocate.
type Carried struct{ set *rules.Owner }

// All returns the buffs, the oldest application first. The body of the loop may remove the current
// buff. All does not allocate.
func (c Carried) All() iter.Seq[buff.Instance] { return c.set.All() }

// Buffs returns the owner's buffs. It fails in the same cases as HasTag; the result then has no
// buffs.
//
// Only the loop goroutine may call it.
func (e *Engine) Buffs(id buff.OwnerID) (Carried, error) {
	e.enter("Buffs")
	set, err := e.readableSet(id)
	if err != nil {
		return Carried{emptySet}, err
	}
	return Carried{set}, nil
}

// emptySet is an empty [rules.Owner], returned for owners that are unknown or cannot be read.
var emptySet = rules.NewOwner(0, 0, 0, 1)

// At returns the buff in a slot and reports whether there is one: see buff.Handle.Slot.
func (c Carried) At(slot int) (buff.Instance, bool) { return c.set.At(slot) }

// Find returns the buff with the given handle and reports whether the buff is running. It fails
// with [ErrBusy] if the buff's owner is busy, because it is then unknown whether the buff is still
// running.
//
// Only the loop goroutine may call it.
func (e *Engine) Find(h buff.Handle) (b buff.Instance, found bool, err error) {
	e.enter("Find")
	set, err := e.setOfHandle(h)
	if err != nil {
		return buff.Instance{}, false, err
	}
	b, found = set.Find(h)
	return b, found, nil
}

// OwnerOf returns the owner of the buff with the given handle, and reports whether the buff is
// running. It fails in the same cases as Find.
//
// Only the loop goroutine may call it.
func (e *Engine) OwnerOf(h buff.Handle) (id buff.OwnerID, found bool, err error) {
	e.enter("OwnerOf")
	set, err := e.setOfHandle(h)
	if err != nil {
		return 0, false, err
	}
	if _, found = set.Find(h); !found {
		return 0, false, nil
	}
	return set.ID(), true, nil
}

// OwnerIDs returns the IDs of all owners, including busy ones, in the order of their numbers. The
// body of the loop may drop the current owner. OwnerIDs does not allocate.
//
// Only the loop goroutine may call it. It costs O(owners).
func (e *Engine) OwnerIDs() iter.Seq[buff.OwnerID] {
	return func(yield func(buff.OwnerID) bool) {
		e.enter("OwnerIDs")
		for o := range e.eachOwner {
			if !yield(o.id()) {
				return
			}
		}
	}
}

// readableSet returns the [rules.Owner] of an owner, or an error if the owner is unknown or busy.
func (e *Engine) readableSet(id buff.OwnerID) (*rules.Owner, error) {
	switch o := e.ownerOf(id); {
	case o == nil:
		return nil, &ownerError{ErrUnknownOwner, id}
	case !e.idle(o):
		return nil, &ownerError{ErrBusy, id}
	default:
		return &o.set, nil
	}
}

// setOfHandle returns the [rules.Owner] of a handle's owner. If the owner is unknown, it returns
// emptySet, since the buff does not exist either.
func (e *Engine) setOfHandle(h buff.Handle) (*rules.Owner, error) {
	switch o := e.at(h.Number()); {
	case o == nil:
		return emptySet, nil
	case !e.idle(o):
		return nil, &ownerError{ErrBusy, o.id()}
	default:
		return &o.set, nil
	}
}

// HasTag reports whether the handler's own owner has a tag. The effects of commands that this
// handler has issued are not visible yet.
//
// It may be called only inside the handler.
func (c *Context) HasTag(tag buff.Tag) bool { return c.live().owner.set.Has(tag) }

// Remaining returns the longest time left among those buffs of the handler's own owner that have a
// tag, and reports whether there is such a buff: see [Engine.Remaining].
//
// It may be called only inside the handler. It costs O(buffs of that owner).
func (c *Context) Remaining(tag buff.Tag) (time.Duration, bool) {
	l := c.live()
	return l.owner.set.Remaining(tag, l.turn.At())
}

// Param returns the named parameter of a buff on the handler's own owner, and reports whether the
// buff and the parameter exist. A handler that is called for the end of a buff can no longer read
// the parameters of this buff.
//
// It may be called only inside the handler. It costs O(parameters of the definition).
func (c *Context) Param(h buff.Handle, name string) (float64, bool) {
	return c.live().owner.set.Param(h, name)
}

// Queries of an owner's attributes. To change an attribute, issue a command with Do.
// buff.Catalog.Attr and MustAttr return an attribute by name.

// Attribute returns the value of an owner's attribute, including the modifiers of the owner's buffs
// and within the attribute's limits. It fails with [ErrUnknownOwner], with [ErrBusy] while the
// owner is busy, and with [buff.ErrAttribute] if the engine's catalog does not have the attribute.
//
// Only the loop goroutine may call it. It costs O(1), or O(modifiers of that attribute) if the
// attribute may have changed since the last query.
func (e *Engine) Attribute(id buff.OwnerID, attr stat.Attr) (float64, error) {
	e.enter("Attribute")
	set, err := e.setWith(id, attr)
	if err != nil {
		return 0, err
	}
	return set.Attribute(e.Catalog(), attr), nil
}

// Base returns the base value of an owner's attribute, without the modifiers of buffs. It fails in
// the same cases as Attribute.
//
// Only the loop goroutine may call it.
func (e *Engine) Base(id buff.OwnerID, attr stat.Attr) (float64, error) {
	e.enter("Base")
	set, err := e.setWith(id, attr)
	if err != nil {
		return 0, err
	}
	return set.Base(e.Catalog(), attr), nil
}

// Attributes returns the attributes of an owner in the order of the catalog, each with the number
// of its modifiers; [Engine.Modifiers] lists the modifiers. Attributes fails in the same cases as
// Attribute; the result is then empty.
//
// Only the loop goroutine may call it. It may allocate: it is meant for displays, not for rules.
func (e *Engine) Attributes(id buff.OwnerID) (iter.Seq[stat.View], error) {
	e.enter("Attributes")
	set, err := e.readableSet(id)
	if err != nil {
		return func(func(stat.View) bool) {}, err
	}
	return set.Attributes(e.Catalog()), nil
}

// Modifiers returns the modifiers of an owner's attribute, the oldest first. The `Of` field of a
// modifier is the buff.Handle of the buff that added it; pass this handle to [Engine.Find].
// Modifiers fails in the same cases as Attribute; the result is then empty.
//
// Only the loop goroutine may call it. It may allocate. Do not change the engine while you iterate
// over the result.
func (e *Engine) Modifiers(id buff.OwnerID, attr stat.Attr) (iter.Seq[stat.Modifier], error) {
	e.enter("Modifiers")
	set, err := e.setWith(id, attr)
	if err != nil {
		return func(func(stat.Modifier) bool) {}, err
	}
	return set.Modifiers(e.Catalog(), attr), nil
}

// setWith is readableSet for a query of an attribute.
func (e *Engine) setWith(id buff.OwnerID, attr stat.Attr) (*rules.Owner, error) {
	if !e.hasAttribute(attr) {
		return nil, fmt.Errorf("%w in this engine's catalog: number %d", buff.ErrAttribute, attr)
	}
	return e.readableSet(id)
}

// hasAttribute reports whether the engine's catalog has the attribute. Any goroutine may call it.
func (e *Engine) hasAttribute(a stat.Attr) bool {
	s := e.Catalog().Attributes()
	return s != nil && a != 0 && int(a) <= s.Len()
}

// attr returns the attribute. It panics if the engine's catalog does not have it. Any goroutine may
// call it.
func (e *Engine) attr(method string, a stat.Attr) stat.Attr {
	if !e.hasAttribute(a) {
		panic("engine: " + method + " with an attribute that is not of this engine's catalog")
	}
	return a
}

// Attribute returns the value of an attribute of the handler's own owner, including the modifiers
// of that owner's buffs; see [Engine.Attribute]. The effects of commands that this handler has
// issued are not visible yet. It panics if the engine's catalog does not have the attribute.
//
// It may be called only inside the handler.
func (c *Context) Attribute(attr stat.Attr) float64 {
	l := c.live()
	return l.owner.set.Attribute(l.turn.Catalog, l.engine.attr("Attribute", attr))
}

// Base returns the base value of an attribute of the handler's own owner, without the modifiers of
// buffs. The effects of commands that this handler has issued are not visible yet. It panics if the
// engine's catalog does not have the attribute.
//
// It may be called only inside the handler.
func (c *Context) Base(attr stat.Attr) float64 {
	l := c.live()
	return l.owner.set.Base(l.turn.Catalog, l.engine.attr("Base", attr))
}
