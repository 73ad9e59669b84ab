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

// Tree parses a YAML or JSON text into a syntax tree of package goccy/go-yaml and returns the root.
// It applies the limits of this package and returns the same errors as Load. Tree is for programs
// whose files contain more than definitions. Such programs pass maps of definitions to [ParseNode],
// read other nodes with [Fields] and [Text], and report their own errors with [ErrorAt]. If name
// ends in .csv, the text is a table, and Tree returns the tree of an equivalent YAML file.
//
// The tree has no anchors, aliases, merge keys or tags, is at most about 60 levels deep, and
// may contain repeated keys in a map. The root of an empty text is a null. The error is an
// [Errors]. Tree is safe for concurrent use.
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

// ErrorAt returns an error about a node of the tree that [Tree] returned for src. A nil node means
// the start of the text. ErrorAt is safe for concurrent use.
func ErrorAt(name string, src []byte, node ast.Node, text string) *Error {
	p := at(node)
	return &Error{
		File: name, Line: p.line, Column: p.column, Text: text,
		Source: newSource(name, plain(src)).excerpt(p),
	}
}

// tree parses the text of one file, and reports whether the text is valid. If the text is invalid,
// tree adds the errors to l. The root is nil if the text is empty.
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
	if countSigns(text) > maxSigns {
		l.add(s, start, "", "", "more than %d lines, brackets, commas, colons and quotes in one file: split it", maxSigns)
		return nil, false
	}
	root, found := parse(text)
	for _, p := range found {
		l.add(s, p.at, "", "", "%s", p.text)
	}
	return root, len(found) == 0
}

// countSigns counts the characters that may start a token, even inside quotes. Each may cause two
// tokens, which take several hundred bytes.
func countSigns(text string) (n int) {
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

// parse returns the root of a plain text, or the errors. The root is nil if the text is empty.
func parse(text string) (root ast.Node, found []problem) {
	// The lexer and the parser are third-party code, and a panic there must not crash a server that
	// reloads a bad file.
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
		fixColumns(tokens, text)
		return root, nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	// The columns are fixed after parsing, because the parser depends on the lexer's columns.
	fixColumns(tokens, text)
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

// at returns the position of a node: the start of its text.
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

// kindOf returns the kind of a node, in the words of game designers.
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

// Fields returns the pairs of a map in order, and reports whether n is a map. The values belong to
// the tree. Fields is safe for concurrent use.
func Fields(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// Text returns the value of a text node, and reports whether n is a text node. The text may be
// quoted, plain or a block; a number is not a text. Text is safe for concurrent use.
func Text(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

// Describe describes a node for the end of a message such as "want a span, not …". The result for a
// text node is the text in quotes; for a number or boolean, it is the value as written. Long
// results are shortened. For any other node the result is the kind, such as "a map". Describe is
// safe for concurrent use.
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
