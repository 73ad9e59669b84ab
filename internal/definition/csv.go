package definition

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// A table is converted into the tree of an equivalent YAML file. The nodes of this tree have the
// positions of the table's cells. The code that reads definitions therefore does not need to know
// about tables.

// csv reads the definitions of a table.
func (l *loader) csv(name string, src []byte) {
	t := l.newReading(name)
	n := 0
	// Read each definition immediately, so that the trees of all rows are never in memory together.
	t.each = func(d *ast.MappingValueNode) bool {
		l.definitions(t.src, start, ast.Mapping(nil, true, d))
		n++
		return !l.full
	}
	if t.read(src); n == 0 && t.wrong {
		l.blind = true
	}
}

// csvTree returns a table as the tree of a definition file, and reports whether the table is
// valid.
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

// reading is the state of a table being read.
type reading struct {
	*loader
	name   string
	src    *source
	by     byte // delimiter
	marked bool // the first column contains marks such as "##var" instead of a field
	heads  []columnHead
	groups map[string]int // number of each path; has the paths of columns, and of the maps that contain columns
	wrong  bool           // an error was reported
	row    row
	each   func(*ast.MappingValueNode) bool // accepts a definition and reports whether to continue

	// The `cells` field is the number of non-empty cells so far. The `signs` and `tabs` fields are
	// the total costs of the texts passed to the parser so far; see spend.
	cells, signs, tabs int
}

// columnHead is the head of a column: the path of a field.
type columnHead struct {
	path  []string // empty if the column is not read
	at    []position
	group []int // group[k] is the number of path[:k+1] in reading.groups
	shape *shape
	guess bool // the table has no such column, but an unknown name is probably a misspelling of it
}

func (h *columnHead) name() string { return strings.Join(h.path, ".") }

// row is the state of the current row.
type row struct {
	id     string
	nodes  map[int]*ast.MappingNode // the map at each path, by the path's number in reading.groups
	column map[int]int              // the first column that set each path, by the path's number
}

func (l *loader) newReading(name string) *reading {
	return &reading{loader: l, name: name, groups: map[string]int{}}
}

// read reads a table and reports errors in its structure.
func (t *reading) read(src []byte) {
	text, ok := t.plainText(src)
	if !ok {
		return
	}
	t.src.poisoned = map[position]bool{}
	t.by = delimiterOf(text)
	rows, headed := tableScan{rest: text, by: t.by, at: start}, false
	for {
		r, p, what := rows.next()
		switch {
		case what != "": // the rest of the text cannot be split into cells
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
				return // the error has been reported
			}
		case isMark(r) && r[0].text != "##var":
		case !t.header(r):
			return
		default:
			headed = true
		}
	}
}

// plainText returns the plain text of a file. If the file is too long or invalid, plainText reports
// an error and returns false.
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

// isMark reports whether a row starts with "##". Such rows are meant for people or other programs.
func isMark(r []cell) bool { return strings.HasPrefix(r[0].text, "##") }

// definitionOf reads the definition in one row and reports whether to continue.
func (t *reading) definitionOf(r []cell) bool {
	first := r[0].whole()
	switch {
	case first.text == "##var":
		t.fail(first.begin(), "", "", "a second row of field names: only one is allowed")
		return true
	case isMark(r):
		return true
	case t.marked && first.text != "":
		t.fail(first.begin(), "", "", "the first column is for marks such as ##: put the ID in a later column")
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
			t.put(i, t.lost(noPosition), def)
		}
	}
	return t.each(pair(key, id.begin(), def))
}

// first returns the position of the first non-empty cell of a row.
func (t *reading) first(r []cell) position {
	for i := range r {
		if p := r[i].whole(); p.text != "" {
			return p.begin()
		}
	}
	return start
}

// cellOf adds the contents of column i to a definition.
func (t *reading) cellOf(i int, p part, def *ast.MappingNode) {
	if p.text == "" {
		return
	}
	if t.cells++; t.cells > maxCells {
		if t.cells == maxCells+1 {
			t.fail(p.begin(), "", "", "more than %d non-empty cells", maxCells)
			t.blind = true
		}
		return
	}
	if i >= len(t.heads) || t.heads[i].guess {
		t.fail(p.begin(), t.row.id, "", "this column has no field name")
		return
	}
	h := &t.heads[i]
	if len(h.path) == 0 || h.name() == "id" {
		return
	}
	n := t.value(p, h.shape, t.row.id, h.name())
	if column := t.put(i, n, def); column >= 0 {
		t.fail(p.begin(), t.row.id, h.name(), "column %d, %s, already sets this", column+1, t.heads[column].name())
	}
}

// put adds the value n of column i to a definition. If another column has already set the same
// field, or a map that contains it, put returns the index of that column. Otherwise it returns -1.
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

// pair returns a field of a map. p is the position of the name.
func pair(name string, p position, value ast.Node) *ast.MappingValueNode {
	return ast.MappingValue(tokenAt(":", p), textAt(name, p), value)
}

// fail reports an error in the table itself.
func (t *reading) fail(p position, id, field, format string, args ...any) {
	t.add(t.src, p, id, field, format, args...)
	t.wrong = true
}

// invalid reports an error in a cell and returns a node that causes no further errors.
func (t *reading) invalid(p position, id, field, text string) ast.Node {
	t.fail(p, id, field, "%s", text)
	return t.lost(p)
}

// lost returns a node at p that replaces an invalid value. The node causes no further errors.
func (t *reading) lost(p position) ast.Node {
	t.src.poisoned[p] = true
	return ast.Null(tokenAt("", p))
}

// spend adds the cost of passing a text to the parser. It reports whether the total cost of the
// table is still within the limits of a YAML file.
func (t *reading) spend(text string) bool {
	t.signs += countSigns(text) + 1
	t.tabs += strings.Count(text, "\t") * len(text)
	return t.signs <= maxFlow && t.tabs <= maxTabs
}
