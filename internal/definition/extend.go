package definition

import (
	"maps"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/bufftick/bufftick/internal/misspelt"
)

// A definition with the field "extends" takes the fields of a template or of another definition. It
// is read when all files are known. Its tree is made from its own fields and a copy of the inherited
// fields. The copies have the positions of the originals, so that errors show the line of a field in
// the file where it is written.

const (
	// maxInherited is the largest number of values that all definitions of a catalog inherit. It
	// bounds the time and the memory of a load.
	maxInherited = 50_000
	maxChain     = 16 // definitions that extend one another

	// fileLines is more than the lines of a file. A position in another file than that of the
	// definition has the number of that file, from 1, times fileLines added to its line.
	fileLines = 1 << 21
)

// resolve returns the source of a position, and the position in it.
func (l *loader) resolve(s *source, p position) (*source, position) {
	if file := p.line / fileLines; file > 0 {
		return l.sources[file-1], position{p.line % fileLines, p.column}
	}
	return s, p
}

// templates reads the section "templates".
func (w *definition) templates(f *ast.MappingValueNode) {
	l := w.loader
	list, ok := Fields(f.Value)
	if !ok {
		w.complain("templates", valueAt(f), "want a map from names to fields of definitions, not %s", kindOf(f.Value))
		l.blind = true
		return
	}
	for _, f := range list {
		if l.hasRoom(w.src, f) {
			l.definition(w.src, f, true)
		}
	}
}

// defined returns the definition or template with an ID, or nil.
func (l *loader) defined(id string) *definition {
	if d := l.byID[id]; d != nil {
		return d
	}
	return l.templates[id]
}

// extends notes the field "extends" of a definition that has just been found, and reports whether it
// must be read later.
func (d *definition) extends(n ast.Node) bool {
	f := fieldOf(n, "extends")
	if f == nil {
		return false
	}
	base, ok := Text(f.Value)
	if !ok || base == "" {
		return false // the error is reported when the field is read
	}
	d.base, d.baseAt = base, at(f.Value)
	d.loader.extending = append(d.loader.extending, d)
	return true
}

// extend reads all definitions that extend others.
func (l *loader) extend() {
	if len(l.extending) == 0 {
		return
	}
	l.reported = map[fact]bool{}
	for _, f := range l.faults.list {
		l.reported[fact{f.src, position{f.err.Line, f.err.Column}, f.err.Text}] = true
	}
	e := extender{loader: l, own: map[*definition]ast.Node{}, left: maxInherited}
	for _, d := range l.extending {
		e.chain(d)
	}
	for s, list := range bySource(slices.Collect(maps.Keys(e.own))) {
		e.each(s, list, func(d *definition, n ast.Node) { e.own[d] = e.copy(n, (s.index+1)*fileLines) })
	}
	for _, s := range l.sources {
		e.each(s, bySource(l.extending)[s], e.read)
	}
}

// extender reads definitions that extend others.
type extender struct {
	*loader
	own  map[*definition]ast.Node // copies of the definitions that others extend
	left int                      // number of values that can still be inherited
}

// chain checks the definitions that d extends, and notes that their trees are needed.
func (e *extender) chain(d *definition) {
	seen := []*definition{d}
	for c := d; c.base != ""; {
		next := e.defined(c.base)
		switch {
		case next == nil && c == d && !e.blind:
			names := slices.Concat(slices.Collect(maps.Keys(e.byID)), slices.Collect(maps.Keys(e.templates)))
			d.fail("extends", d.baseAt, "no definition or template %s%s", quote(d.base), didYouMean(misspelt.Near(d.base, names)))
			fallthrough
		case next == nil:
			d.broken = true
			return
		case slices.Contains(seen, next):
			if next == d {
				circle := ""
				for _, c := range seen {
					circle += brief(c.spec.ID) + " extends "
				}
				d.fail("extends", d.baseAt, "goes in a circle: %s%s", circle, brief(d.spec.ID))
			}
			d.broken = true
			return
		case len(seen) > maxChain:
			d.fail("extends", d.baseAt, "more than %d definitions extend one another", maxChain)
			d.broken = true
			return
		}
		seen, c = append(seen, next), next
	}
	for _, base := range seen[1:] {
		e.own[base] = nil
	}
}

// each parses a source again and calls do for each of the given definitions in it.
func (e *extender) each(s *source, list []*definition, do func(d *definition, n ast.Node)) {
	if len(list) == 0 {
		return
	}
	byPlace := make(map[position]*definition, len(list))
	for _, d := range list {
		byPlace[d.at] = d
	}
	root, _ := newLoader().tree(s.name, []byte(s.text))
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		if seq, ok := n.(*ast.SequenceNode); ok { // scenarios
			for _, v := range seq.Values {
				visit(v)
			}
		}
		fields, _ := Fields(n)
		for _, f := range fields {
			if d := byPlace[at(f.Key)]; d != nil {
				do(d, f.Value)
			} else {
				visit(f.Value)
			}
		}
	}
	visit(root)
}

func bySource(list []*definition) map[*source][]*definition {
	m := map[*source][]*definition{}
	for _, d := range list {
		m[d.src] = append(m[d.src], d)
	}
	return m
}

