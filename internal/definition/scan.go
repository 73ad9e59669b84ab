package definition

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// The parser recurses for each level of nesting and for each key of a block map. Its time is
// quadratic in the number of keys of a map, and in the number of empty values. To limit these
// numbers, the tokens are checked before parsing. The check also rejects parts of YAML that
// definitions do not need.

// problem is an error in the tokens of a file.
type problem struct {
	at   position
	text string
}

// scan checks the tokens of one file.
type scan struct {
	tokens   token.Tokens
	open     []bracket
	columns  []column
	empty    int
	content  bool // a token other than a comment has been seen
	ended    bool // the token "...", which ends a document, has been seen
	problems []problem
}

// bracket is an open '{' or '['.
type bracket struct {
	isMap         bool
	items, colons int // number of items and colons since the last comma
}

// column is an open block map or list: its column, and the number of its keys so far.
type column struct{ at, keys int }

// problems returns the errors in the tokens. If there are none, the tokens are safe to parse.
func problems(all token.Tokens) []problem {
	s := &scan{tokens: make(token.Tokens, 0, len(all))}
	for _, t := range all {
		if t.Type != token.CommentType {
			s.tokens = append(s.tokens, t)
		}
	}
	for i, t := range s.tokens {
		if t.Type == token.InvalidType {
			s.fail(t, "%s", plainSyntax(t.Error))
			return s.problems // later tokens are unreliable
		}
		if !s.one(i, t) {
			return s.problems
		}
	}
	return s.problems
}

func (s *scan) fail(t *token.Token, format string, args ...any) bool {
	s.problems = append(s.problems, problem{where(t), fmt.Sprintf(format, args...)})
	return false
}

// one checks one token and reports whether to continue.
func (s *scan) one(i int, t *token.Token) bool {
	switch t.Type {
	case token.DocumentHeaderType:
		if s.content {
			return s.fail(t, "a second document (---) in one file")
		}
	case token.DocumentEndType:
		s.ended = true
		return true
	case token.AnchorType, token.AliasType:
		s.fail(t, "anchors (&) and aliases (*) are not supported: write the value out, or put a text in quotes")
	case token.MergeKeyType:
		s.fail(t, "merge keys (<<) are not supported: write the fields out")
	case token.TagType:
		s.fail(t, "tags (!) are not supported: put a text in quotes")
	case token.DirectiveType:
		return s.fail(t, "directives (%%) are not supported")
	case token.MappingKeyType:
		s.fail(t, "the long form of a key (?) is not supported")
	}
	if s.ended {
		return s.fail(t, "a second document after the end (...) of the first")
	}
	if t.Type == token.DoubleQuoteType && strings.Contains(t.Origin, "\t") {
		return s.fail(t, `a tab in quotes: write \t`) // the lexer loses text after such a tab
	}
	s.content = true
	if len(s.open) > 0 {
		return s.flow(i, t)
	}
	return s.block(i, t)
}

// flow checks a token within brackets.
func (s *scan) flow(i int, t *token.Token) bool {
	b := &s.open[len(s.open)-1]
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		b.items++
		return s.push(t)
	case token.MappingEndType, token.SequenceEndType:
		ok := s.comma(t, b)
		s.open = s.open[:len(s.open)-1]
		return ok
	case token.CollectEntryType:
		return s.comma(t, b)
	case token.MappingValueType:
		if b.colons++; b.colons > 1 {
			return s.fail(t, "a second ':' here: is a comma or a bracket missing before it?")
		}
		if next := s.next(i); next == nil || next.Type == token.CollectEntryType ||
			next.Type == token.MappingEndType || next.Type == token.SequenceEndType {
			return s.void(t)
		}
	case token.SequenceEntryType:
		return s.fail(t, "a list with '-' within brackets: write [a, b]")
	default:
		if t.Type == token.StringType && strings.Contains(t.Value, ":\t") {
			return s.fail(t, "a tab after a colon: write a space")
		}
		b.items++
	}
	return true
}

