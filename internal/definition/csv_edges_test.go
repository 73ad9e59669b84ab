package definition

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListsOfATable: the elements of all cells of a table are counted together, and there may be so many.
func TestListsOfATable(t *testing.T) {
	const most = 120_000
	table := func(elements int) []byte {
		var b strings.Builder
		b.WriteString("id,duration,dr.steps\n")
		for k := 0; elements > 0; k++ {
			n := min(elements, 4000)
			elements -= n
			b.WriteString("a" + strings.Repeat("b", k) + ",1s," + strings.Repeat("9;", n-1) + "9\n")
		}
		return []byte(b.String())
	}
	_, err := Parse("t.csv", table(most+1))
	require.ErrorContains(t, err, "the cells of this table have too many elements, brackets, commas, colons and tabs: split it")
}

// TestTabsOfATable: so are tabs, each with what its cell has: the lexer looks at all of it for each.
func TestTabsOfATable(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,duration,params.dmg\n")
	for k := range 20 {
		b.WriteString("a" + strings.Repeat("b", k) + ",1s,\"{const: '" + strings.Repeat("\t", 9000) + "'}\"\n")
	}
	_, err := Parse("t.csv", []byte(b.String()))
	require.ErrorContains(t, err, "the cells of this table have too many elements, brackets, commas, colons and tabs: split it")
}

// TestBracketsInACell: what begins with a bracket is YAML, in a field that is no list too.
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
		require.ErrorContains(t, err, "want a chance in per mille, from 0 to 1000, not a list")
	}
}
