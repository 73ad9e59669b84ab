package definition

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

var formats = map[Format]string{YAML: "x.yaml", JSON: "x.json", CSV: "x.csv"}

func dumped(c *buff.Catalog) string {
	var b strings.Builder
	for s := range c.All() {
		dump(&b, s)
	}
	return b.String()
}

// texts returns the definition files of the tests and the example, by name.
func texts(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"testdata/*.txt", "testdata/*/*/*.yaml", "testdata/*/*/*.csv", "../../examples/mmo/buffs/*.yaml"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			if filepath.Ext(name) != ".txt" {
				all[name] = string(text)
				continue
			}
			for i, part := range strings.Split(string(text), "\nparse\n")[1:] {
				input, _, _ := strings.Cut(part, "\n----")
				all[fmt.Sprintf("%s/%d.yaml", name, i)] = input
			}
			for _, part := range strings.Split(string(text), "\nfile ")[1:] {
				input, _, _ := strings.Cut(part, "\n----")
				name, input, _ := strings.Cut(input, "\n")
				if _, ok := FormatOf(name); ok {
					all[name] = input
				}
			}
		}
	}
	return all
}

// TestWriteAgain checks that definitions that are written in any format, and from there in any
// other, are read back unchanged, and that a text is written in one way only.
func TestWriteAgain(t *testing.T) {
	loaded := 0
	for name, text := range texts(t) {
		root, err := Tree(name, []byte(text))
		if err != nil {
			continue
		}
		want, err := Parse(name, []byte(text))
		fields, ok := Fields(root)
		if !ok || len(fields) == 0 {
			continue
		}
		fit := !slices.ContainsFunc(fields, func(f *ast.MappingValueNode) bool { return keyOf(f) != "buffs" && keyOf(f) != "version" })
		for f, as := range formats {
			if f == CSV && !fit {
				continue
			}
			first, errWrite := Write(root, f)
			if err == nil {
				require.NoError(t, errWrite, "%s as %v", name, f)
				loaded++
			}
			if errWrite != nil {
				require.ErrorIs(t, errWrite, ErrWrite)
				continue
			}
			tree, errBack := Tree(as, []byte(first))
			require.NoError(t, errBack, "%s as %v\n%s", name, f, first)
			if err == nil {
				got, err := Parse(as, []byte(first))
				require.NoError(t, err, "%s as %v\n%s", name, f, first)
				require.Equal(t, dumped(want), dumped(got), "%s as %v\n%s", name, f, first)
			}
			for g := range formats {
				if g == CSV && !fit {
					continue
				}
				second, errSecond := Write(tree, g)
				if err == nil {
					require.NoError(t, errSecond, "%s as %v as %v", name, f, g)
				}
				if f == g {
					require.NoError(t, errSecond)
					require.Equal(t, first, second, name)
				}
			}
		}
	}
	require.Greater(t, loaded, 100)
}

// TestIndentation checks that a text of several lines is indented like its surroundings: each
// closing bracket like the line with the opening bracket.
func TestIndentation(t *testing.T) {
	for name, text := range texts(t) {
		root, err := Tree(name, []byte(text))
		if err != nil {
			continue
		}
		out, err := Write(root, JSON)
		if err != nil {
			continue
		}
		var open []int
		for line := range strings.Lines(out) {
			line = strings.TrimRight(line, ",\n")
			words := strings.TrimLeft(line, " ")
			indent := len(line) - len(words)
			if strings.HasPrefix(words, "}") || strings.HasPrefix(words, "]") {
				require.Equal(t, open[len(open)-1], indent, "%s:\n%s", name, out)
				open = open[:len(open)-1]
			} else {
				require.Equal(t, 2*len(open), indent, "%s:\n%s", name, out)
			}
			if strings.HasSuffix(words, "{") || strings.HasSuffix(words, "[") {
				open = append(open, indent)
			}
		}
	}
}

// TestWriteLines checks that there is an empty line between two definitions, and none before the
// first.
func TestWriteLines(t *testing.T) {
	const text = "version: 1\nbuffs:\n  a:\n    duration: 1s\n\n  b:\n    duration: 2s\n"
	root, err := Tree("x.yaml", []byte(text))
	require.NoError(t, err)
	out, err := Write(root, YAML)
	require.NoError(t, err)
	require.Equal(t, text, out)
}

