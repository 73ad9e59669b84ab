package definition

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/stretchr/testify/require"
)

// outline prints all properties of a tree that this package reads: the kind, position and text of
// each node.
func outline(b *strings.Builder, n ast.Node) {
	p := at(n)
	fmt.Fprintf(b, "%s %d:%d", kindOf(n), p.line, p.column)
	switch n := n.(type) {
	case *ast.MappingNode:
		fmt.Fprintf(b, " %v start %d:%d {", n.IsFlowStyle, where(n.Start).line, where(n.Start).column)
		for _, f := range n.Values {
			outline(b, f.Key)
			fmt.Fprintf(b, " : %v ", valueAt(f))
			outline(b, f.Value)
			b.WriteString(", ")
		}
		b.WriteString("}")
	case *ast.SequenceNode:
		fmt.Fprintf(b, " %v [", n.IsFlowStyle)
		for _, v := range n.Values {
			outline(b, v)
			b.WriteString(", ")
		}
		b.WriteString("]")
	default:
		fmt.Fprintf(b, " %T %s", n, Describe(n))
	}
}

// sameTree compares the tree that this package builds with the parser's tree, and reports whether
// this package has built one.
func sameTree(t *testing.T, text string) bool {
	tokens := lexer.Tokenize(text)
	if len(problems(tokens)) > 0 {
		return false
	}
	root, ok := build(tokens)
	if !ok {
		return false
	}
	file, err := parser.Parse(lexer.Tokenize(text), 0, parser.AllowDuplicateMapKey())
	require.NoError(t, err, "%q", text)
	var got, want strings.Builder
	outline(&got, root)
	for _, d := range file.Docs {
		if d.Body != nil {
			outline(&want, d.Body)
			break
		}
	}
	require.Equal(t, want.String(), got.String(), "%q", text)
	return true
}

// corpus returns all texts of the tests.
func corpus(t testing.TB) (texts []string) {
	for _, pattern := range []string{"testdata/*.txt", "testdata/*/*/*", "../../examples/*/buffs/*.yaml", "../../docs/*.md", "../../cmd/bufftick/testdata/*.txt"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			texts = append(texts, plain(text))
			for part := range strings.SplitSeq(plain(text), "\n\n") {
				_, input, _ := strings.Cut(part, "\n") // the command
				input, _, _ = strings.Cut(input, "\n----")
				texts = append(texts, input)
			}
		}
	}
	return texts
}

// TestBuild checks that this package builds the same trees as the parser.
func TestBuild(t *testing.T) {
	built, ordinary := 0, 0
	for _, text := range append(corpus(t), string(many(50)), string(game(100)["buffs/f000.yaml"].Data)) {
		if sameTree(t, text) {
			built++
		}
		if _, err := Parse("x", []byte(text)); err == nil {
			ordinary++
		}
	}
	require.Greater(t, built, 200)
	require.Greater(t, built, ordinary)
}

// TestBuildOdd checks that this package does not accept a text that the parser refuses, and does
// not read it differently.
func TestBuildOdd(t *testing.T) {
	for _, text := range []string{
		"a: b\n  c: d", "a:\n    b: c\n  d: e", "a: - b", "a: b: c", "- a\n b", "- a\n- b\nc: d", "a: [1\n]", "a:\n  [1,\n  2]", "a: {\n b: c\n}", "a: {\nb: c}",
		"a:\nb:", "- \n- a", "{a}", "{a: }", "{a: b c: d}", "[a b: c]", "[a: b]", "{a: b,}", "[a,]", "[,]", "{,}", "[[a], {b: c}]: d", "{a: b}: c",
		"a: |\n  x\n  y\nb: >-\n  z", "a: |\nb: c", "\"a\nb\": c", "a\nb: c", "a:\n- b\n- c\nd: e", "a:\n  - b\n  c", "- - a\n  - b\n- c", "- a: b\n  c: d\n- e: f",
		"a: b #c", "#c\na: b", "'a': 1\n\"b\": 0x10\n1: .inf\ntrue: null\n~: .nan", "a: \"x\" y", "a: 'x'\n  y", "a: b\n c", "a:\n b\n c", "? a\n: b",
		"- &a b", "a:\n  - *b\n", "- b\n- &c d\n", "a: [b]\n  c: d", "a: [b,\n c]\nd: e", "a: [b,\nc]", "{\"a\":1,\"b\":[1,2,{\"c\":3}]}", "[\n1\n,\n2\n]", "a: 1e3\nb: -5\nc: 1_000", "  a: b\n  c: d", "  a: b\nc: d",
	} {
		sameTree(t, text)
	}
}

// TestBuildLists checks that lists over several lines are built by this package, and not left to
// the parser, which takes ten times as long.
func TestBuildLists(t *testing.T) {
	for _, text := range []string{"- a", "- a\n- b", "a:\n  - b\n  - c: d\n    e: f\n", "a:\n  - [b, c]\n  - - d\n    - e\n"} {
		require.True(t, sameTree(t, text), "%q", text)
	}
}

// FuzzBuild searches for a text that the two read differently.
func FuzzBuild(f *testing.F) {
	for _, text := range corpus(f) {
		if len(text) < 2000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text = plain([]byte(text)); len(text) < 5000 && countSigns(text) < 1000 {
			if _, what := unreadable(text); what == "" {
				sameTree(t, text)
			}
		}
	})
}
