package definition

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// The parser of goccy/go-yaml takes as much time as its lexer, and most of the memory, because it
// supports features that definition files rarely use, such as comments, anchors and paths.
// Therefore the function `build` makes the tree of an ordinary file directly from the tokens. If a
// file uses any of the other features, or has an error, build fails and the parser is used. The
// function never accepts a text that the parser would reject.

// build makes a tree from the tokens of a file, and reports whether it succeeded.
func build(all token.Tokens) (ast.Node, bool) {
	b := builder{tokens: make(token.Tokens, 0, len(all))}
	for _, t := range all {
		switch t.Type {
		case token.CommentType:
		case token.DocumentHeaderType, token.DocumentEndType, token.MappingKeyType, token.InvalidType:
			return nil, false
		default:
			b.tokens = append(b.tokens, t)
		}
	}
	if len(b.tokens) == 0 {
		return nil, false
	}
	root := b.block(0)
	return root, root != nil && b.at == len(b.tokens)
}

// builder builds the tree of one file. Its methods return a nil node if they cannot build it.
type builder struct {
	tokens token.Tokens
	at     int

	// Nodes are allocated several at a time, because all of them have the same lifetime.
	bases  []ast.BaseNode
	texts  []ast.StringNode
	values []ast.MappingValueNode
}

// piece is the number of nodes that are allocated together.
const piece = 64

func (b *builder) base() *ast.BaseNode {
	if len(b.bases) == 0 {
		b.bases = make([]ast.BaseNode, piece)
	}
	n := &b.bases[0]
	b.bases = b.bases[1:]
	return n
}

// peek returns the token k positions after the next token, or nil if there is none.
func (b *builder) peek(k int) *token.Token {
	if b.at+k < len(b.tokens) {
		return b.tokens[b.at+k]
	}
	return nil
}

// isKey reports whether the next token is a key, that is, whether a colon follows on the same
// line.
func (b *builder) isKey() bool {
	colon := b.peek(1)
	return colon != nil && colon.Type == token.MappingValueType && isScalarToken(b.tokens[b.at]) &&
		colon.Position.Line == b.tokens[b.at].Position.Line
}

// block reads a node outside of brackets. The parameter `parent` is the column of the block that
// contains the node. The first token after the node must not be to the right of that column.
func (b *builder) block(parent int) ast.Node {
	t := b.peek(0)
	var n ast.Node
	switch {
	case t.Type == token.SequenceEntryType:
		n = b.blockList()
	case b.isKey():
		n = b.blockMap()
	case t.Type == token.MappingStartType || t.Type == token.SequenceStartType:
		n = b.flow(t.Position.Line, parent)
	case t.Type == token.LiteralType || t.Type == token.FoldedType:
		n = b.literal()
	default:
		n = b.scalar()
	}
	if next := b.peek(0); n == nil || next != nil && next.Position.Column > parent {
		return nil
	}
	return n
}

// blockMap reads a map outside of brackets. Its keys are all in the same column.
func (b *builder) blockMap() ast.Node {
	column := b.peek(0).Position.Column
	n := &ast.MappingNode{BaseNode: b.base()}
	for b.peek(0) != nil && b.peek(0).Position.Column == column && b.isKey() {
		key, colon := b.scalar(), b.peek(0)
		b.at++
		value := b.blockValue(colon, column)
		if key == nil || value == nil {
			return nil
		}
		n.Values = append(n.Values, b.pair(key, colon, value))
	}
	n.Start = n.Values[0].Start
	return n
}

// blockValue reads the value after a colon. The given column is the column of the key.
func (b *builder) blockValue(colon *token.Token, column int) ast.Node {
	t := b.peek(0)
	switch {
	case t == nil:
		return nil
	case t.Position.Line == colon.Position.Line:
		if t.Type == token.SequenceEntryType || b.isKey() {
			return nil
		}
		return b.block(column)
	case t.Position.Column > column:
		return b.block(column)
	case t.Position.Column == column && t.Type == token.SequenceEntryType:
		return b.blockList()
	}
	return nil // build does not support empty values
}

// blockList reads a list outside of brackets. Its dashes are all in the same column.
func (b *builder) blockList() ast.Node {
	dash := b.peek(0)
	column := dash.Position.Column
	n := &ast.SequenceNode{BaseNode: b.base(), Start: dash}
	for t := dash; t != nil && t.Type == token.SequenceEntryType && t.Position.Column == column; t = b.peek(0) {
		b.at++
		if next := b.peek(0); next == nil || next.Position.Column <= column {
			return nil // build does not support empty elements
		}
		value := b.block(column)
		if value == nil {
			return nil
		}
		n.Values = append(n.Values, value)
	}
	return n
}

