package definition

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// value returns the node for a part of a cell. If the part is invalid, value reports an error about
// the field and returns a node that causes no further errors.
func (t *reading) value(p part, s *shape, id, field string) ast.Node {
	if quotes := `"'`; p.text != "" && strings.Contains(quotes, p.text[:1]) {
		if n := t.inQuotes(p); n != nil {
			return n
		}
	}
	flow := strings.HasPrefix(p.text, "[") || strings.HasPrefix(p.text, "{")
	switch {
	case p.text == "":
		return ast.Null(tokenAt("", p.begin()))
	case s.isText():
		return textAt(p.text, p.begin())
	case s.isList():
		list := p.elements()
		if len(list) == 1 && p.text[0] == '[' {
			break
		}
		if t.signs += len(list); t.signs > maxFlow {
			return t.invalid(p.begin(), id, field, tooMuch)
		}
		seq := ast.Sequence(tokenAt("[", p.begin()), true)
		for _, e := range list {
			seq.Values = append(seq.Values, t.value(e, s.element(), id, field))
		}
		return seq
	case !flow:
		return scalar(p)
	}
	return t.flow(p, id, field)
}

// tokenAt returns a token at a position.
func tokenAt(text string, p position) *token.Token {
	return token.New(text, text, &token.Position{Line: p.line, Column: p.column})
}

// textAt returns a text node at a position, even if the text looks like a number.
func textAt(text string, p position) *ast.StringNode {
	return ast.String(token.String(text, text, &token.Position{Line: p.line, Column: p.column}))
}

// scalar returns the part as a YAML scalar: a number, boolean, null or text.
func scalar(p part) ast.Node {
	t := tokenAt(p.text, p.begin())
	if n := plainValue(t); n != nil {
		return n
	}
	return ast.String(t)
}

// inQuotes returns the node for a part that is a single YAML text in quotes. For any other part it
// returns nil.
func (t *reading) inQuotes(p part) ast.Node {
	if quoted(p.text) != len(p.text) || !t.spend(p.text) {
		return nil
	}
	root, found := parse(p.text)
	n, ok := root.(*ast.StringNode)
	if len(found) > 0 || !ok {
		return nil
	}
	moved{part: p}.move(n.Token)
	return n
}

const tooMuch = "the cells of this table have too many elements, brackets, commas, colons and tabs: split it"

// flow returns the node for a part that is a list or map in brackets.
func (t *reading) flow(p part, id, field string) ast.Node {
	if !t.spend(p.text) {
		return t.invalid(p.begin(), id, field, tooMuch)
	}
	root, found := parse(untab(p.text))
	for _, f := range found {
		text := f.text
		if !p.cell.quoted && strings.HasSuffix(text, "is never closed") {
			text += fmt.Sprintf(": if there is a %s in a cell, the cell must be in quotes", map[byte]string{',': "comma", ';': "semicolon", '\t': "tab"}[t.by])
		}
		t.invalid(p.place(f.at), id, field, text)
	}
	if len(found) > 0 || root == nil {
		return t.lost(p.begin())
	}
	m := moved{p, map[*token.Position]bool{}}
	ast.Walk(m, root)
	return root
}

// moved is an ast.Visitor that moves the tokens of a tree to the position of a part in the file.
type moved struct {
	part
	seen map[*token.Position]bool // positions already moved; several nodes may share a position
}

// Visit moves the tokens of one node.
func (m moved) Visit(n ast.Node) ast.Visitor {
	m.move(n.GetToken())
	switch n := n.(type) {
	case *ast.MappingNode:
		m.move(n.Start)
		m.move(n.End)
	case *ast.SequenceNode:
		m.move(n.Start)
		m.move(n.End)
	}
	return m
}

func (m moved) move(t *token.Token) {
	if t == nil || t.Position == nil || m.seen[t.Position] {
		return
	}
	if m.seen != nil {
		m.seen[t.Position] = true
	}
	p := m.place(where(t))
	t.Position.Line, t.Position.Column = p.line, p.column
}
