package buff

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/wheel"
)

// What the random tests look at from outside.

// Due returns the world's instant at which the buff wants something next.
func (s *Set) Due(h Handle) wheel.Time {
	i := s.lookup(h)
	if i == nil {
		return wheel.Never
	}
	at, _ := s.nextDue(i)
	return s.timeScale().toWorld(at)
}

// Fits has numbers above the one given lie beside their instances, until the function that it returns is called.
func Fits(most uint64) (restore func()) {
	was := maxInline
	maxInline = most
	return func() { maxInline = was }
}

// Large returns how many instances have their numbers beside them.
func (s *Set) Large() (n int) {
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		if s.slot(at).flags&large != 0 {
			n++
		}
	}
	return n
}

// Taken returns the numbers of a buff that was stolen.
func (a *Application) Taken() []float64 {
	if stolenOf(a) == nil {
		return nil
	}
	return stolenOf(a).values
}

// Takes returns those of the parameters that the definition reads.
func (s *Spec) Takes(params ...Arg) []Arg {
	return slices.DeleteFunc(params, func(a Arg) bool { return (&Application{Spec: s, Params: []Arg{a}}).unreadParam() != "" })
}

// Stolen reports whether the application is of something that was stolen.
func (a *Application) Stolen() bool { return a.Origin.Steal }

// Loot returns what a stolen buff brings beside what its application says.
func (a *Application) Loot() (text string) {
	if stolenOf(a) == nil {
		return ""
	}
	uses := func(charges int32, shield int64) {
		if charges > 0 {
			text += fmt.Sprintf(" charges=%d", charges)
		}
		if stolenOf(a).spec.Shield.On {
			text += fmt.Sprintf(" shield=%d", shield)
		}
	}
	uses(stolenOf(a).charges, stolenOf(a).shield)
	for _, l := range stolenOf(a).rest {
		text += fmt.Sprintf(" and x%d level=%d magnitude=%d for %d", l.stacks, l.level, l.magnitude, l.left)
		uses(l.charges, l.shield)
	}
	return text
}

// Owed returns how many late pulses wait to be one.
func (s *Set) Owed() (n int) {
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		if i := s.slot(at); i.extra != noSlot {
			n += int(s.extraOf(i).pendingPulses)
		}
	}
	return n
}

// Extras returns how many extras there are, and how many of them are free.
func (s *Set) Extras() (all, free int) {
	if s.rare == nil {
		return 0, 0
	}
	b := s.rare
	for at := b.freeExtra; at != noSlot; at = b.extras[at].nextFree {
		free++
	}
	return len(b.extras), free
}

// Memories returns how many groups of diminishing returns are in mind.
func (s *Set) Memories() int {
	if s.gates() == nil {
		return 0
	}
	return len(s.gates().drRecords)
}

// Counters returns what is wrong with what is counted, "" if nothing is: extras, tags and
// immunities are counted again.
func (s *Set) Counters(c *Catalog) string {
	extras, immunities, modifiers, keys := 0, int32(0), 0, 0
	var tags tagSet
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		i := s.slot(at)
		if i.extra != noSlot {
			extras++
		}
		if s.programOf(i).uses&usesImmunity != 0 && i.flags&hidden == 0 {
			immunities++
		}
		modifiers += len(s.programOf(i).modifiers)
		keys += len(s.magnitudesOf(i).keys)
		if i.flags&hidden == 0 {
			tags.add(s.programOf(i).grants)
			if n := len(s.magnitudesOf(i).keys); n != len(s.programOf(i).modifiers) {
				return fmt.Sprintf("%d modifiers of %v, and %d lie on the sheet", len(s.programOf(i).modifiers), s.programOf(i), n)
			}
		}
		if n, want := len(s.magnitudesOf(i).values), len(s.programOf(i).numbers); n != want {
			return fmt.Sprintf("%d numbers of %v, and %d are kept", want, s.programOf(i), n)
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
		for range given.n {
			tags.add(compiledOf(c).closure([]Tag{given.tag}))
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

// Components returns the rings of nodes that lead to one another; to has where each leads.
func Components(to [][]int) (rings [][]int) {
	specs, number, edges := make([]*program, len(to)), map[*program]int{}, map[*program][]edge{}
	for a := range to {
		specs[a] = &program{}
		number[specs[a]] = a
	}
	for a, heads := range to {
		for _, b := range heads {
			edges[specs[a]] = append(edges[specs[a]], edge{to: specs[b], times: 1})
		}
	}
	for _, ring := range components(specs, edges) {
		var out []int
		for _, s := range ring {
			out = append(out, number[s])
		}
		rings = append(rings, out)
	}
	return rings
}
