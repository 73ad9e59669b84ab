package definition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// columnOrder is the order of the columns of a table: identity, time, stacks, interactions,
// effects, persistence. A path that is not in the list comes after the path in the list that
// contains it, or at the end.
var columnOrder = strings.Fields(`
	id extends version name note tags grants polarity level
	duration min_duration max_duration duration_scale clock period first tail align haste haste_duration catchup
	stack stack.by stack.limit stack.initial stack.timers stack.effective stack.refresh stack.refresh_share stack.refresh_cap
	stack.phase stack.overflow stack.expire stack.decay stack.level stack.thresholds reload
	group group.name group.priority group.rule slot slot.class slot.limit slot.evict per_source per_source.limit per_source.evict
	require require.apply require.ongoing require.remove inhibition chance immunity immune dead
	dr dr.group dr.steps dr.reset dr.scope
	dispel dispel.type dispel.grade dispel.per dispel.resist dispel.stealable
	params vars modifiers charges charges.n charges.consume_on charges.on_refresh charges.recharge
	shield shield.pool shield.priority shield.schools shield.attrs shield.share shield.cap shield.floor shield.on_refresh aura aura.apply aura.radius aura.interval aura.linger links
	on on.apply on.refresh on.pulse on.exec on.overflow on.act on.death on.absorb on.when on.when.if on.when.do on.remove
	interrupt on_death on_source_gone on_fault on_area
	save save.mode save.if_remaining save.offline_pulses save.offline_expire save.compensate
	client client.icon client.show client.priority client.sync data`)

// columnRank returns the rank of a path in columnOrder.
func columnRank(path string) int {
	for {
		if i := slices.Index(columnOrder, path); i >= 0 {
			return i
		}
		dot := strings.LastIndexByte(path, '.')
		if dot < 0 {
			return len(columnOrder)
		}
		path = path[:dot]
	}
}

// csvText returns a tree as a table.
func csvText(root ast.Node) (string, error) {
	fields, ok := Fields(root)
	if !ok {
		return "", fmt.Errorf(`want a map with "buffs:", not %s`, kindOf(root))
	}
	var rows []csvRow
	for _, f := range fields {
		switch name := keyOf(f); name {
		case "buffs":
			definitions, ok := Fields(f.Value)
			if !ok {
				return "", fmt.Errorf("buffs: want a map from IDs to definitions, not %s", kindOf(f.Value))
			}
			for _, d := range definitions {
				list, ok := Fields(d.Value)
				if !ok {
					return "", fmt.Errorf("buff %q: want a map of fields, not %s", keyOf(d), kindOf(d.Value))
				}
				r := csvRow{id: keyOf(d), cells: map[string]string{}}
				if err := r.flatten("", list, definitionShape()); err != nil {
					return "", fmt.Errorf("buff %q: %w", r.id, err)
				}
				rows = append(rows, r)
			}
		case "version":
		default:
			return "", fmt.Errorf("a table cannot contain %s", quote(name))
		}
	}
	return tableOf(rows), nil
}

// csvRow holds the cells of one definition.
type csvRow struct {
	id    string
	order []string // paths of the cells, in the order of the fields
	cells map[string]string
	named []csvMap
}

// csvMap is a map with arbitrary names. The order of the names must be kept, unlike the order of
// the fields of a definition.
type csvMap struct {
	path  string
	node  ast.Node
	names []string // paths of the cells of the map, in order
}

// flatten creates a cell for each field of the given list. For a field that is a map, it creates a
// cell for each field of that map, if possible.
func (r *csvRow) flatten(path string, list []*ast.MappingValueNode, s *shape) error {
	for _, f := range list {
		name := keyOf(f)
		field, fs := join(path, name), s.field(name)
		if isFormula(field) {
			return fmt.Errorf("the field %s cannot be a column name: a spreadsheet would treat it as a formula", quote(field))
		}
		if _, again := r.cells[field]; again {
			return fmt.Errorf("the field %s is repeated", quote(field))
		}
		inner, _ := Fields(f.Value)
		if fs.isMap() && len(inner) > 0 && !slices.ContainsFunc(inner, hasNoColumn) {
			if fs.any == nil {
				if err := r.flatten(field, inner, fs); err != nil {
					return err
				}
				continue
			}
			m := csvMap{path: field, node: f.Value}
			for _, e := range inner {
				m.names = append(m.names, join(field, keyOf(e)))
				r.set(join(field, keyOf(e)), cellText(e.Value, fs.any))
			}
			r.named = append(r.named, m)
			continue
		}
		r.set(field, cellText(f.Value, fs))
	}
	return nil
}

