package gate

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// Tags is a set of counted tags: if two buffs grant the same tag, it disappears with the last of
// these buffs. Invariants: sorted by tag; each tag occurs once; no count is 0.
type Tags []TagCount

// TagCount is the number of times that an owner has been given a tag.
type TagCount struct {
	Tag define.Tag
	N   uint16
}

func (s Tags) find(t define.Tag) (int, bool) {
	return slices.BinarySearchFunc(s, t, func(c TagCount, t define.Tag) int { return int(c.Tag) - int(t) })
}

// Has reports whether the set has a tag. It costs O(log tags).
func (s Tags) Has(t define.Tag) bool {
	_, ok := s.find(t)
	return ok
}

// Add adds one to the count of each tag, and reports whether any of them is new.
func (s *Tags) Add(tags ...define.Tag) (changed bool) {
	for _, t := range tags {
		i, ok := s.find(t)
		if ok {
			(*s)[i].N++
			continue
		}
		*s = slices.Insert(*s, i, TagCount{t, 1})
		changed = true
	}
	return changed
}

// AddTimes adds n, at least 1, to the count of a tag. The count becomes at most `most`.
func (s *Tags) AddTimes(t define.Tag, n, most int64) {
	s.Add(t)
	i, _ := s.find(t)
	(*s)[i].N = uint16(min(int64((*s)[i].N)-1+n, most))
}

// Drop subtracts one from the count of each tag, and reports whether any of them has disappeared.
func (s *Tags) Drop(tags ...define.Tag) (changed bool) {
	for _, t := range tags {
		i, ok := s.find(t)
		if !ok {
			continue
		}
		if (*s)[i].N--; (*s)[i].N == 0 {
			*s = slices.Delete(*s, i, i+1)
			changed = true
		}
	}
	return changed
}

// HasAny reports whether the set has at least one of the tags.
func (s Tags) HasAny(tags []define.Tag) bool { return len(s) > 0 && slices.ContainsFunc(tags, s.Has) }

// HasAll reports whether the set has all tags.
func (s Tags) HasAll(tags []define.Tag) bool {
	for _, t := range tags {
		if !s.Has(t) {
			return false
		}
	}
	return true
}