// comma checks the end of an item of the bracket b, at a comma or a closing bracket.
func (s *scan) comma(t *token.Token, b *bracket) bool {
	ok := true
	if b.isMap && b.items > 0 && b.colons == 0 {
		ok = s.void(t)
	}
	b.items, b.colons = 0, 0
	return ok
}

// block checks a token outside of brackets.
func (s *scan) block(i int, t *token.Token) bool {
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		return s.push(t)
	case token.SequenceEntryType:
		return s.enter(t, t.Position.Column, 0) && (!s.endsAt(i, t.Position.Column, false) || s.void(t))
	case token.MappingValueType:
		at := t.Position.Column
		if i > 0 {
			at = s.tokens[i-1].Position.Column
		}
		return s.enter(t, at, 1) && (!s.endsAt(i, at, true) || s.void(t))
	}
	return true
}

// push opens a bracket.
func (s *scan) push(t *token.Token) bool {
	if len(s.open)+len(s.columns) >= maxDepth {
		return s.fail(t, "nested more than %d deep", maxDepth)
	}
	s.open = append(s.open, bracket{isMap: t.Type == token.MappingStartType})
	return true
}

// enter records an item of the block map or list in the column `at`.
func (s *scan) enter(t *token.Token, at, keys int) bool {
	for len(s.columns) > 0 && s.columns[len(s.columns)-1].at > at {
		s.columns = s.columns[:len(s.columns)-1]
	}
	if len(s.columns) == 0 || s.columns[len(s.columns)-1].at < at {
		if len(s.columns) >= maxDepth {
			return s.fail(t, "nested more than %d deep", maxDepth)
		}
		s.columns = append(s.columns, column{at: at})
	}
	c := &s.columns[len(s.columns)-1]
	if c.keys += keys; c.keys > MaxDefinitions {
		return s.fail(t, "more than %d keys in one map", MaxDefinitions)
	}
	return true
}

// endsAt reports whether the item that starts with token i, in the column `at`, has no value.
func (s *scan) endsAt(i, at int, isKey bool) bool {
	next := s.next(i)
	if next == nil || next.Type == token.DocumentEndType {
		return true
	}
	if next.Position.Line == s.tokens[i].Position.Line {
		return false
	}
	if isKey && next.Type == token.SequenceEntryType {
		return next.Position.Column < at
	}
	return next.Position.Column <= at
}

// void counts an omitted value.
func (s *scan) void(t *token.Token) bool {
	if s.empty++; s.empty > maxEmpty {
		return s.fail(t, "more than %d empty values in one file", maxEmpty)
	}
	return true
}

func (s *scan) next(i int) *token.Token {
	if i+1 < len(s.tokens) {
		return s.tokens[i+1]
	}
	return nil
}

// plainSyntax rewrites common messages of the parser so that game designers understand them.
func plainSyntax(text string) string {
	switch text {
	case "found character '\t' that cannot start any token":
		return "a tab at the start of the line: indent with spaces"
	case "tab character cannot use as a map key directly":
		return "a tab before this: write a space"
	case "mapping value is not allowed in this context":
		return "a second ':' in one value: put a text with a colon in quotes, or indent the next line less"
	case "non-map value is specified":
		return "not a field: want a name, a colon and a value"
	case "unexpected key name":
		return "a line without a colon before this field"
	case "value is not allowed in this context. map key-value is pre-defined":
		return "indented too far: the field above already has a value"
	case "value is not allowed in this context":
		return "not expected here: is the indentation wrong, or is there an extra bracket?"
	case "could not find flow mapping end token '}'":
		return "this '{' is never closed"
	case "sequence end token ']' not found":
		return "this '[' is never closed"
	case "could not find end character of double-quoted text", "could not find end character of single-quoted text":
		return "this quote is never closed"
	case "":
		return "not understood"
	}
	return text
}