// hasNoColumn reports whether the name of a field is not valid as a column name.
func hasNoColumn(f *ast.MappingValueNode) bool {
	s, ok := Text(f.Key)
	return !ok || s == "" || strings.ContainsAny(s, ".#\"") || strings.ContainsFunc(s, unicode.IsSpace)
}

func (r *csvRow) set(path, text string) {
	r.order = append(r.order, path)
	r.cells[path] = text
}

// tableOf returns the text of a table with the rows, and a column for each field that a row has.
func tableOf(rows []csvRow) string {
	var columns []string
	seen := map[string]bool{}
	for _, r := range rows {
		for _, path := range r.order {
			if !seen[path] {
				seen[path] = true
				columns = append(columns, path)
			}
		}
	}
	slices.SortStableFunc(columns, func(a, b string) int { return columnRank(a) - columnRank(b) })
	at := map[string]int{}
	for i, path := range columns {
		at[path] = i
	}
	for _, r := range rows {
		for _, m := range r.named {
			if slices.IsSortedFunc(m.names, func(a, b string) int { return at[a] - at[b] }) {
				continue
			}
			// Separate columns would change the order of the names, so the map gets a single cell.
			for _, name := range m.names {
				delete(r.cells, name)
			}
			if r.cells[m.path] = flowText(m.node); !seen[m.path] {
				seen[m.path] = true
				first := slices.IndexFunc(columns, func(c string) bool { return strings.HasPrefix(c, m.path+".") })
				columns = slices.Insert(columns, first, m.path)
			}
		}
	}
	var b strings.Builder
	b.WriteString("##var,id")
	for _, path := range columns {
		b.WriteString("," + csvCell(path))
	}
	for _, r := range rows {
		b.WriteString("\n," + csvCell(asText(r.id)))
		for _, path := range columns {
			b.WriteString("," + csvCell(r.cells[path]))
		}
	}
	return b.String() + "\n"
}

// csvCell quotes the text of a cell if necessary.
func csvCell(s string) string {
	if strings.ContainsAny(s, ",\n\"") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// cellText returns the text of a cell with the value n, where s is the shape of the field.
func cellText(n ast.Node, s *shape) string {
	text, ok := Text(n)
	switch {
	case ok && s.isText():
		return asText(text)
	case ok && isNumeral(n):
		return text
	case ok && (text == "" || strings.Contains("[{", text[:1]) || token.New(text, text, nil).Type != token.StringType || isNumeralText(text)):
		return inJSON(text)
	case ok:
		return asText(text)
	}
	list, isList := n.(*ast.SequenceNode)
	if !isList || !s.isList() || len(list.Values) == 0 || slices.ContainsFunc(list.Values, func(v ast.Node) bool { return !isScalar(v) }) {
		return flowText(n)
	}
	items := make([]string, len(list.Values))
	for i, v := range list.Values {
		items[i] = cellText(v, s.element())
		if strings.ContainsAny(items[i], ";[{") && items[i][0] != '"' {
			items[i] = inJSON(items[i])
		}
	}
	if all := strings.Join(items, ";"); !isFormula(all) {
		return all
	}
	return flowText(n) // with semicolons, a list such as -1;-2 would look like a formula
}

// isNumeralText reports whether a text would be read as a number with an exponent.
func isNumeralText(s string) bool { return strings.Trim(s, numeral) == "" }

// isFormula reports whether a spreadsheet might treat a text as a formula and execute it when the
// table is opened, such as =HYPERLINK(…) or @SUM(…). A number is not a formula.
func isFormula(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	if !strings.ContainsRune("=+-@\t\r＝＋－＠", first) {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err != nil || strings.Trim(s, numeral) != ""
}

// asText returns the contents of a cell that is read as the text s.
func asText(s string) string {
	inQuotes := s != "" && strings.Contains(`"'`, s[:1]) && quoted(s) == len(s)
	if s == "" || inQuotes || isFormula(s) || strings.TrimSpace(s) != s || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		return inJSON(s)
	}
	return s
}
