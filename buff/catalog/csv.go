package catalog

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// A table is read into the same tree that YAML makes, with the places of the cells in
// it. So whatever reads a definition reads a row, too, and needs not to know of tables.

// isTable reports whether a file of that name is a table.
func isTable(name string) bool { return strings.EqualFold(filepath.Ext(name), ".csv") }

// csv reads the definitions of a table.
func (l *loader) csv(name string, src []byte) {
	t := l.table(name, src)
	if t.defs == nil {
		l.blind = true
		return
	}
	before, failed := len(l.faults.list), l.failed
	l.definitions(t.src, start, t.defs)
	if l.failed-failed == len(l.faults.list)-before { // none of them was dropped
		l.faults.list = append(l.faults.list[:before], t.distinct(l.faults.list[before:])...)
		l.failed = failed + len(l.faults.list) - before
	}
}

// csvTree returns a table as the tree of a file of definitions, and reports whether
// there is nothing wrong with it.
func (l *loader) csvTree(name string, src []byte) (root ast.Node, ok bool) {
	before := l.failed
	t := l.table(name, src)
	if l.failed > before {
		return nil, false
	}
	return ast.Mapping(tokenAt("{", start), true, pair("buffs", start, t.defs)), true
}

// reading is a table that is being read.
type reading struct {
	*loader
	src    *source
	marked bool // the first column is for marks
	heads  []columnHead
	groups map[string]int // the number of each path that has a column, or fields that have one
	lostAt map[position]bool
	row    row
	defs   *ast.MappingNode // nil if there are none that could be read

	// What was read and what was handed to the parser so far.
	cells, signs, tabs int
}

// columnHead is the head of a column: the path of a field.
type columnHead struct {
	path  []string // none if the column is not read
	at    []position
	group []int // the numbers of the paths that end at each word
	shape *shape
	guess bool // there is no such column; another was perhaps meant to be it
}

func (h *columnHead) name() string { return strings.Join(h.path, ".") }

// row is what is known of the row that is being read.
type row struct {
	id     string
	nodes  map[int]*ast.MappingNode // by the number of the path
	column map[int]int              // that gave the path or the first of its fields
}

// table reads a table as a map from IDs to maps of fields, and reports what is wrong
// with it as a table.
func (l *loader) table(name string, src []byte) *reading {
	text, s, ok := l.plainText(name, src)
	t := &reading{loader: l, src: s, groups: map[string]int{}, lostAt: map[position]bool{}}
	if !ok {
		return t
	}
	rows, headed := tableScan{rest: text, at: start}, false
	for {
		r, p, what := rows.next()
		switch {
		case what != "": // what follows it was cut wrongly
			l.add(s, p, "", "", "%s", what)
			l.blind = true
			return t
		case len(r) == 0:
			if !headed {
				l.add(s, start, "", "", "the table is empty: want a row with the names of the fields")
			}
			return t
		case headed:
			t.definitionOf(r)
			if len(t.defs.Values) > MaxDefinitions || t.cells > maxCells {
				return t // the first says so itself
			}
		case isMark(r) && r[0].text != "##var":
		case !t.header(r):
			return t
		default:
			headed = true
			t.defs = ast.Mapping(tokenAt("{", start), true)
		}
	}
}

// plainText opens a file that may be read at all.
func (l *loader) plainText(name string, src []byte) (text string, s *source, ok bool) {
	if len(src) > MaxFileSize {
		s = l.open(name, "")
		l.add(s, start, "", "", "%d bytes: a file may have at most %d", len(src), MaxFileSize)
		return "", s, false
	}
	text = plain(src)
	s = l.open(name, text)
	p, what := unreadable(text)
	if what != "" {
		l.add(s, p, "", "", "%s", what)
	}
	return text, s, what == ""
}

// isMark reports whether a row is one of those that are for people and other programs.
func isMark(r []cell) bool { return strings.HasPrefix(r[0].text, "##") }

