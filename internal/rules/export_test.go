package rules

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/gate"
	"github.com/bufftick/bufftick/internal/stolen"
	"github.com/bufftick/bufftick/wheel"
)

// Functions for the random tests, which are outside the package.

// Due returns the instant of world time at which the next event of the buff is due.
func (s *Owner) Due(h buff.Handle) wheel.Time {
	i := s.lookup(h)
	if !i.exists() {
		return wheel.Never
	}
	at, _, _, _ := i.nextEvent()
	return s.timeScale().ToOuter(at)
}

// Fits lowers the largest number that is stored in an instance itself, until the returned function
// is called.
func Fits(most uint64) (restore func()) {
	was := maxInline
	maxInline = most
	return func() { maxInline = was }
}

// Large returns the number of instances whose numbers are stored in their extras.
func (s *Owner) Large() (n int) {
	for i := s.first(); i.exists(); i = i.next() {
		if i.flags&large != 0 {
			n++
		}
	}
	return n
}

// Taken returns the numbers of a stolen buff.
func Taken(a *buff.Application) []float64 {
	if stolen.Of(a.Origin.Stolen) == nil {
		return nil
	}
	return stolen.Of(a.Origin.Stolen).Values
}

// Takes returns the parameters that the definition reads.
func Takes(s *buff.Spec, params ...buff.Arg) []buff.Arg {
	return slices.DeleteFunc(params, func(a buff.Arg) bool { return unreadParam((&buff.Application{Spec: s, Params: []buff.Arg{a}})) != "" })
}

// Stolen reports whether the application is that of a stolen buff.
func Stolen(a *buff.Application) bool { return a.Origin.Steal }

// Loot describes the state of a stolen buff that is not in the fields of its application.
func Loot(a *buff.Application) (text string) {
	if stolen.Of(a.Origin.Stolen) == nil {
		return ""
	}
	uses := func(charges int32, shield int64) {
		if charges > 0 {
			text += fmt.Sprintf(" charges=%d", charges)
		}
		if stolen.Of(a.Origin.Stolen).Spec.Shield.On {
			text += fmt.Sprintf(" shield=%d", shield)
		}
	}
	uses(stolen.Of(a.Origin.Stolen).Charges, stolen.Of(a.Origin.Stolen).Shield)
	for _, l := range stolen.Of(a.Origin.Stolen).Rest {
		text += fmt.Sprintf(" and x%d level=%d magnitude=%d for %d", l.Stacks, l.Level, l.Magnitude, l.Left)
		uses(l.Charges, l.Shield)
	}
	return text
}

// Owed returns the number of late pulses that are not yet combined.
func (s *Owner) Owed() (n int) {
	for i := s.first(); i.exists(); i = i.next() {
		if i.extraIndex != noSlot {
			n += int(i.extra().pendingPulses)
		}
	}
	return n
}

// Extras returns the number of extras, and the number of free extras.
func (s *Owner) Extras() (all, free int) {
	if s.rare == nil {
		return 0, 0
	}
	b := s.rare
	for at := b.freeExtra; at != noSlot; at = b.extras[at].nextFree {
		free++
	}
	return len(b.extras), free
}

// Memories returns the number of records of diminishing returns.
func (s *Owner) Memories() int {
	if s.gates() == nil {
		return 0
	}
	return len(s.gates().returns)
}

// Counters recomputes all counters of the Owner, such as those of extras, tags and immunities. It
// returns a description of the first wrong counter, or "".
func (s *Owner) Counters(c *buff.Catalog) string {
	extras, immunities, modifiers, keys := 0, int32(0), 0, 0
	var tags gate.Tags
	for i := s.first(); i.exists(); i = i.next() {
		if i.extraIndex != noSlot {
			extras++
		}
		if i.program().Uses&compile.UsesImmunity != 0 && i.flags&hidden == 0 {
			immunities++
		}
		modifiers += len(i.program().Modifiers)
		keys += len(i.magnitudes().keys)
		if i.flags&hidden == 0 {
			tags.Add(i.program().Grants...)
			if n := len(i.magnitudes().keys); n != len(i.program().Modifiers) {
				return fmt.Sprintf("%d modifiers of %v, and %d lie on the sheet", len(i.program().Modifiers), i.program(), n)
			}
		}
		if n, want := len(i.magnitudes().values), len(i.program().Numbers); n != want {
			return fmt.Sprintf("%d numbers of %v, and %d are kept", want, i.program(), n)
		}
	}
	switch {
	case s.modifierCount() != modifiers:
		return fmt.Sprintf("%d modifiers counted, and there are %d", s.modifierCount(), modifiers)
	case s.sheet() == nil && keys > 0, s.sheet() != nil && s.sheet().Len() != keys:
		return fmt.Sprintf("%d modifiers are known to be on the sheet", keys)
	}
	if all, free := s.Extras(); all-free != extras {
		return fmt.Sprintf("%d extras, %d free, %d in use", all, free, extras)
	}
	if s.gates() == nil {
		return ""
	}
	for _, given := range s.gates().commandTags {
		for range given.N {
			tags.Add(compiledOf(c).Closure([]buff.Tag{given.Tag})...)
		}
	}
	if !slices.Equal(tags, s.gates().tags) {
		return fmt.Sprintf("tags are counted as %v, and there are %v", s.gates().tags, tags)
	}
	if s.gates().immunities != immunities {
		return fmt.Sprintf("%d immunities counted, and there are %d", s.gates().immunities, immunities)
	}
	return ""
}