// read reads a definition with its inherited fields.
func (e *extender) read(d *definition, own ast.Node) {
	if d.broken {
		d.places.set("", place{position: d.at, bad: true})
		d.fields("", at(own), own, specFields)
		return
	}
	n := own
	for c := e.defined(d.base); ; c = e.defined(c.base) {
		if n = e.merge("", e.own[c], n); c.base == "" {
			break
		}
	}
	if e.left < 0 {
		if !e.full {
			d.fail("extends", d.baseAt, "the definitions of this catalog inherit more than %d values in total", maxInherited)
		}
		e.full, e.blind = true, true
		d.places.set("", place{position: d.at, bad: true})
		return
	}
	d.read(at(own), n)
}

// merge returns a value in which own fields win over inherited ones. Maps are merged by their keys,
// except the origins of numbers; lists are replaced.
func (e *extender) merge(path string, base, own ast.Node) ast.Node {
	from, isMap := Fields(base)
	list, isAlso := Fields(own)
	if !isMap || !isAlso || path != "params" && (hasOrigin(from) || hasOrigin(list)) || e.left < 0 {
		return own
	}
	out := make([]*ast.MappingValueNode, 0, len(from)+len(list))
	index := make(map[string]int, len(from))
	for _, f := range from {
		name := keyOf(f)
		if _, again := index[name]; again || path == "" && name == "extends" {
			continue
		}
		index[name] = len(out)
		out = append(out, f)
	}
	inherited := map[string]bool{}
	for _, f := range list {
		i, ok := index[keyOf(f)]
		if !ok || inherited[keyOf(f)] {
			out = append(out, f)
			continue
		}
		inherited[keyOf(f)] = true
		out[i] = &ast.MappingValueNode{BaseNode: f.BaseNode, Start: f.Start, Key: f.Key, Value: e.merge(join(path, keyOf(f)), out[i].Value, f.Value)}
	}
	for _, f := range out {
		if at(f.Key).line >= fileLines {
			e.left -= sizeOf(f.Value)
		}
	}
	return ast.Mapping(tokenAt("{", at(own)), true, out...)
}

// hasOrigin reports whether a map is a number with its origin.
func hasOrigin(list []*ast.MappingValueNode) bool {
	return slices.ContainsFunc(list, func(f *ast.MappingValueNode) bool {
		return slices.Contains(origins, keyOf(f)) && isScalar(f.Value)
	})
}

// sizeOf returns the number of values in a node.
func sizeOf(n ast.Node) (size int) {
	size = 1
	if list, ok := Fields(n); ok {
		for _, f := range list {
			size += sizeOf(f.Value)
		}
	}
	if list, ok := n.(*ast.SequenceNode); ok {
		for _, v := range list.Values {
			size += sizeOf(v)
		}
	}
	return size
}

// copy returns a copy of a node that does not refer to the rest of its tree. The lines of its
// positions are increased by the given number. A copy of too many values is incomplete.
func (e *extender) copy(n ast.Node, lines int) ast.Node {
	if e.left--; e.left < 0 {
		return ast.Null(tokenAt("", start))
	}
	move := func(t *token.Token) *token.Token {
		if t == nil {
			return nil
		}
		p := where(t)
		return &token.Token{Type: t.Type, CharacterType: t.CharacterType, Indicator: t.Indicator, Value: t.Value, Origin: t.Origin, Position: &token.Position{Line: p.line + lines, Column: p.column}}
	}
	base := &ast.BaseNode{}
	if list, ok := Fields(n); ok {
		first := at(n)
		m := ast.Mapping(tokenAt("{", position{first.line + lines, first.column}), true)
		for _, f := range list {
			key := e.copy(f.Key, lines).(ast.MapKeyNode)
			m.Values = append(m.Values, &ast.MappingValueNode{BaseNode: base, Start: move(f.Start), Key: key, Value: e.copy(f.Value, lines)})
		}
		return m
	}
	switch n := n.(type) {
	case *ast.SequenceNode:
		s := &ast.SequenceNode{BaseNode: base, Start: move(n.Start), End: move(n.End), IsFlowStyle: n.IsFlowStyle}
		for _, v := range n.Values {
			s.Values = append(s.Values, e.copy(v, lines))
		}
		return s
	case *ast.LiteralNode:
		return &ast.LiteralNode{BaseNode: base, Start: move(n.Start), Value: &ast.StringNode{BaseNode: base, Token: move(n.Value.Token), Value: n.Value.Value}}
	case *ast.StringNode:
		return &ast.StringNode{BaseNode: base, Token: move(n.Token), Value: n.Value}
	}
	if plain := plainValue(move(n.GetToken())); plain != nil {
		return plain
	}
	return ast.Null(move(n.GetToken()))
}

// fact is an error at a position. With "extends", several definitions can have the same one.
type fact struct {
	src  *source
	at   position
	text string
}

// read reads the fields of a definition.
func (d *definition) read(p position, n ast.Node) {
	d.fields("", p, n, specFields)
	if _, ok := d.places.get("duration"); !ok && !d.isBad("") && !d.isTemplate {
		d.fail("duration", d.at, "missing: want instant, infinite or %s", spanForm)
	}
}