// definitionOf reads one row.
func (t *reading) definitionOf(r []cell) {
	first := r[0].whole()
	switch {
	case first.text == "##var":
		t.add(t.src, first.begin(), "", "", "a second row of names: only one is read")
		return
	case isMark(r):
		return
	case t.marked && first.text != "":
		t.add(t.src, first.begin(), "", "", "the first column is for marks such as ##: the ID stands behind it")
	}
	t.row = row{nodes: map[int]*ast.MappingNode{}, column: map[int]int{}}
	id := part{}
	for i := range min(len(r), len(t.heads)) {
		if t.heads[i].name() == "id" {
			id = r[i].whole()
		}
	}
	if id.text == "" {
		t.add(t.src, t.first(r), "", "", "this row has no ID")
		t.blind = true
		return
	}
	key, _ := Text(t.value(id, &shape{kinds: map[string]bool{"string": true}}, "", ""))
	t.row.id = key
	def := ast.Mapping(tokenAt("{", id.begin()), true)
	for i := range r {
		t.cellOf(i, r[i].whole(), def)
	}
	for i := range t.heads {
		if t.heads[i].guess {
			t.put(i, t.lost(id.begin()), def)
		}
	}
	t.defs.Values = append(t.defs.Values, pair(key, id.begin(), def))
}

// first returns where the first cell of a row stands in which there is something.
func (t *reading) first(r []cell) position {
	for i := range r {
		if p := r[i].whole(); p.text != "" {
			return p.begin()
		}
	}
	return start
}

// cellOf puts what stands in column i into a definition.
func (t *reading) cellOf(i int, p part, def *ast.MappingNode) {
	if p.text == "" || i == 0 && t.marked {
		return
	}
	if t.cells++; t.cells > maxCells {
		if t.cells == maxCells+1 {
			t.add(t.src, p.begin(), "", "", "more than %d cells with something in them", maxCells)
			t.blind = true
		}
		return
	}
	if i >= len(t.heads) || t.heads[i].guess {
		t.add(t.src, p.begin(), t.row.id, "", "there is no name of a field above this cell")
		return
	}
	h := &t.heads[i]
	if len(h.path) == 0 || h.name() == "id" {
		return
	}
	n := t.value(p, h.shape, t.row.id, h.name())
	if column := t.put(i, n, def); column >= 0 {
		t.add(t.src, p.begin(), t.row.id, h.name(), "column %d, %s, has given this already", column+1, t.heads[column].name())
	}
}

// put puts a value into a definition. If another column has given the same before, or
// the whole of which it is a part, it returns that one, else -1.
func (t *reading) put(i int, n ast.Node, in *ast.MappingNode) int {
	h := &t.heads[i]
	for k, g := range h.group {
		column, given := t.row.column[g]
		next, isLast := t.row.nodes[g], k == len(h.group)-1
		if given && (isLast || next == nil) {
			return column
		}
		switch {
		case isLast:
			in.Values = append(in.Values, pair(h.path[k], h.at[k], n))
		case next == nil:
			next = ast.Mapping(tokenAt("{", at(n)), true)
			in.Values = append(in.Values, pair(h.path[k], h.at[k], next))
			t.row.nodes[g] = next
		}
		if !given {
			t.row.column[g] = i
		}
		in = next
	}
	return -1
}

// pair returns a field, whose name stands at p.
func pair(name string, p position, value ast.Node) *ast.MappingValueNode {
	return ast.MappingValue(tokenAt(":", p), textAt(name, p), value)
}

// broken reports an error of a cell, and returns a node from which nothing follows.
func (t *reading) broken(p position, id, field, text string) ast.Node {
	t.add(t.src, p, id, field, "%s", text)
	return t.lost(p)
}

// lost returns a node that every field refuses; that it does is not reported.
func (t *reading) lost(p position) ast.Node {
	t.lostAt[p] = true
	return ast.Null(tokenAt("", p))
}

// spend reports whether a text may still be given to the parser, under the limits that a
// file of YAML has as a whole.
func (t *reading) spend(text string) bool {
	t.signs += signs(text) + 1
	t.tabs += strings.Count(text, "\t") * len(text)
	return t.signs <= maxFlow && t.tabs <= maxTabs
}

// distinct returns the errors of a table without those that follow from others, of which
// there are some already.
func (t *reading) distinct(list []fault) []fault {
	return slices.DeleteFunc(list, func(f fault) bool {
		return f.src == t.src && t.lostAt[position{f.err.Line, f.err.Column}]
	})
}
