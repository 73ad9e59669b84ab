package gate

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// Returns counts accepted applications for diminishing returns. Invariant: no two elements have the
// same group and source.
type Returns []Return

// Return counts the applications in one group. They come from one source or, with the source 0,
// from all sources.
//
// It expires at `Until`, but not while an application of the group and source is in effect.
type Return struct {
	Group  uint16
	Count  uint16 // accepted applications
	Source buff.OwnerID
	Until  clock.OwnerTime
}

// Find returns the element of a group and a source, or nil. It deletes an expired element, because
// a new application would make it seem current again. The function inEffect reports whether an
// application of the group and source of an element is in effect.
func (r *Returns) Find(group uint16, source buff.OwnerID, now clock.OwnerTime, inEffect func(*Return) bool) *Return {
	k := slices.IndexFunc(*r, func(d Return) bool { return d.Group == group && d.Source == source })
	switch {
	case k < 0:
		return nil
	case now < (*r)[k].Until || inEffect(&(*r)[k]):
		return &(*r)[k]
	}
	*r = slices.Delete(*r, k, k+1)
	return nil
}

// Add appends an element with the count 0 that expires now. It replaces the oldest element if there
// are `most` elements.
func (r *Returns) Add(group uint16, source buff.OwnerID, now clock.OwnerTime, most int) *Return {
	if len(*r) >= most {
		*r = slices.Delete(*r, 0, 1)
	}
	*r = append(*r, Return{Group: group, Source: source, Until: now})
	return &(*r)[len(*r)-1]
}

// Past returns the number of elements with an Until that is not after now.
func (r Returns) Past(now clock.OwnerTime) (n int) {
	for k := range r {
		if r[k].Until <= now {
			n++
		}
	}
	return n
}

// DropExpired deletes the expired elements.
func (r *Returns) DropExpired(now clock.OwnerTime, inEffect func(*Return) bool) {
	kept := (*r)[:0]
	for k := range *r {
		if d := &(*r)[k]; d.Until > now || inEffect(d) {
			kept = append(kept, *d)
		}
	}
	*r = kept
}

// Extend makes sure that the element of a group and a source, if there is one, does not expire
// before `until`.
func (r Returns) Extend(group uint16, source buff.OwnerID, until clock.OwnerTime) {
	for k := range r {
		if d := &r[k]; d.Group == group && d.Source == source {
			d.Until = max(d.Until, until)
		}
	}
}

// Appliers has the sources with applications in effect in buffs that several sources have joined.
type Appliers []Applier

// Applier is a source with an application in effect in the buff at a slot.
type Applier struct {
	Source buff.OwnerID
	Slot   uint16
}

// Count returns the number of appliers of a slot.
func (l Appliers) Count(slot uint16) (n int) {
	for _, a := range l {
		if a.Slot == slot {
			n++
		}
	}
	return n
}

// Add appends an applier. It replaces the oldest one if there are `most` appliers.
func (l *Appliers) Add(slot uint16, source buff.OwnerID, most int) {
	if len(*l) >= most {
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, Applier{source, slot})
}

// Drop deletes the appliers of a slot.
func (l *Appliers) Drop(slot uint16) {
	*l = slices.DeleteFunc(*l, func(a Applier) bool { return a.Slot == slot })
}
