package catalog

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// header reads the names of the fields, and reports whether the rows can be read.
func (t *reading) header(r []cell) bool {
	t.marked = r[0].text == "##var"
	before := t.failed
	t.heads = make([]columnHead, len(r))
	for i := range r {
		name := r[i].whole()
		if i == 0 && t.marked || name.text == "" || name.text[0] == '#' {
			continue
		}
		t.head(i, name)
	}
	if t.failed == before && !slices.ContainsFunc(t.heads, func(h columnHead) bool { return h.name() == "id" }) {
		hint := `the column "id" is missing: the first row has the names of the fields`
		for _, by := range []struct{ sign, name string }{{";", "semicolons"}, {"\t", "tabs"}} {
			if len(r) == 1 && strings.Contains(r[0].text, by.sign) {
				hint = "the columns are parted by " + by.name + ": save the table with commas"
			}
		}
		t.add(t.src, r[0].whole().begin(), "", "", "%s", hint)
	}
	if t.failed > before {
		return false
	}
	t.strange()
	return true
}

// head reads the name at the head of column i.
func (t *reading) head(i int, name part) {
	h := &t.heads[i]
	at, rest, more := start, name.text, true
	for k := 0; more; k++ {
		var word string
		word, rest, more = strings.Cut(rest, ".")
		p := name.place(at)
		switch {
		case word == "" || word != strings.TrimSpace(word):
			t.add(t.src, p, "", "", "%s is no name of a field: want words with dots between them, such as stack.limit", quote(name.text))
			h.path = nil
			return
		case k == maxPath:
			t.add(t.src, p, "", "", "more than %d words in one name", maxPath)
			h.path = nil
			return
		}
		h.path, h.at = append(h.path, word), append(h.at, p)
		h.group = append(h.group, t.number(h.path))
		at = at.over(word + ".")
	}
	if first := slices.IndexFunc(t.heads[:i], func(o columnHead) bool { return slices.Equal(o.path, h.path) }); first >= 0 {
		t.add(t.src, h.at[0], "", "", "the column %s is repeated: it is column %d already", quote(h.name()), first+1)
		return
	}
	h.shape = definitionShape()
	for _, word := range h.path {
		h.shape = h.shape.field(word)
	}
}

// nowhere is where no name stands.
var nowhere = position{1 << 30, 1}

// strange reports the names that are no fields, once for each and not in each row. Their
// cells are not read. What a definition says of them it says itself: each column makes
// one, in which nothing but the name is right.
func (t *reading) strange() {
	asked := newLoader()
	all := ast.Mapping(tokenAt("{", start), true)
	columnAt := map[position]int{}
	for i := range t.heads {
		h := &t.heads[i]
		if len(h.path) == 0 || h.name() == "id" {
			continue
		}
		n := ast.Node(ast.Null(tokenAt("", nowhere)))
		for k := len(h.path) - 1; k >= 0; k-- {
			n = ast.Mapping(tokenAt("{", nowhere), true, pair(h.path[k], h.at[k], n))
			columnAt[h.at[k]] = i
		}
		all.Values = append(all.Values, pair(h.name(), nowhere, n))
	}
	asked.definitions(t.src, start, all)
	for _, f := range asked.faults.list {
		p := position{f.err.Line, f.err.Column}
		i, ok := columnAt[p]
		if !ok {
			continue // of the value, and there is none
		}
		name := t.heads[i].name()
		t.add(t.src, p, "", f.err.Field, "%s", f.err.Text)
		t.heads[i].path = nil
		for _, meant := range asked.byID[name].places.list {
			if meant.value.bad && meant.value.position == p {
				t.guess(meant.key)
			}
		}
	}
}

// guess notes that a field was perhaps meant by a name that is none: that it is missing
// is then not reported.
func (t *reading) guess(field string) {
	h := columnHead{path: strings.Split(field, "."), guess: true}
	if slices.ContainsFunc(t.heads, func(o columnHead) bool { return slices.Equal(o.path, h.path) }) {
		return
	}
	for k := range h.path {
		h.at = append(h.at, start)
		h.group = append(h.group, t.number(h.path[:k+1]))
	}
	t.heads = append(t.heads, h)
}

// number returns the number of a path.
func (t *reading) number(path []string) int {
	name := strings.Join(path, ".")
	g, ok := t.groups[name]
	if !ok {
		g = len(t.groups)
		t.groups[name] = g
	}
	return g
}
