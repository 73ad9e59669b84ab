package rules_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
)

// below reports whether name is the given tag or below it.
func below(name, tag string) bool { return name == tag || strings.HasPrefix(name, tag+".") }

// named reports whether a definition has a tag, in Tags or in Grants.
func named(s *buff.Spec, tag string) bool {
	return is(s, tag) || slices.ContainsFunc(s.Grants, func(name string) bool { return below(name, tag) })
}

// is reports whether a definition has a tag in Tags, which is what an immunity reads.
func is(s *buff.Spec, tag string) bool {
	return slices.ContainsFunc(s.Tags, func(name string) bool { return below(name, tag) })
}

// has reports whether the owner has a tag, from a command or from a buff that is not hidden.
func (m *model) has(tag string) bool {
	for name, n := range m.given {
		if n > 0 && below(name, tag) {
			return true
		}
	}
	return slices.ContainsFunc(m.buffs, func(b *carried) bool {
		return !b.entering && !b.hidden() && slices.ContainsFunc(b.spec.Grants, func(name string) bool { return below(name, tag) })
	})
}

func (m *model) holds(t define.TagTest) bool {
	for _, tag := range t.All {
		if !m.has(tag) {
			return false
		}
	}
	return !slices.ContainsFunc(t.None, m.has) && (len(t.Any) == 0 || slices.ContainsFunc(t.Any, m.has))
}

func says(t define.TagTest) bool { return len(t.All)+len(t.Any)+len(t.None) > 0 }

// tag adds a tag to the owner, or drops one that was added.
func (m *model) tag(o Op) string {
	switch {
	case o.tag == "":
		return "tag"
	case o.verb == verb.AddTag:
		m.given[o.tag]++
	case m.given[o.tag] > 0:
		m.given[o.tag]--
	}
	return ""
}

func (m *model) unmet(b *carried) bool { return !m.holds(b.spec.Require.Ongoing) }

// weaker reports whether another buff of the same group hides a buff.
func (m *model) weaker(b *carried) bool {
	g := b.spec.Group
	return g.Name != "" && g.Rule == define.GroupHide && slices.ContainsFunc(m.buffs, func(x *carried) bool {
		h := x.spec.Group
		switch {
		case h.Name != g.Name || h.Rule != define.GroupHide:
			return false
		case h.Priority != g.Priority:
			return h.Priority > g.Priority
		case x.level != b.level:
			return x.level > b.level
		case x.magnitude != b.magnitude:
			return x.magnitude > b.magnitude
		}
		return x.age > b.age
	})
}

// ineffective reports whether enough stronger instances of the same definition exist.
func (m *model) ineffective(b *carried) bool {
	stronger := 0
	for _, x := range m.buffs {
		if x.spec == b.spec && cmp.Or(x.level-b.level, cmp.Compare(x.magnitude, b.magnitude), b.age-x.age) > 0 {
			stronger++
		}
	}
	st := b.spec.Stack
	return st.Effective > 0 && st.Timers != define.TimersEach && stronger >= st.Effective
}

// settle determines which buffs have an effect and which must end, oldest first, until nothing
// changes. Buffs that hide each other in a ring are not changed again until something else happens.
func (m *model) settle() {
	if !m.settles {
		return
	}
	was := m.bearing()
	if was == m.ring {
		return
	}
	m.ring = ""
	for range 16 {
		changed := false
		for _, b := range slices.Clone(m.buffs) {
			lines := m.lineages
			switch {
			case b.gone:
			case says(b.spec.Require.Remove) && m.holds(b.spec.Require.Remove):
				m.remove(b, reason.Condition)
			default:
				m.setHidden(b, m.unmet(b), b.inhibited, m.weaker(b), m.ineffective(b))
			}
			if m.lineages > lines {
				is := m.bearing()
				changed = changed || was != is
				was = is
			}
		}
		if !changed {
			return
		}
	}
	m.line("error", " cascade", told{})
	m.ring = was
}

