package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// maxDepth is the maximum number of words in a tag.
const maxDepth = 16

// wrongTag returns what is wrong with the name of a tag, or "" if the name is valid.
func wrongTag(name string) string {
	parts := strings.Split(name, ".")
	switch {
	case slices.Contains(parts, ""):
		return "a tag is words with dots between them, and none may be empty"
	case len(parts) > maxDepth:
		return fmt.Sprintf("a tag has at most %d words, not %d", maxDepth, len(parts))
	case !isWord(name):
		return "a tag must not have spaces or control characters"
	}
	return ""
}

// tagList returns the tags of a list of names, and replaces the list with a copy.
func (k *checker) tagList(field string, list *[]string) []define.Tag {
	*list = slices.Clone(*list)
	var tags []define.Tag
	seen := make(map[string]bool, len(*list))
	for i, name := range *list {
		text := wrongTag(name)
		switch {
		case text != "":
			k.failf(element(field, i), "%s", text)
			continue
		case seen[name]:
			k.failf(element(field, i), "%q is in the list already", name)
			continue
		case len(k.catalog.Tags.List)+maxDepth > define.MaxTags && k.newTags(name) > define.MaxTags-len(k.catalog.Tags.List):
			k.failf(element(field, i), "more than %d tags in one catalog", define.MaxTags)
			continue
		}
		seen[name] = true
		tags = append(tags, k.catalog.tag(name))
	}
	return tags
}

// newTags returns the number of tags that a name would add to the catalog: the tag and the tags
// above it, unless they exist.
func (k *checker) newTags(name string) (n int) {
	for {
		if _, ok := k.catalog.TagNamed(name); ok {
			return n
		}
		n++
		dot := strings.LastIndexByte(name, '.')
		if dot < 0 {
			return n
		}
		name = name[:dot]
	}
}

// declared adds the tags and acts that are declared but used by no definition. It is called after
// the definitions have been checked, so that the names in definitions get the lower numbers.
func (k *checker) declared(d *define.Definitions) {
	failf := func(section string, i int, format string, args ...any) {
		k.errs = append(k.errs, &define.SpecError{Field: element(section, i), Text: fmt.Sprintf(format, args...)})
	}
	for i, name := range d.Tags {
		switch text := wrongTag(name); {
		case text != "":
			failf("tags", i, "%s", text)
		case k.newTags(name) > define.MaxTags-len(k.catalog.Tags.List):
			failf("tags", i, "more than %d tags in one catalog", define.MaxTags)
		default:
			k.catalog.tag(name)
		}
	}
	for i, name := range d.Acts {
		switch _, known := k.catalog.Acts.Index[name]; {
		case name == "" || !isWord(name):
			failf("acts", i, "the name of an act must not be empty, nor have spaces or control characters")
		case !known && len(k.catalog.Acts.List) >= define.MaxActs:
			failf("acts", i, "more than %d acts in one catalog", define.MaxActs)
		default:
			k.catalog.Acts.number(name)
		}
	}
}

// condition checks and compiles a test of the owner's tags. A test that always fails is an error.
func (k *checker) condition(field string, t *define.TagTest) Condition {
	c := Condition{
		All:  k.tagList(field+".all", &t.All),
		Any:  k.tagList(field+".any", &t.Any),
		None: k.tagList(field+".none", &t.None),
	}
	implied := k.catalog.Closure(c.All)
	for i, name := range t.None {
		if tag, ok := k.catalog.TagNamed(name); ok && Has(implied, tag) {
			k.failf(element(field+".none", i), "can never hold: whoever has what stands in all has %q", name)
		}
	}
	return c
}

// actSet returns the acts of a list of names, one bit each, and replaces the list with a copy.
func (k *checker) actSet(field string, list *[]string) (set uint64) {
	*list = slices.Clone(*list)
	seen := make(map[string]bool, len(*list))
	for i, name := range *list {
		if seen[name] {
			k.failf(element(field, i), "%q is in the list already", name)
		} else {
			set |= Bit(k.act(element(field, i), name))
		}
		seen[name] = true
	}
	return set
}

// act returns the act with a name. If the name is not allowed, it records an error and returns 0.
func (k *checker) act(field, name string) define.Act {
	_, known := k.catalog.Acts.Index[name]
	switch {
	case name == "":
		k.failf(field, "the name of an act is empty")
	case !isWord(name):
		k.failf(field, "the name of an act must not have spaces or control characters")
	case !known && len(k.catalog.Acts.List) >= define.MaxActs:
		k.failf(field, "more than %d acts in one catalog", define.MaxActs)
	default:
		return define.Act(k.catalog.Acts.number(name))
	}
	return 0
}

// numbered returns the number of a name in a table of the catalog, or 0 for the empty name. A table
// has at most 65,535 names; one more is an error.
func (k *checker) numbered(field string, of *names, name string) uint16 {
	const most = 1<<16 - 1
	switch _, known := of.Index[name]; {
	case name == "":
		return 0
	case !known && len(of.List) >= most:
		k.failf(field, "more than %d of them in one catalog", most)
		return 0
	}
	return uint16(of.number(name))
}
