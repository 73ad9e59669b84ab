package definition

import (
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// notGranted finds required tags that no buff grants. Such a tag occurs only in the field "tags" of
// buffs, but that field does not grant it to the owner.
func (l *linter) notGranted(d *definition) {
	for _, r := range []struct {
		field string
		test  *define.TagTest
	}{
		{"require.apply", &d.spec.Require.Apply}, {"require.ongoing", &d.spec.Require.Ongoing}, {"require.remove", &d.spec.Require.Remove},
	} {
		for _, list := range []struct {
			field string
			tags  []string
		}{{".all", r.test.All}, {".any", r.test.Any}, {".none", r.test.None}} {
			for i, tag := range list.tags {
				if of := l.hasTag(tag); of != "" && !l.granted(tag) {
					l.warn(d, element(r.field+list.field, i), "owners have only tags that buffs grant, and none grants %s: it is in the tags of %s; did you mean grants: [%s] there?",
						brief(tag), brief(of), brief(tag))
				}
			}
		}
	}
}

// hasTag returns the ID of the first definition whose tags contain the tag or a tag below it, or
// "".
func (l *linter) hasTag(tag string) string {
	for _, d := range l.defs {
		if slices.ContainsFunc(d.spec.Tags, func(t string) bool { return isBelow(t, tag) }) {
			return d.spec.ID
		}
	}
	return ""
}

// granted reports whether an owner may have a tag because a definition or the game grants it.
func (l *linter) granted(tag string) bool {
	below := func(t string) bool { return isBelow(t, tag) }
	return slices.ContainsFunc(l.extraTags, below) ||
		slices.ContainsFunc(l.defs, func(d *definition) bool { return slices.ContainsFunc(d.spec.Grants, below) })
}

// isBelow reports whether the first tag equals the second or is below it in the hierarchy. For
// example, a.b is below a.
func isBelow(tag, other string) bool { return tag == other || strings.HasPrefix(tag, other+".") }
