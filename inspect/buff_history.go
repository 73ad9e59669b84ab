package inspect

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// buffHistory is a buff that the player had at some time within the last minute. Its methods
// derive the state of the buff at an earlier instant from later and earlier events.
type buffHistory struct {
	handle  buff.Handle
	source  buff.OwnerID
	begins  int // 1 + index of the event that started the buff; 0 if that event is missing
	events  []buff.Event
	changes []buff.SheetChange
	live    *buff.Instance
	numbers []float64 // present values of the buff's numbers, if it is still active
}

// order returns the sort key of the buff. Buffs that started before the recorded time come first:
// active buffs, and then buffs that have ended, whose order is unknown.
func (c *buffHistory) order() int {
	switch {
	case c.begins > 0:
		return c.begins
	case c.live == nil:
		return 0
	}
	return -1
}

// eventAfter returns the first event that is after the given instant and for which fits(event) is
// true, or nil.
func (c *buffHistory) eventAfter(at wheel.Time, fits func(*buff.Event) bool) *buff.Event {
	k := slices.IndexFunc(c.events, func(e buff.Event) bool { return e.At > at && fits(&e) })
	if k < 0 {
		return nil
	}
	return &c.events[k]
}

// changeAfter returns the first recorded change that is after the given instant and for which
// fits(change) is true, or nil. A change contains the state before the change.
func (c *buffHistory) changeAfter(at wheel.Time, fits func(*buff.SheetChange) bool) *buff.SheetChange {
	k := slices.IndexFunc(c.changes, func(w buff.SheetChange) bool { return w.At > at && fits(&w) })
	if k < 0 {
		return nil
	}
	return &c.changes[k]
}

// present reports whether the buff was active at an instant, after all events at that instant.
func (c *buffHistory) present(at wheel.Time) bool {
	there := c.begins == 0
	for k := range c.events {
		if c.events[k].At > at {
			break
		}
		switch c.events[k].Kind {
		case buff.Applied, buff.Restored:
			there = true
		case buff.Removed:
			there = false
		}
	}
	return there
}

// version returns the version of the definition that the buff had at an instant. A recorded change
// contains the version before the change.
func (c *buffHistory) version(at wheel.Time) *buff.Spec {
	if w := c.changeAfter(at, func(*buff.SheetChange) bool { return true }); w != nil {
		return w.Spec
	}
	if n := len(c.events); n > 0 && (c.live == nil || c.events[n-1].At > at) {
		return c.events[n-1].Spec
	}
	return c.live.Spec
}

// hidden reports whether the buff was hidden, so that it had no effect, and whether that is
// known. If a buff ends while it is hidden, a change is recorded.
func (c *buffHistory) hidden(at wheel.Time) (is, known bool) {
	e := c.eventAfter(at, func(e *buff.Event) bool { return e.Kind == buff.Hidden || e.Kind == buff.Shown })
	w := c.changeAfter(at, func(*buff.SheetChange) bool { return true })
	switch {
	case e != nil && (w == nil || e.At <= w.At):
		return e.Kind == buff.Shown, true
	case w != nil:
		return w.Hidden, true
	case c.eventAfter(at, func(e *buff.Event) bool { return e.Kind == buff.Removed }) != nil:
		return false, true
	case c.live != nil:
		return c.live.Hidden, true
	}
	return c.hiddenSince(at)
}

// hiddenSince is like hidden, but uses only the last event before the instant. It is for a buff
// of a busy owner, whose present state cannot be read.
func (c *buffHistory) hiddenSince(at wheel.Time) (is, known bool) {
	for k := range c.events {
		if c.events[k].At > at {
			break
		}
		switch c.events[k].Kind {
		case buff.Applied, buff.Shown:
			is, known = false, true
		case buff.Hidden:
			is, known = true, true
		}
	}
	return is, known
}

// hasStackCount reports whether the field Stacks of an event is the number of the buff's stacks.
func hasStackCount(e *buff.Event) bool {
	switch e.Kind {
	case buff.Pulsed, buff.Suppressed:
		// With separate timers, Stacks is the number of stacks that pulse.
		return e.Spec.Stack.Timers == define.TimersShared
	case buff.Reacted, buff.Missed, buff.Faulted:
		return false
	}
	return true
}

// stacks returns the number of stacks, and whether it is known.
func (c *buffHistory) stacks(at wheel.Time) (n int, known bool) {
	for k := len(c.events) - 1; k >= 0; k-- {
		if e := &c.events[k]; e.At <= at && hasStackCount(e) {
			return int(e.Stacks), true
		}
	}
	e := c.eventAfter(at, hasStackCount)
	switch {
	case e == nil && c.live != nil:
		return c.live.Stacks, true
	case e == nil, e.Kind == buff.StackEnded, e.Kind == buff.Stacked && e.Stacks != 2:
		return 0, false
	case e.Kind == buff.Stacked:
		return 1, true
	}
	return int(e.Stacks), true
}

// sameContent reports whether two versions of a definition have the same content. They may be
// from different catalogs.
func sameContent(a, b *buff.Spec) bool { return a == b || a.Revision() == b.Revision() }

// number returns one of the numbers that the buff's modifiers use, and whether its value is known.
// place is the index of the number.
func (c *buffHistory) number(at wheel.Time, spec *buff.Spec, place int) (float64, bool) {
	if w := c.changeAfter(at, func(w *buff.SheetChange) bool { return sameContent(w.Spec, spec) && w.Place == place }); w != nil {
		return w.Was, true
	}
	if c.live == nil || !sameContent(c.live.Spec, spec) || place >= len(c.numbers) {
		return 0, false
	}
	return c.numbers[place], true
}

// modifierState is the effect of a modifier of a buff at an instant.
type modifierState struct {
	stat.Modifier
	of     *buffHistory
	spec   *buff.Spec
	place  int // index among the modifiers of the buff
	stacks int
	unsure string // reason why the effect is unknown; empty if it is known
}

// modifiers returns the effects of the buff on attributes at an instant.
func (c *buffHistory) modifiers(at wheel.Time) (out []modifierState) {
	if !c.present(at) {
		return nil
	}
	hidden, sure := c.hidden(at)
	if hidden {
		return nil
	}
	spec := c.version(at)
	stacks, counted := c.stacks(at)
	for k := range spec.Modifiers {
		m := modifierState{of: c, spec: spec, place: k, stacks: stacks}
		var numbers []float64
		if _, place := rules.OnSheet(spec, k, stacks, nil); place >= 0 {
			v, known := c.number(at, spec, place)
			if numbers = append(make([]float64, place), v); !known {
				m.unsure = numberThen
			}
		}
		m.Modifier, _ = rules.OnSheet(spec, k, stacks, numbers)
		switch {
		case !sure:
			m.unsure = hiddenThen
		case spec.Modifiers[k].PerStack && !counted && !rules.Varies(spec, k):
			m.unsure = stacksThen
		}
		out = append(out, m)
	}
	return out
}
