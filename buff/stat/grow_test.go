package stat

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGrow: an attribute of a greater schema has its base within its limits before the sheet has grown to it and
// afterwards, and what lies on those that were there stays.
func TestGrow(t *testing.T) {
	attrs := []Attribute{
		{Name: "low", Base: 10},
		{Name: "high", Base: 20},
		{Name: "free", Base: 30},
		{Name: "above", Base: 40, Min: By("free")},
		{Name: "below", Base: 25, Max: By("above")},
		{Name: "between", Base: 35, Min: By("free"), Max: By("above")},
		{Name: "fixed", Base: 7, Min: At(5), Max: At(9)},
	}
	small, great := schema(t, attrs[:2]...), schema(t, attrs...)
	s := NewSheet(small, 10)
	require.Equal(t, 2, s.Attrs())
	_, err := s.Add(Modifier{Attr: 1, Op: Add, Value: 5})
	require.NoError(t, err)
	want := []float64{15, 20, 30, 40, 25, 35, 7}
	values := func(value func(a Attr) float64) (out []float64) {
		for a := range great.All() {
			out = append(out, value(a))
		}
		return out
	}
	require.Equal(t, want, values(func(a Attr) float64 { return s.ValueIn(great, a) }))
	require.PanicsWithValue(t, "stat: there is no attribute 8 in a schema of 7", func() { s.ValueIn(great, 8) })
	require.Same(t, small, s.Schema())
	s.Grow(small)
	require.Equal(t, 2, s.Attrs())
	s.Grow(great)
	require.Equal(t, 7, s.Attrs())
	require.Same(t, great, s.Schema())
	require.Equal(t, want, values(s.Value))
	require.NoError(t, check(s))
	s.Grow(small)
	require.Same(t, great, s.Schema(), "one that is not greater changes nothing")
	_, err = s.Add(Modifier{Attr: 3, Op: Add, Value: 50})
	require.NoError(t, err)
	require.Equal(t, []float64{15, 20, 80, 80, 25, 80, 7}, values(s.Value), "what limits others is theirs as well")
}

// TestValueInLimits: the base is held within limits that other attributes have, whichever way they have gone.
func TestValueInLimits(t *testing.T) {
	great := schema(t, Attribute{Name: "old", Base: 10}, Attribute{Name: "most", Base: 8, Max: By("old")}, Attribute{Name: "least", Base: 12, Min: By("old")})
	s := NewSheet(schema(t, Attribute{Name: "old", Base: 10}), 10)
	for _, c := range []struct{ by, most, least float64 }{{0, 8, 12}, {-5, 5, 12}, {10, 8, 20}} {
		key, err := s.Add(Modifier{Attr: 1, Op: Add, Value: c.by})
		require.NoError(t, err)
		require.Equal(t, c.most, s.ValueIn(great, 2))
		require.Equal(t, c.least, s.ValueIn(great, 3))
		require.True(t, s.Remove(key))
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
