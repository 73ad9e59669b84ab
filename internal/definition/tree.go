package definition

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Tree parses a YAML or JSON text into a syntax tree of package goccy/go-yaml, under
// the limits of this package and with its errors, and returns the root. It is for
// programs whose files hold definitions among other things: they hand the nodes that
// are maps of definitions to [ParseNode], read the others with [Fields] and [Text],
// and report their own errors with [ErrorAt]. If name ends in .csv the text is a table,
// and the tree is what a file of YAML with its definitions would have.
//
// The tree has no anchor, alias, merge key or tag, is at most some 60 levels deep,
// and may hold the same key twice in one map. The root of a text in which nothing
// stands is a null. The error is an [Errors]. Any goroutine may call it.
func Tree(name string, src []byte) (ast.Node, error) {
	l := newLoader()
	root, ok := l.tree(name, src)
	switch {
	case !ok:
		return nil, l.errors()
	case root == nil:
		return ast.Null(nil), nil
	}
	return root, nil
}

// ErrorAt returns an error about a node of a tree that [Tree] made of src. A nil
// node stands for the beginning of the text. Any goroutine may call it.
func ErrorAt(name string, src []byte, node ast.Node, text string) *Error {
	p := at(node)
	return &Error{
		File: name, Line: p.line, Column: p.column, Text: text,
		Source: newSource(name, plain(src)).excerpt(p),
	}
}

// tree parses the text of one file. It reports whether it could, and if not, has
// noted why. The root is nil if nothing stands in the text.
func (l *loader) tree(name string, src []byte) (root ast.Node, ok bool) {
	if isTable(name) {
		return l.csvTree(name, src)
	}
	if len(src) > MaxFileSize {
		l.add(l.open(name, ""), start, "", "", "%d bytes: a file may have at most %d", len(src), MaxFileSize)
		return nil, false
	}
	text := plain(src)
	s := l.open(name, text)
	if p, what := unreadable(text); what != "" {
		l.add(s, p, "", "", "%s", what)
		return nil, false
	}
	text = untab(text)
	if n := strings.Count(text, "\t"); n*len(text) > maxTabs {
		l.add(s, start, "", "", "%d tabs are too many: use spaces", n)
		return nil, false
	}
	if signs(text) > maxSigns {
		l.add(s, start, "", "", "more than %d lines, brackets, commas, colons and quotes in one file: split it", maxSigns)
		return nil, false
	}
	root, found := parse(text)
	for _, p := range found {
		l.add(s, p.at, "", "", "%s", p.text)
	}
	return root, len(found) == 0
}

// signs counts what makes the lexer and the parser work, wherever it stands: each has a
// token, and perhaps one behind it, and these take some hundred bytes.
func signs(text string) (n int) {
	for i := range len(text) {
		if isSign[text[i]] {
			n++
		}
	}
	return n
}

var isSign = func() (is [256]bool) {
	for _, c := range []byte("\n[]{},:-?#&*!|>%@`\"'") {
		is[c] = true
	}
	return is
}()

// parse returns the root of a plain text, nil if it has none, or what is wrong with
// it.
func parse(text string) (root ast.Node, found []problem) {
	// The lexer and the parser are not ours, and a bad file must not stop the
	// server that reloads it.
	defer func() {
		if r := recover(); r != nil {
			root, found = nil, []problem{{start, fmt.Sprintf("not understood: %v", r)}}
		}
	}()
	tokens := lexer.Tokenize(text)
	if found = problems(tokens); len(found) > 0 {
		return nil, found
	}
	if root, ok := build(tokens); ok {
		straighten(tokens, text)
		return root, nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	straighten(tokens, text) // not before: the columns are what the parser goes by
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) {
			return nil, []problem{{where(syntax.Token), plainSyntax(syntax.Message)}}
		}
		return nil, []problem{{start, err.Error()}}
	}
	for _, d := range file.Docs {
		if d.Body != nil {
			return d.Body, nil
		}
	}
	return nil, nil
}

// where returns the position of a token.
func where(t *token.Token) position {
	if t == nil || t.Position == nil {
		return start
	}
	return position{max(t.Position.Line, 1), max(t.Position.Column, 1)}
}

// at returns the position of a node: where its text begins.
func at(n ast.Node) position {
	switch n := n.(type) {
	case nil:
		return start
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return at(n.Values[0].Key)
		}
		return where(n.Start)
	case *ast.MappingValueNode:
		return at(n.Key)
	case *ast.SequenceNode:
		return where(n.Start)
	case *ast.LiteralNode:
		return where(n.Start)
	}
	return where(n.GetToken())
}

// kindOf says in a designer's words what a node is.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a map"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	}
	return "an anchor, alias or tag"
}

// Fields returns the pairs of a map in their order, and reports whether n is a map.
// The values belong to the tree. Any goroutine may call it.
func Fields(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// Text returns the value of a text, quoted or not or a block, and reports whether n
// is one; a number is none. Any goroutine may call it.
func Text(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

// Describe returns a text in quotes, a number or a truth value as it was written,
// each cut if it is long, and of anything else what it is, such as "a map": for the
// end of a message, "want a span, not …". Any goroutine may call it.
func Describe(n ast.Node) string {
	if s, ok := Text(n); ok {
		return quote(s)
	}
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return brief(n.GetToken().Value)
	}
	return kindOf(n)
}
