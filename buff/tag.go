package buff

import (
	"maps"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// Tag is a tag as a number of its [Catalog]; 0 is none.
type Tag uint16

// Act is the name of something that owners do, as a number of its [Catalog]; 0 is none.
type Act uint8

func (a Act) bit() uint64 {
	if a == 0 {
		return 0
	}
	return 1 << (a - 1)
}

// names gives numbers to names, from 1.
type names struct {
	list  []string
	index map[string]int
}

func (n *names) number(name string) int {
	if i, ok := n.index[name]; ok {
		return i
	}
	if n.index == nil {
		n.index = map[string]int{}
	}
	n.list = append(n.list, name)
	n.index[name] = len(n.list)
	return len(n.list)
}

func (n *names) clone() names {
	return names{list: slices.Clip(n.list), index: maps.Clone(n.index)}
}

// Tag returns the tag of that name, 0 if there is none, and reports whether there is one:
// whether [Definitions].Tags or a definition speaks of it or of one below it. One below a tag that
// they speak of, and that they do not name, has no number: who gives it to owners lists it in
// Definitions.Tags ("tags:" of a file).
func (c *Catalog) Tag(name string) (Tag, bool) {
	i, ok := c.tags.index[name]
	return Tag(i), ok
}

// TagName returns the name of a tag of this catalog, "" for 0.
func (c *Catalog) TagName(t Tag) string {
	if t == 0 || int(t) > len(c.tags.list) {
		return ""
	}
	return c.tags.list[t-1]
}

// Act returns the act of that name, 0 if there is none, and reports whether there is one:
// whether [Definitions].Acts or a definition speaks of it.
func (c *Catalog) Act(name string) (Act, bool) {
	i, ok := c.acts.index[name]
	return Act(i), ok
}

// ActName returns the name of an act of this catalog, "" for 0.
func (c *Catalog) ActName(a Act) string {
	if a == 0 || int(a) > len(c.acts.list) {
		return ""
	}
	return c.acts.list[a-1]
}

// actIn returns the act of a name if it is in a set, otherwise 0.
func (c *Catalog) actIn(set uint64, name string) Act {
	if a, ok := c.Act(name); ok && set&a.bit() != 0 {
		return a
	}
	return 0
}

// tag gives a number to a tag and all above it, which get the lower ones: to have debuff.poison.dot is to have
// debuff.poison and debuff.
func (c *Catalog) tag(name string) Tag {
	if t, ok := c.Tag(name); ok {
		return t
	}
	above := Tag(0)
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		above = c.tag(name[:dot])
	}
	c.above = append(c.above, above)
	return Tag(c.tags.number(name))
}

// closure returns the tags with all above them, sorted, each once.
func (c *Catalog) closure(tags []Tag) []Tag {
	var all []Tag
	for _, t := range tags {
		for ; t != 0; t = c.above[t-1] {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// has reports whether the sorted tags have t.
func has(tags []Tag, t Tag) bool {
	_, ok := slices.BinarySearch(tags, t)
	return ok
}

func hasAny(tags, some []Tag) bool {
	return slices.ContainsFunc(some, func(t Tag) bool { return has(tags, t) })
}

// tagCount is how often an owner has a tag.
type tagCount struct {
	tag Tag
	n   uint16
}

// tagSet is the tags that an owner has, by number. They are counted: two buffs may grant one tag, and it is gone with
// the last of them.
type tagSet []tagCount

func (s tagSet) find(t Tag) (int, bool) {
	return slices.BinarySearchFunc(s, t, func(c tagCount, t Tag) int { return int(c.tag) - int(t) })
}

func (s tagSet) has(t Tag) bool {
	_, ok := s.find(t)
	return ok
}

// add counts the tags once more and reports whether one is new.
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

// drop counts them once less and reports whether one is gone.
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

// holds reports whether the condition is met by an owner who has those tags.
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

// matches reports whether the definition is one of those that an immunity means: by its Tags, not
// its Grants. An empty m means none.
func (m *match) matches(s *program) bool {
	return !m.empty() && (len(m.tags) == 0 || hasAny(s.is, m.tags)) &&
		(m.kind == "" || m.kind == s.Dispel.Type) && (m.polarity == define.Neutral || m.polarity == s.Polarity)
}
