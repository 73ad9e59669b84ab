package definition

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListsOfATable checks that the elements of all cells of a table are counted together, up to
// the limit.
func TestListsOfATable(t *testing.T) {
	const most = 120_000
	table := func(elements int) []byte {
		var b strings.Builder
		b.WriteString("id,duration,dr.steps\n")
		for k := 0; elements > 0; k++ {
			n := min(elements, 4000)
			elements -= n
			b.WriteString("a" + strings.Repeat("b", k) + ",1s," + strings.Repeat("1;", n-1) + "1\n")
		}
		return []byte(b.String())
	}
	_, err := Parse("t.csv", table(most+1))
	require.ErrorContains(t, err, "the cells of this table have too many elements, brackets, commas, colons and tabs: split it")
}

// TestTabsOfATable checks that tabs are counted too, each with the length of its cell, because the
// lexer reads the whole cell for each of them.
func TestTabsOfATable(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,duration,params.dmg\n")
	for k := range 20 {
		b.WriteString("a" + strings.Repeat("b", k) + ",1s,\"{const: '" + strings.Repeat("\t", 9000) + "'}\"\n")
	}
	_, err := Parse("t.csv", []byte(b.String()))
	require.ErrorContains(t, err, "the cells of this table have too many elements, brackets, commas, colons and tabs: split it")
}

// TestBracketsInACell checks that a cell that starts with a bracket is read as YAML, also in a
// field that is no list.
func TestBracketsInACell(t *testing.T) {
	c, err := Parse("t.csv", []byte("id,duration,params.dmg\na,1s,\"{const: 7}\"\nb,1s,9\n"))
	require.NoError(t, err)
	want, err := Parse("t.yaml", []byte("buffs:\n  a: {duration: 1s, params: {dmg: {const: 7}}}\n  b: {duration: 1s, params: {dmg: 9}}\n"))
	require.NoError(t, err)
	for _, id := range []string{"a", "b"} {
		require.Equal(t, want.Spec(id).Params, c.Spec(id).Params)
	}
	for _, list := range []string{"[1, 2]", "[x]"} {
		_, err = Parse("t.csv", []byte("id,duration,chance\na,1s,\""+list+"\"\n"))
		require.ErrorContains(t, err, "want a share from 0 to 1, such as 0.25, not a list")
	}
}

// TestMostCells checks the limit of the cells of a table that are not empty.
func TestMostCells(t *testing.T) {
	row := "\na" + strings.Repeat(",1", 499)
	table := "id" + columnsOf("params.p", 499) + strings.Repeat(row, maxCells/500)
	for _, k := range []struct {
		more string
		want bool
	}{{"", false}, {"\na", true}} {
		_, err := Parse("big.csv", []byte(table+k.more))
		require.Error(t, err)
		require.Equal(t, k.want, strings.Contains(err.Error(), "more than 200000 non-empty cells"))
	}
}

// TestBracketInAnElement checks that a bracket in the middle of an element is an ordinary
// character.
func TestBracketInAnElement(t *testing.T) {
	c, err := Parse("x.csv", []byte("id,duration,interrupt\na,1s,x[1;y{2;z\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"x[1", "y{2", "z"}, c.Spec("a").Interrupt)
}

// TestMisspeltNextToKnown checks that a required column with a misspelt name is not reported as
// missing too, if another column belongs to the same map.
func TestMisspeltNextToKnown(t *testing.T) {
	for _, other := range []string{"dr.reset", "dr.scope"} {
		cell := map[string]string{"dr.reset": "15s", "dr.scope": "pair"}[other]
		_, err := Parse("x.csv", []byte("id,duration,"+other+",dr.stepps\na,1s,"+cell+",100\n"))
		require.ErrorContains(t, err, `unknown field "stepps"`)
		require.NotContains(t, err.Error(), "dr.steps: missing", other)
	}
}
