package compile

import (
	"maps"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// Bit returns the bit of the act in a set of acts, or 0 if a is 0.
func Bit(a define.Act) uint64 {
	if a == 0 {
		return 0
	}
	return 1 << (a - 1)
}

// names assigns numbers to names, from 1.
type names struct {
	List  []string
	Index map[string]int
}

func (n *names) number(name string) int {
	if i, ok := n.Index[name]; ok {
		return i
	}
	if n.Index == nil {
		n.Index = map[string]int{}
	}
	n.List = append(n.List, name)
	n.Index[name] = len(n.List)
	return len(n.List)
}

// Name returns the name with the given number, or "" if there is none.
func (n *names) Name(number int) string {
	if number == 0 || number > len(n.List) {
		return ""
	}
	return n.List[number-1]
}

func (n *names) clone() names {
	return names{List: slices.Clip(n.List), Index: maps.Clone(n.Index)}
}

// TagNamed returns the tag with the given name, or 0, and reports whether the tag exists.
func (c *Catalog) TagNamed(name string) (define.Tag, bool) {
	i, ok := c.Tags.Index[name]
	return define.Tag(i), ok
}

// ActNamed returns the act with the given name, or 0, and reports whether the act exists.
func (c *Catalog) ActNamed(name string) (define.Act, bool) {
	i, ok := c.Acts.Index[name]
	return define.Act(i), ok
}

// actIn returns the act with the given name if the act is in the set, otherwise 0.
func (c *Catalog) actIn(set uint64, name string) define.Act {
	if a, ok := c.ActNamed(name); ok && set&Bit(a) != 0 {
		return a
	}
	return 0
}

// tag returns the number of a tag, and creates it and all tags above it if needed. An owner with
// debuff.poison.dot also has debuff.poison and debuff.
func (c *Catalog) tag(name string) define.Tag {
	if t, ok := c.TagNamed(name); ok {
		return t
	}
	above := define.Tag(0)
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		above = c.tag(name[:dot])
	}
	c.parents = append(c.parents, above)
	return define.Tag(c.Tags.number(name))
}

// Closure returns the given tags and all tags above them, sorted and without duplicates.
func (c *Catalog) Closure(tags []define.Tag) []define.Tag {
	var all []define.Tag
	for _, t := range tags {
		for ; t != 0; t = c.parents[t-1] {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Has reports whether the sorted list `tags` contains t.
func Has(tags []define.Tag, t define.Tag) bool {
	_, ok := slices.BinarySearch(tags, t)
	return ok
}

func hasAny(tags, some []define.Tag) bool {
	return slices.ContainsFunc(some, func(t define.Tag) bool { return Has(tags, t) })
}
