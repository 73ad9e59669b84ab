package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
	"github.com/stretchr/testify/require"
)

// TestWide checks that the caret of an error is below its position, also after characters that
// take two columns: the first and the last characters of these ranges.
func TestWide(t *testing.T) {
	for _, of := range [][2]rune{
		{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
	} {
		require.False(t, wide(of[0]-1), "%x", of[0]-1)
		require.True(t, wide(of[0]), "%x", of[0])
		require.True(t, wide(of[1]), "%x", of[1])
		require.False(t, wide(of[1]+1), "%x", of[1]+1)
	}
}

// TestIsPlain checks that YAML reads a plain text without quotes as the same text, also inside
// brackets.
func TestIsPlain(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, " a": false, "a ": false, " ": false, "\ta": false, "a\t": false, "\u00a0a": false, "12": false, "-1.5e3": false, "0x10": true, "-": false, "+": false,
		"a": true, "_a": true, "é": true, "a b": true, "a.b-c/d+e": true, "2nd": true, "a*(b)": true, "a<b>=c!d?%&|'": true,
		".a": false, "-a": false, "/a": false, "+a": false, "*a": false, "(a": false, "<a": false, "=a": false, "!a": false, "?a": false, "%a": false, "&a": false, "|a": false, "'a": false,
		"a:b": false, "a#b": false, "a,b": false, "a[b": false, "a]b": false, "a{b": false, "a}b": false, "a\"b": false, "a@b": false, "a`b": false, "a\nb": false, "a\tb": false,
	} {
		require.Equal(t, want, isPlain(text), "%q", text)
		if !want {
			continue
		}
		for _, doc := range []string{"x: " + text, "[" + text + "]", "{x: " + text + "}"} {
			root, found := parse(doc)
			require.Empty(t, found, "%q", doc)
			var b strings.Builder
			outline(&b, root)
			if !token.IsNeedQuoted(text) {
				require.Contains(t, b.String(), text, "%q", doc)
			}
		}
	}
}

// flowTokens are maps and lists in brackets, of each kind in each, with and without a last comma.
// A line break is allowed between any two of them, except before a colon.
var flowTokens = []string{"{", "k", ": ", "[", "1", ", ", "{", "l", ": ", "2", ", ", "}", ", ", "[", "]", ", ", "]", ", ", "m", ": ", "{", "}", ", ", "n", ": ", "x", "}"}

// TestBuildFlow checks that text in brackets may be broken wherever the following lines are to the
// right of the key that they belong to, however deep that key is and on whatever line it starts.
// The result is then the result of the parser. Otherwise the text is left to the parser.
func TestBuildFlow(t *testing.T) {
	require.True(t, sameTree(t, "key: "+strings.Join(flowTokens, "")))
	for _, above := range []int{0, 1, 3, 40} {
		for _, depth := range []int{0, 1, 5, 12} {
			lines := ""
			for k := range above {
				lines += fmt.Sprintf("a%d: b\n", k)
			}
			key := strings.Repeat(" ", depth) + "key: "
			if depth > 0 {
				lines += "x:\n"
			}
			for k := 1; k < len(flowTokens); k++ {
				if flowTokens[k] == ": " {
					continue
				}
				for _, column := range []int{0, depth - 1, depth, depth + 1, depth + 9} {
					if column < 0 {
						continue
					}
					text := lines + key + strings.Join(flowTokens[:k], "") + "\n" + strings.Repeat(" ", column) + strings.Join(flowTokens[k:], "") + "\n"
					if column > depth {
						require.True(t, sameTree(t, text), "%q", text)
					} else if tokens := lexer.Tokenize(text); len(problems(tokens)) == 0 {
						_, ok := build(tokens)
						require.False(t, ok, "%q", text)
					}
				}
			}
		}
	}
}
