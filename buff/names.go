package buff

import (
	"maps"
	"slices"
	"strings"
)

// Tag is the number of a tag in its [Catalog], or 0 for none.
type Tag uint16

// Act is the number of an act in its [Catalog], or 0 for none. An act is something that owners do,
// such as "move"; see [Spec].Interrupt.
type Act uint8

// bit returns the bit of the act in a set of acts; 0 for none.
func (a Act) bit() uint64 {
	if a == 0 {
		return 0
	}
	return 1 << (a - 1)
}

// names assigns numbers to names, from 1.
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

// name returns the name with the number, or "" if there is none.
func (n *names) name(number int) string {
	if number == 0 || number > len(n.list) {
		return ""
	}
	return n.list[number-1]
}

func (n *names) clone() names {
	return names{list: slices.Clip(n.list), index: maps.Clone(n.index)}
}

// tagNamed returns the tag with that name, or 0, and reports whether it exists.
func (c *catalog) tagNamed(name string) (Tag, bool) {
	i, ok := c.tags.index[name]
	return Tag(i), ok
}

// actNamed returns the act with that name, or 0, and reports whether it exists.
func (c *catalog) actNamed(name string) (Act, bool) {
	i, ok := c.acts.index[name]
	return Act(i), ok
}

// actIn returns the act with that name if it is in the set, otherwise 0.
func (c *catalog) actIn(set uint64, name string) Act {
	if a, ok := c.actNamed(name); ok && set&a.bit() != 0 {
		return a
	}
	return 0
}

// tag returns the number of a tag, and creates it and all tags above it if needed. An owner with
// debuff.poison.dot also has debuff.poison and debuff.
func (c *catalog) tag(name string) Tag {
	if t, ok := c.tagNamed(name); ok {
		return t
	}
	above := Tag(0)
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		above = c.tag(name[:dot])
	}
	c.parents = append(c.parents, above)
	return Tag(c.tags.number(name))
}

// closure returns the tags and all tags above them, sorted and without duplicates.
func (c *catalog) closure(tags []Tag) []Tag {
	var all []Tag
	for _, t := range tags {
		for ; t != 0; t = c.parents[t-1] {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// has reports whether the sorted list tags contains t.
func has(tags []Tag, t Tag) bool {
	_, ok := slices.BinarySearch(tags, t)
	return ok
}