// bearing describes the state on which the effect of buffs depends.
func (m *model) bearing() string {
	s := "has "
	for _, tag := range tagNames {
		if m.has(tag) {
			s += tag + " "
		}
	}
	for _, b := range m.buffs {
		if m.ranked(b.spec) {
			s += fmt.Sprintf("%d/%d/%d ", b.number, b.level, b.magnitude)
		}
		if !empty(b.spec.Immunity) && !b.entering && !b.hidden() {
			s += fmt.Sprintf("immune by %d ", b.number)
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(m.immune)) {
		if m.immune[tag] > 0 {
			s += "immune to " + tag + " "
		}
	}
	return s
}

// stirred makes settle check a ring again, because a buff that is part of it was applied or
// refreshed.
func (m *model) stirred(b *carried, asks bool) {
	if m.ranked(b.spec) || asks && (says(b.spec.Require.Ongoing) || says(b.spec.Require.Remove)) {
		m.ring = ""
	}
}

func (m *model) ranked(s *buff.Spec) bool {
	return s.Group.Name != "" && s.Group.Rule == define.GroupHide || s.Stack.Effective > 0 && s.Stack.Timers != define.TimersEach
}

// setHidden sets the causes for which a buff is hidden.
func (m *model) setHidden(b *carried, unmet, inhibited, weaker, ineffective bool) {
	was, by := b.seen(), b.unmet || b.inhibited
	next := *b
	next.unmet, next.inhibited, next.weaker, next.ineffective = unmet, inhibited, weaker, ineffective
	next.immune = b.spec.Immune == define.ImmuneSuppress && m.immuneTo(b.spec, b)
	is := next.seen()
	if was != is || b.immune != next.immune && !lasting(b.spec) {
		m.flush(b)
	}
	if was != is && !b.entering {
		m.immunityChanges(b.spec)
	}
	b.unmet, b.inhibited, b.weaker, b.ineffective, b.immune = unmet, inhibited, weaker, ineffective, next.immune
	switch {
	case is && !was:
		m.about(b, "hide", b.whyHidden())
	case was && !is:
		m.about(b, "show", "")
		m.purgeImmune(b)
		if by && b.period > 0 && b.spec.Inhibition != define.InhibitionKeep {
			b.newBeat(b.now(m.now))
			b.inStep(b.now(m.now))
			if b.spec.Inhibition == define.InhibitionExecute {
				m.pulse(b, atOnce, "", 0)
			}
		}
	}
}

func empty(match define.Match) bool {
	return len(match.Tags) == 0 && match.Type == "" && match.Polarity == define.Neutral
}

// means reports whether a match selects a definition.
func means(match define.Match, s *buff.Spec) bool {
	return !empty(match) && (len(match.Tags) == 0 || slices.ContainsFunc(match.Tags, func(tag string) bool { return is(s, tag) })) &&
		(match.Type == "" || match.Type == s.Dispel.Type) && (match.Polarity == define.Neutral || match.Polarity == s.Polarity)
}

// immuneTo reports whether the owner is immune to a definition, by a command or by a buff that is
// not hidden, other than the given buff.
func (m *model) immuneTo(s *buff.Spec, but *carried) bool {
	for tag, n := range m.immune {
		if n > 0 && is(s, tag) {
			return true
		}
	}
	return slices.ContainsFunc(m.buffs, func(b *carried) bool {
		return b != but && !b.entering && !b.hidden() && means(b.spec.Immunity, s)
	})
}

// purgeImmune removes the buffs to which the given buff makes its owner immune, if their Immune
// rule is remove.
func (m *model) purgeImmune(by *carried) {
	for _, b := range slices.Clone(m.buffs) {
		if b != by && !b.gone && b.spec.Immune == define.ImmuneRemove && means(by.spec.Immunity, b.spec) {
			m.remove(b, reason.Immunity)
		}
	}
}

func (m *model) immunize(o Op) string {
	n := 0
	switch {
	case o.tag == "":
		return "tag"
	case o.verb == verb.DropImmunity && m.immune[o.tag] > 0:
		m.flushAll(func(s *buff.Spec) bool { return is(s, o.tag) })
		m.immune[o.tag]--
	case o.verb == verb.Immunize:
		m.flushAll(func(s *buff.Spec) bool { return is(s, o.tag) })
		m.immune[o.tag]++
		for _, b := range slices.Clone(m.buffs) {
			if !b.gone && is(b.spec, o.tag) && (b.spec.Immune == define.ImmuneRemove || o.purge && b.spec.Immune == define.ImmuneSuppress) {
				m.remove(b, reason.Immunity)
				n++
			}
		}
	}
	return amount(n)
}

// immunityChanges runs the pending pulses that a change of the immunity of a buff affects.
func (m *model) immunityChanges(by *buff.Spec) {
	m.flushAll(func(s *buff.Spec) bool { return means(by.Immunity, s) })
}

// flushAll runs the pending pulses of the buffs whose definition is selected, before something
// about these buffs changes.
func (m *model) flushAll(which func(*buff.Spec) bool) {
	for _, b := range m.buffs {
		if which(b.spec) {
			m.flush(b)
		}
	}
}
