package stat

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func schema(t testing.TB, attrs ...Attribute) *Schema {
	s, err := NewSchema(attrs...)
	require.NoError(t, err)
	return s
}

func TestSchema(t *testing.T) {
	given := []Attribute{{Name: "health", Base: 5, Max: By("max_health"), Min: At(0)}, {Name: "max_health", Base: 5, Aggregate: Strongest, N: 2}}
	s := schema(t, given...)
	require.Equal(t, 2, s.Len())
	a, ok := s.Attr("max_health")
	require.True(t, ok)
	require.Equal(t, Attr(2), a)
	_, ok = s.Attr("max")
	require.False(t, ok)

	first := given[0]
	given[0].Base = 99
	require.Equal(t, first, s.At(1), "the schema has a copy")
	for a, d := range s.All() {
		require.Equal(t, s.At(a), d)
	}
	require.Equal(t, "0 max_health none", fmt.Sprint(first.Min, first.Max, given[1].Max))

	empty := schema(t)
	require.Zero(t, empty.Len())
	for range empty.All() {
		require.Fail(t, "an attribute of nothing")
	}
}

// TestSchemaErrors: what a loader needs to point at the place.
func TestSchemaErrors(t *testing.T) {
	s, err := NewSchema(Attribute{Name: "a"}, Attribute{Base: 1, Max: At(0), Aggregate: 9, N: 1})
	require.Nil(t, s)
	require.ErrorIs(t, err, ErrSchema)
	var all SchemaErrors
	require.ErrorAs(t, err, &all)
	require.Equal(t, SchemaErrors{
		{Index: 1, Name: "#2", Field: "name", Text: "missing"},
		{Index: 1, Name: "#2", Field: "base", Text: "1 is above the max, 0"},
		{Index: 1, Name: "#2", Field: "aggregate", Text: "stat.Aggregate(9) is not one of the rules"},
	}, all)

	many := make([]Attribute, MaxAttributes+1)
	for i := range many {
		many[i].Name = fmt.Sprint("a", i)
	}
	schema(t, many[:MaxAttributes]...)
	_, err = NewSchema(many...)
	require.ErrorIs(t, err, ErrSchema)
	require.EqualError(t, err, "schema: there are 1025 attributes, at most 1024 are possible")

	_, err = NewSchema(Attribute{Name: "two words"}, Attribute{Name: "a", Base: 3, Max: By("b")}, Attribute{Name: "b", Base: 2})
	require.EqualError(t, err, "attribute \"two words\": name: must not have spaces or control characters\nattribute \"a\": base: 3 is above the max, b, which is 2")
}

// TestChain: the longest chain of limits is followed to its end.
func TestWords(t *testing.T) {
	for o := Add; o <= Override; o++ {
		var back Op
		require.NoError(t, back.UnmarshalText([]byte(o.String())))
		require.Equal(t, o, back)
	}
	for a := Sum; a <= Strongest; a++ {
		var back Aggregate
		require.NoError(t, back.UnmarshalText([]byte(a.String())))
		require.Equal(t, a, back)
	}
	var o Op
	require.EqualError(t, o.UnmarshalText([]byte("mul")), `unknown word "mul": want add, mul_add, mul_compound, final_add or override`)
	require.Equal(t, "stat.Op(5)", (Override + 1).String())
}

func TestMisuse(t *testing.T) {
	s := schema(t, Attribute{Name: "a"})
	for _, a := range []Attr{0, 2, 1<<16 - 1} { // the zero Attr is none: whoever forgot to look one up learns of it
		nothing := fmt.Sprintf("stat: there is no attribute %d in a schema of 1", a)
		require.PanicsWithValue(t, nothing, func() { s.At(a) })
		require.PanicsWithValue(t, nothing, func() { s.Limits(a) })
	}
	none, ok := s.Attr("helth")
	require.Equal(t, []any{Attr(0), false}, []any{none, ok})
}

// TestLimits: a limit is a number or an attribute, and what is none cannot be passed.
func TestLimits(t *testing.T) {
	s := schema(t, Attribute{Name: "a", Base: 2, Min: At(1), Max: By("b")}, Attribute{Name: "b", Base: 3, Min: By("c")}, Attribute{Name: "c"})
	for a, want := range map[Attr][]any{1: {1.0, MaxValue, Attr(0), Attr(2)}, 2: {-MaxValue, MaxValue, Attr(3), Attr(0)}, 3: {-MaxValue, MaxValue, Attr(0), Attr(0)}} {
		lo, hi, loBy, hiBy := s.Limits(a)
		require.Equal(t, want, []any{lo, hi, loBy, hiBy})
	}
}

// TestSchemaOfOneFault: one fault alone is enough; and a loop over a schema may end early.
func TestSchemaOfOneFault(t *testing.T) {
	for _, a := range []Attribute{{Base: 1}, {Name: "a", Max: By("b")}, {Name: "a", Base: 2, Max: At(1)}, {Name: "a", Aggregate: 9}} {
		s, err := NewSchema(a)
		require.ErrorIs(t, err, ErrSchema)
		require.Len(t, err, 1)
		require.Nil(t, s)
	}
	seen := 0
	for range schema(t, Attribute{Name: "a"}, Attribute{Name: "b"}).All() {
		seen++
		break
	}
	require.Equal(t, 1, seen)
}

// TestNearWord: a word that is none is told with all that there are, and the one that it is most like.
func TestNearWord(t *testing.T) {
	var op Op
	require.EqualError(t, op.UnmarshalText([]byte("mul_ad")), `unknown word "mul_ad": want add, mul_add, mul_compound, final_add or override: did you mean "mul_add"?`)
	require.EqualError(t, op.UnmarshalText([]byte("zebra")), `unknown word "zebra": want add, mul_add, mul_compound, final_add or override`)
	require.NoError(t, op.UnmarshalText([]byte("mul_add")))
	require.Equal(t, MulAdd, op)
}