// TestWriteEmpty checks that empty maps and lists are written as such.
func TestWriteEmpty(t *testing.T) {
	for _, text := range []string{"{}", "[]"} {
		root, err := Tree("x", []byte(text))
		require.NoError(t, err)
		for _, f := range []Format{YAML, JSON} {
			out, err := Write(root, f)
			require.NoError(t, err)
			require.Equal(t, text+"\n", out)
		}
	}
}

// TestNoTable checks that content that a table cannot have is an error, and never omitted.
func TestNoTable(t *testing.T) {
	for text, want := range map[string]string{
		"[a]":                                   `catalog: cannot be written: want a map with "buffs:", not a list`,
		"attributes: {a: {base: 1}}\nbuffs: {}": `catalog: cannot be written: a table cannot contain "attributes"`,
		"buffs: [a]":                            "catalog: cannot be written: buffs: want a map from IDs to definitions, not a list",
		"buffs: {a: 5}":                         `catalog: cannot be written: buff "a": want a map of fields, not a number`,
		"buffs: {a: {name: x, name: y}}":        `catalog: cannot be written: buff "a": the field "name" is repeated`,
		"buffs: {a: {name: 5}}":                 `catalog: cannot be written as CSV: it would be read differently, at "{\"buffs\": {\"a\": {\"name\": 5}}}"`,
		"buffs: {a: {name: " + strings.Repeat("x", 20_000) + "}}": "catalog: cannot be written as CSV: x.csv:2:4: more than 10000 characters in one cell",
	} {
		root, err := Tree("x", []byte(text))
		require.NoError(t, err)
		_, err = Write(root, CSV)
		require.ErrorIs(t, err, ErrWrite)
		line, _, _ := strings.Cut(err.Error(), "\n")
		require.Equal(t, want, line)
	}
	_, err := Write(ast.Null(nil), 0)
	require.EqualError(t, err, "catalog: cannot be written: unknown format")
}

// TestColumnOrder checks that every field of a definition has a position in the order of columns.
func TestColumnOrder(t *testing.T) {
	for name := range definitionShape().fields {
		require.Less(t, columnRank(name), len(columnOrder), "%s has no place in columnOrder", name)
	}
	require.Less(t, columnRank("on.remove.expired"), columnRank("interrupt"))
	require.Equal(t, len(columnOrder), columnRank("nobody.knows"))
}

func TestFormats(t *testing.T) {
	for name, want := range map[string]string{
		"a.yaml": "YAML", "a.YML": "YAML", "b/a.json": "JSON", "a.csv": "CSV", "a.txt": "unknown format", "csv": "unknown format",
	} {
		f, ok := FormatOf(name)
		require.Equal(t, want, f.String())
		require.Equal(t, want != "unknown format", ok)
	}
}

// FuzzWrite checks that every tree is written such that it is read back unchanged, or that an
// error says why not.
func FuzzWrite(f *testing.F) {
	for _, text := range texts(f) {
		f.Add([]byte(text))
	}
	for _, s := range []string{
		"a: 1e5\nb: '1e5'\nc: 1.\nd: .5\ne: +3\nf: 0x1f\ng: ~\nh: .inf\ni: no\nj: 2020-01-01\n1: 2\n", "- a\n- b: c\n- [d]\n-\n", "a: |\n  x\n  y\nb: >-\n  z\n",
		"buffs: {a: {params: {c: {const: 1}, b: {const: 2}}}, b: {params: {b: {const: 2}, c: {const: 1}}}}", "buffs: {a: {tags: ['x;y', ' z', '[', \"'\"]}}",
		"buffs: {'a.b': {stack: {}, 'x.y': 1, on: {remove: {}}}}", "buffs: {'': {name: ''}, ' ': {name: ' '}, '##': {name: '\"a\"'}}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		root, err := Tree("f", src)
		if err != nil {
			return
		}
		for _, format := range []Format{YAML, JSON, CSV} {
			text, err := Write(root, format)
			if err != nil {
				require.ErrorIs(t, err, ErrWrite)
				continue
			}
			back, err := Tree(formats[format], []byte(text))
			require.NoError(t, err)
			again, err := Write(back, format)
			require.NoError(t, err, text)
			require.Equal(t, text, again)
		}
	})
}
