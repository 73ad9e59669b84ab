package definition

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// delimiters are the possible column delimiters. Spreadsheets write a comma or a semicolon,
// depending on the country, or a tab.
const delimiters = ",;\t"

// delimiterOf returns the delimiter that gives a column "id" in the row of field names. If there is
// no such delimiter, it returns the one that gives the most columns.
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

// header reads the row of field names, and reports whether the rows below it can be read.
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
	t.reportUnknownColumns()
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
			t.fail(p, "", "", "%s is not a field name: want words separated by dots, such as stack.limit", quote(name.text))
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
		t.fail(h.at[0], "", "", "the column %s is repeated: it is already column %d", quote(h.name()), first+1)
		return
	}
	h.shape = shapeOf(h.name())
}

// noPosition is the position of a missing name.
var noPosition = position{fileLines - 1, 1}

// reportUnknownColumns reports each unknown column name once, instead of once per row. The cells of
// such columns are not read. To find the unknown names, the method reads one definition for each
// column, with a value that is invalid in every field, and keeps only the errors about names.
func (t *reading) reportUnknownColumns() {
	asked := newLoader()
	all := ast.Mapping(tokenAt("{", start), true)
	columnAt := map[position]int{}
	for i := range t.heads {
		h := &t.heads[i]
		if len(h.path) == 0 || h.name() == "id" {
			continue
		}
		n := ast.Node(ast.Null(tokenAt("", noPosition)))
		for k := len(h.path) - 1; k >= 0; k-- {
			n = ast.Mapping(tokenAt("{", noPosition), true, pair(h.path[k], h.at[k], n))
			columnAt[h.at[k]] = i
		}
		all.Values = append(all.Values, pair(h.name(), noPosition, n))
	}
	asked.definitions(t.src, start, all)
	for _, e := range asked.errors() { // errors about names come first
		p := position{e.Line, e.Column}
		i, ok := columnAt[p]
		if !ok {
			return // this error and all later ones are about the values
		}
		if t.heads[i].path == nil {
			continue // this column has already been reported
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

// guess records that an unknown name is probably a misspelling of the given field. That field is
// then not reported as missing.
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

// number returns the number of a path in t.groups, and adds the path if it is new.
func (t *reading) number(path []string) int {
	name := strings.Join(path, ".")
	g, ok := t.groups[name]
	if !ok {
		g = len(t.groups)
		t.groups[name] = g
	}
	return g
}
