package definition

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// delimiters are what may stand between two columns: what spreadsheets save, each in the countries
// that have it, or as text with tabs.
const delimiters = ",;\t"

// delimiterOf returns the one with which the row of names has a column id; without such a row the first of
// those that cut it into most.
func delimiterOf(text string) byte {
	best, most := delimiters[0], 0
	for k := range len(delimiters) {
		s := tableScan{rest: text, by: delimiters[k], at: start}
		row, _, what := s.next()
		for what == "" && len(row) > 0 && isMark(row) && row[0].text != "##var" {
			row, _, what = s.next()
		}
		if what != "" {
			continue
		}
		if slices.ContainsFunc(row, func(c cell) bool { return c.whole().text == "id" }) {
			return s.by
		}
		if len(row) > most {
			best, most = s.by, len(row)
		}
	}
	return best
}

// header reads the names of the fields, and reports whether the rows can be read.
func (t *reading) header(r []cell) bool {
	t.marked = r[0].text == "##var"
	t.heads = make([]columnHead, len(r))
	for i := range r {
		name := r[i].whole()
		if i == 0 && t.marked || name.text == "" || name.text[0] == '#' {
			continue
		}
		t.head(i, name)
	}
	if !t.wrong && !slices.ContainsFunc(t.heads, func(h columnHead) bool { return h.name() == "id" }) {
		t.fail(r[0].whole().begin(), "", "", `the column "id" is missing: the first row has the names of the fields`)
	}
	if t.wrong {
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
			t.fail(p, "", "", "%s is no name of a field: want words with dots between them, such as stack.limit", quote(name.text))
			h.path = nil
			return
		case k == maxPath:
			t.fail(p, "", "", "more than %d words in one name", maxPath)
			h.path = nil
			return
		}
		h.path, h.at = append(h.path, word), append(h.at, p)
		h.group = append(h.group, t.number(h.path))
		at = at.over(word + ".")
	}
	if first := slices.IndexFunc(t.heads[:i], func(o columnHead) bool { return slices.Equal(o.path, h.path) }); first >= 0 {
		t.fail(h.at[0], "", "", "the column %s is repeated: it is column %d already", quote(h.name()), first+1)
		return
	}
	h.shape = shapeOf(h.name())
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
	for _, e := range asked.errors() { // those of names come first
		p := position{e.Line, e.Column}
		i, ok := columnAt[p]
		if !ok {
			return // of the values, and there are none
		}
		if t.heads[i].path == nil {
			continue // one is enough
		}
		d := asked.byID[t.heads[i].name()]
		t.fail(p, "", e.Field, "%s", e.Text)
		t.heads[i].path = nil
		for name := range shapeOf(e.Field).names() {
			if meant := d.place(join(e.Field, name)); meant.bad && meant.position == p {
				t.guess(join(e.Field, name))
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
