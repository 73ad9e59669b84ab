package definition

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/stretchr/testify/require"
)

// TestPlaces checks that the text that an error points at is the text of the value, in every style
// of YAML values.
func TestPlaces(t *testing.T) {
	for _, text := range []string{
		"buffs:\n  a:\n    duration: 1s\n    first: WRONG\n",
		"buffs:\r\n  a:\r\n    duration: 1s\r\n    first: WRONG\r\n",
		"\ufeffbuffs: {a: {duration: 1s, first: WRONG}}",
		`{"buffs": {"a": {"duration": "1s", "first": "WRONG"}}}`,
		"{\n\t\"buffs\":\t{\n\t\t\"a\":\t{\t\"duration\":\t\"1s\",\t\"first\":\t\"WRONG\"\n\t\t}\n\t}\n}\n",
		"{\t'buffs'\t: {'a'\t: {duration: 1s,\tname: it's\t# don't\n,\tnote: 'don''t\t',\tfirst:\tWRONG}}}",
		"buffs:\n  a:\n    duration:\t1s\t# one\n    first:\t\tWRONG\n",
		"{\"buffs\":\n{\"a\":\n{\"duration\":\n\"1s\",\n\"first\":\n\"WRONG\"}}}",
		"buffs:\n  a:\n    # one\n\n    duration: 1s # two\n    first:   'WRONG' # three\n",
		"buffs:\n  a:\n    duration: 1s\n    first:\n      WRONG\n",
		"buffs:\n  a:\n    name: many\n      lines\n    note: |\n      of\n\n      text\n    duration: 1s\n    first: WRONG\n",
		"buffs:\n  a: {duration: 1s, name: 'it''s \"x\"', note: \"\\u00e9\\n\\\"\", first: WRONG}",
		"buffs:\n  毒药: {duration: 1s, name: 剧毒, first: WRONG}",
		"---\nbuffs:\n  a:\n    duration:  1s\n    name: \"two\n      lines\"\n    first: WRONG\n...\n",
	} {
		_, err := Parse("x", []byte(text))
		require.Len(t, err, 1, "%q", text)
		e := err.(Errors)[0]
		require.Equal(t, "first", e.Field, "%q\n%v", text, e)
		lines := strings.Split(plain([]byte(text)), "\n")
		rest := []rune(lines[e.Line-1])[e.Column-1:]
		require.Regexp(t, `^["']?WRONG`, string(rest), "%q\n%v", text, e)
	}
}

// TestVectors loads the conformance vectors, which are lists of scenarios in one long file, each
// with its own definitions. All of them load, except those with features that are not supported
// yet.
func TestVectors(t *testing.T) {
	const name = "../../../shared/vectors/vectors.json"
	src, err := os.ReadFile(name)
	if err != nil {
		t.Skip("no vectors here")
	}
	src, _, err = Fix(name, src)
	require.NoError(t, err)
	root, err := Tree(name, src)
	require.NoError(t, err)
	loaded := 0
	for _, scenario := range root.(*ast.SequenceNode).Values {
		fields, ok := Fields(scenario)
		require.True(t, ok)
		for _, f := range fields {
			if key, _ := Text(f.Key); key != "buffs" {
				continue
			}
			c, err := ParseNode(name, src, f.Value)
			if err == nil {
				loaded += c.Len()
				continue
			}
			checkErrors(t, err)
			for _, e := range err.(Errors) {
				require.Contains(t, e.Text, "is not supported yet", "%v", e)
			}
		}
	}
	require.Greater(t, loaded, 40)
}

func TestErrorAt(t *testing.T) {
	src := []byte("script:\n  - {at: 0, aply: venom}\n")
	root, err := Tree("one.yaml", src)
	require.NoError(t, err)
	list := root.(*ast.MappingNode).Values[0].Value.(*ast.SequenceNode)
	e := ErrorAt("one.yaml", src, list.Values[0], "what is aply?")
	require.EqualError(t, e, "one.yaml:2:5: what is aply?\n   2 |   - {at: 0, aply: venom}\n     |     ^")
	require.EqualError(t, ErrorAt("one.yaml", src, nil, "no"), "one.yaml:1:1: no\n   1 | script:\n     | ^")
}

// TestEmptyTree checks that an empty text has a root nevertheless, which is not a catalog.
func TestEmptyTree(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "~", "---\n"} {
		root, err := Tree("x", []byte(text))
		require.NoError(t, err, "%q", text)
		require.Equal(t, "nothing", Describe(root), "%q", text)
		_, err = ParseNode("x", []byte(text), root)
		require.ErrorContains(t, err, "x:1:1: buffs: want a map from IDs to definitions, not nothing", "%q", text)
	}
}

func TestDescribe(t *testing.T) {
	for text, want := range map[string]string{
		"venom": `"venom"`, "'7'": `"7"`, "|\n  a\n": `"a\n"`, "7": "7", "-1.5": "-1.5", "yes": `"yes"`, "true": "true",
		"{a: 1}": "a map", "a: 1": "a map", "a: 1\nb: 2": "a map", "[a]": "a list", "- a": "a list", "null": "nothing",
		strings.Repeat("x", 61): `"` + strings.Repeat("x", 60) + `…"`,
	} {
		root, err := Tree("x", []byte(text))
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, Describe(root), "%q", text)
	}
}

// A node of another parser may contain values that Tree refuses, and may belong to another text.
func TestParseForeignNode(t *testing.T) {
	_, err := ParseNode("x", nil, nil)
	require.EqualError(t, err, "x:1:1: buffs: want a map from IDs to definitions, not nothing\n   1 | \n     | ^")
}