// flow reads a map or list in brackets, or a single value inside brackets. The brackets start on
// the given line. On later lines, all tokens must be to the right of the column `left`.
func (b *builder) flow(line, left int) ast.Node {
	t := b.next(line, left)
	if t == nil {
		return nil
	}
	switch t.Type {
	case token.MappingStartType:
		return b.flowMap(t, line, left)
	case token.SequenceStartType:
		return b.flowList(t, line, left)
	}
	if !isScalarToken(t) {
		return nil
	}
	b.at--
	return b.scalar()
}

// next consumes and returns the next token inside brackets. If its position is invalid, next
// returns nil.
func (b *builder) next(line, left int) *token.Token {
	t := b.peek(0)
	if t == nil || t.Position.Line > line && t.Position.Column <= left {
		return nil
	}
	b.at++
	return t
}

// more consumes a comma, or the end token of the brackets with or without a comma before it. It
// returns the end token, or nil if more items follow. If the next token is neither a comma nor the
// end token, ok is false.
func (b *builder) more(end token.Type, line, left int) (last *token.Token, ok bool) {
	t := b.next(line, left)
	if t == nil || t.Type != end && t.Type != token.CollectEntryType {
		return nil, false
	}
	if next := b.peek(0); t.Type == token.CollectEntryType && next != nil && next.Type == end {
		t = b.next(line, left) // a comma before the end token
	}
	if t == nil || t.Type == end {
		return t, t != nil
	}
	return nil, true
}

func (b *builder) flowMap(start *token.Token, line, left int) ast.Node {
	n := &ast.MappingNode{BaseNode: b.base(), Start: start, IsFlowStyle: true}
	if t := b.peek(0); t != nil && t.Type == token.MappingEndType {
		n.End = b.next(line, left)
	}
	for n.End == nil {
		if b.peek(0) == nil || !b.isKey() {
			return nil
		}
		key := b.flow(line, left)
		colon := b.next(line, left)
		if key == nil || colon == nil {
			return nil
		}
		value := b.flow(line, left)
		if value == nil {
			return nil
		}
		n.Values = append(n.Values, b.pair(key, colon, value))
		end, ok := b.more(token.MappingEndType, line, left)
		if !ok {
			return nil
		}
		n.End = end
	}
	return n
}

func (b *builder) flowList(start *token.Token, line, left int) ast.Node {
	n := &ast.SequenceNode{BaseNode: b.base(), Start: start, IsFlowStyle: true}
	if t := b.peek(0); t != nil && t.Type == token.SequenceEndType {
		n.End = b.next(line, left)
	}
	for n.End == nil {
		value := b.flow(line, left)
		if value == nil {
			return nil
		}
		n.Values = append(n.Values, value)
		end, ok := b.more(token.SequenceEndType, line, left)
		if !ok {
			return nil
		}
		n.End = end
	}
	return n
}

// pair returns a node with a key and its value.
func (b *builder) pair(key ast.Node, colon *token.Token, value ast.Node) *ast.MappingValueNode {
	if len(b.values) == 0 {
		b.values = make([]ast.MappingValueNode, piece)
	}
	n := &b.values[0]
	b.values = b.values[1:]
	n.BaseNode, n.Start, n.Key, n.Value = b.base(), colon, key.(ast.MapKeyNode), value
	return n
}

// literal reads a block scalar, which starts with | or >.
func (b *builder) literal() ast.Node {
	t, text := b.peek(0), b.peek(1)
	if text == nil || text.Type != token.StringType {
		return nil
	}
	b.at++
	return &ast.LiteralNode{BaseNode: b.base(), Start: t, Value: b.scalar().(*ast.StringNode)}
}

func isScalarToken(t *token.Token) bool {
	switch t.Type {
	case token.StringType, token.SingleQuoteType, token.DoubleQuoteType, token.NullType, token.BoolType,
		token.IntegerType, token.BinaryIntegerType, token.OctetIntegerType, token.HexIntegerType,
		token.FloatType, token.InfinityType, token.NanType:
		return true
	}
	return false
}

// scalar consumes a single value.
func (b *builder) scalar() ast.Node {
	t := b.peek(0)
	if t == nil || !isScalarToken(t) {
		return nil
	}
	b.at++
	if n := plainValue(t); n != nil {
		return n
	}
	if len(b.texts) == 0 {
		b.texts = make([]ast.StringNode, piece)
	}
	n := &b.texts[0]
	b.texts = b.texts[1:]
	n.BaseNode, n.Token, n.Value = b.base(), t, t.Value
	return n
}

// plainValue returns the node of a number, boolean or null. For any other token, such as a text,
// it returns nil.
func plainValue(t *token.Token) ast.Node {
	switch t.Type {
	case token.NullType:
		return ast.Null(t)
	case token.BoolType:
		return ast.Bool(t)
	case token.IntegerType, token.BinaryIntegerType, token.OctetIntegerType, token.HexIntegerType:
		return ast.Integer(t)
	case token.FloatType:
		return ast.Float(t)
	case token.InfinityType:
		return ast.Infinity(t)
	case token.NanType:
		return ast.Nan(t)
	}
	return nil
}
