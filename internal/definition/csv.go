package definition

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// A table is read into the same tree that YAML makes, with the places of the cells in
// it. So whatever reads a definition reads a row, too, and needs not to know of tables.

// csv reads the definitions of a table.
func (l *loader) csv(name string, src []byte) {
	t := l.newReading(name)
	n := 0
	t.each = func(d *ast.MappingValueNode) bool { // the tree of a row is not needed any longer
		l.definitions(t.src, start, ast.Mapping(nil, true, d))
		n++
		return !l.full
	}
	if t.read(src); n == 0 && t.wrong {
		l.blind = true
	}
}

// csvTree returns a table as the tree of a file of definitions, and reports whether
// there is nothing wrong with it.
func (l *loader) csvTree(name string, src []byte) (root ast.Node, ok bool) {
	t := l.newReading(name)
	defs := ast.Mapping(tokenAt("{", start), true)
	t.each = func(d *ast.MappingValueNode) bool {
		defs.Values = append(defs.Values, d)
		return len(defs.Values) <= MaxDefinitions
	}
	if t.read(src); t.wrong {
		return nil, false
	}
	return ast.Mapping(tokenAt("{", start), true, pair("buffs", start, defs)), true
}

// reading is a table that is being read.
type reading struct {
	*loader
	name   string
	src    *source
	by     byte // between its columns
	marked bool // the first column is for marks
	heads  []columnHead
	groups map[string]int // the number of each path that has a column, or fields that have one
	wrong  bool           // something is
	row    row
	each   func(*ast.MappingValueNode) bool // takes a definition, and reports whether to go on

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

func (l *loader) newReading(name string) *reading {
	return &reading{loader: l, name: name, groups: map[string]int{}}
}

// read reads a table, and reports what is wrong with it as a table.
func (t *reading) read(src []byte) {
	text, ok := t.plainText(src)
	if !ok {
		return
	}
	t.src.lost = map[position]bool{}
	t.by = delimiterOf(text)
	rows, headed := tableScan{rest: text, by: t.by, at: start}, false
	for {
		r, p, what := rows.next()
		switch {
		case what != "": // what follows it was cut wrongly
			t.fail(p, "", "", "%s", what)
			t.blind = true
			return
		case len(r) == 0:
			if !headed {
				t.fail(start, "", "", "the table is empty: want a row with the names of the fields")
			}
			return
		case headed:
			if !t.definitionOf(r) || t.cells > maxCells {
				return // what reads it has said so itself
			}
		case isMark(r) && r[0].text != "##var":
		case !t.header(r):
			return
		default:
			headed = true
		}
	}
}

// plainText opens a file that may be read at all.
func (t *reading) plainText(src []byte) (text string, ok bool) {
	if len(src) > MaxFileSize {
		t.src = t.open(t.name, "")
		t.fail(start, "", "", "%d bytes: a file may have at most %d", len(src), MaxFileSize)
		return "", false
	}
	text = plain(src)
	t.src = t.open(t.name, text)
	if p, what := unreadable(text); what != "" {
		t.fail(p, "", "", "%s", what)
		return "", false
	}
	return text, true
}

// isMark reports whether a row is one of those that are for people and other programs.
func isMark(r []cell) bool { return strings.HasPrefix(r[0].text, "##") }

// definitionOf reads one row, and reports whether to go on.
func (t *reading) definitionOf(r []cell) bool {
	first := r[0].whole()
	switch {
	case first.text == "##var":
		t.fail(first.begin(), "", "", "a second row of names: only one is read")
		return true
	case isMark(r):
		return true
	case t.marked && first.text != "":
		t.fail(first.begin(), "", "", "the first column is for marks such as ##: the ID stands behind it")
	}
	t.row = row{nodes: map[int]*ast.MappingNode{}, column: map[int]int{}}
	id := part{}
	for i := range min(len(r), len(t.heads)) {
		if t.heads[i].name() == "id" {
			id = r[i].whole()
		}
	}
	if id.text == "" {
		t.fail(t.first(r), "", "", "this row has no ID")
		t.blind = true
		return true
	}
	key, _ := Text(t.value(id, &shape{kinds: map[string]bool{"string": true}}, "", ""))
	t.row.id = key
	def := ast.Mapping(tokenAt("{", id.begin()), true)
	for i := range r {
		t.cellOf(i, r[i].whole(), def)
	}
	for i := range t.heads {
		if t.heads[i].guess {
			t.put(i, t.lost(nowhere), def)
		}
	}
	return t.each(pair(key, id.begin(), def))
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
	if p.text == "" {
		return
	}
	if t.cells++; t.cells > maxCells {
		if t.cells == maxCells+1 {
			t.fail(p.begin(), "", "", "more than %d cells with something in them", maxCells)
			t.blind = true
		}
		return
	}
	if i >= len(t.heads) || t.heads[i].guess {
		t.fail(p.begin(), t.row.id, "", "there is no name of a field above this cell")
		return
	}
	h := &t.heads[i]
	if len(h.path) == 0 || h.name() == "id" {
		return
	}
	n := t.value(p, h.shape, t.row.id, h.name())
	if column := t.put(i, n, def); column >= 0 {
		t.fail(p.begin(), t.row.id, h.name(), "column %d, %s, has given this already", column+1, t.heads[column].name())
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

// fail reports that something is wrong with the table itself.
func (t *reading) fail(p position, id, field, format string, args ...any) {
	t.add(t.src, p, id, field, format, args...)
	t.wrong = true
}

// broken reports an error of a cell, and returns a node from which nothing follows.
func (t *reading) broken(p position, id, field, text string) ast.Node {
	t.fail(p, id, field, "%s", text)
	return t.lost(p)
}

// lost returns a node that every field refuses; that it does is not reported.
func (t *reading) lost(p position) ast.Node {
	t.src.lost[p] = true
	return ast.Null(tokenAt("", p))
}

// spend reports whether a text may still be given to the parser, under the limits that a
// file of YAML has as a whole.
func (t *reading) spend(text string) bool {
	t.signs += signs(text) + 1
	t.tabs += strings.Count(text, "\t") * len(text)
	return t.signs <= maxFlow && t.tabs <= maxTabs
}
