package rules

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/compile"
)

// tagCount is the number of times that an owner has been given a tag.
type tagCount struct {
	tag buff.Tag
	n   uint16
}

// tagSet is the tags of an owner, sorted by number. Tags are counted: if two buffs grant the same
// tag, the tag disappears with the last of these buffs.
type tagSet []tagCount

func (s tagSet) find(t buff.Tag) (int, bool) {
	return slices.BinarySearchFunc(s, t, func(c tagCount, t buff.Tag) int { return int(c.tag) - int(t) })
}

func (s tagSet) has(t buff.Tag) bool {
	_, ok := s.find(t)
	return ok
}

// add adds one to the count of each tag, and reports whether any of them is new.
func (s *tagSet) add(tags []buff.Tag) (changed bool) {
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
func (s *tagSet) drop(tags []buff.Tag) (changed bool) {
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
func holds(c *compile.Condition, s tagSet) bool {
	for _, t := range c.All {
		if !s.has(t) {
			return false
		}
	}
	if slices.ContainsFunc(c.None, s.has) {
		return false
	}
	return len(c.Any) == 0 || slices.ContainsFunc(c.Any, s.has)
}
