package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

func hasAny(tags, some []Tag) bool {
	return slices.ContainsFunc(some, func(t Tag) bool { return has(tags, t) })
}

// tagCount is the number of times that an owner has been given a tag.
type tagCount struct {
	tag Tag
	n   uint16
}

// tagSet is the tags of an owner, sorted by number. Tags are counted: if two buffs grant the same
// tag, the tag disappears with the last of these buffs.
type tagSet []tagCount

func (s tagSet) find(t Tag) (int, bool) {
	return slices.BinarySearchFunc(s, t, func(c tagCount, t Tag) int { return int(c.tag) - int(t) })
}

func (s tagSet) has(t Tag) bool {
	_, ok := s.find(t)
	return ok
}

// add adds one to the count of each tag, and reports whether any of them is new.
func (s *tagSet) add(tags []Tag) (changed bool) {
	for _, t := range tags {
		i, ok := s.find(t)
		if ok {
			(*s)[i].n++
			continue
		}
		*s = slices.Insert(*s, i, tagCount{t, 1})
		changed = true
	}
	return changed
}

// drop subtracts one from the count of each tag, and reports whether any of them has disappeared.
func (s *tagSet) drop(tags []Tag) (changed bool) {
	for _, t := range tags {
		i, ok := s.find(t)
		if !ok {
			continue
		}
		if (*s)[i].n--; (*s)[i].n == 0 {
			*s = slices.Delete(*s, i, i+1)
			changed = true
		}
	}
	return changed
}

// holds reports whether an owner with those tags meets the condition.
func (c *condition) holds(s tagSet) bool {
	for _, t := range c.all {
		if !s.has(t) {
			return false
		}
	}
	if slices.ContainsFunc(c.none, s.has) {
		return false
	}
	return len(c.any) == 0 || slices.ContainsFunc(c.any, s.has)
}

// matches reports whether an immunity applies to the definition. It considers the definition's
// Tags, not its Grants. An empty match matches no definition.
func (m *match) matches(s *program) bool {
	return !m.empty() && (len(m.tags) == 0 || hasAny(s.is, m.tags)) &&
		(m.kind == "" || m.kind == s.Dispel.Type) && (m.polarity == define.Neutral || m.polarity == s.Polarity)
}
