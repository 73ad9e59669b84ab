package sheet

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/stat"
)

// TestGrow checks that an attribute of a larger schema has its base within its limits before and
// after the sheet grows, and that the modifiers of the old attributes stay.
func TestGrow(t *testing.T) {
	attrs := []stat.Attribute{
		{Name: "low", Base: 10},
		{Name: "high", Base: 20},
		{Name: "free", Base: 30},
		{Name: "above", Base: 40, Min: stat.By("free")},
		{Name: "below", Base: 25, Max: stat.By("above")},
		{Name: "between", Base: 35, Min: stat.By("free"), Max: stat.By("above")},
		{Name: "fixed", Base: 7, Min: stat.At(5), Max: stat.At(9)},
	}
	small, great := schema(t, attrs[:2]...), schema(t, attrs...)
	s := newSheet(small, 10)
	require.Equal(t, 2, s.Attrs())
	_, err := s.Add(stat.Modifier{Attr: 1, Op: stat.Add, Value: 5})
	require.NoError(t, err)
	want := []float64{15, 20, 30, 40, 25, 35, 7}
	values := func(value func(a stat.Attr) float64) (out []float64) {
		for a := range great.All() {
			out = append(out, value(a))
		}
		return out
	}
	require.Equal(t, want, values(func(a stat.Attr) float64 { return s.ValueIn(Compile(great), a) }))
	require.PanicsWithValue(t, "stat: there is no attribute 8 in a schema of 7", func() { s.ValueIn(Compile(great), 8) })
	require.Same(t, small, s.Schema())
	s.Grow(Compile(small))
	require.Equal(t, 2, s.Attrs())
	s.Grow(Compile(great))
	require.Equal(t, 7, s.Attrs())
	require.Same(t, great, s.Schema())
	require.Equal(t, want, values(s.Value))
	require.NoError(t, check(s))
	s.Grow(Compile(small))
	require.Same(t, great, s.Schema(), "one that is not greater changes nothing")
	_, err = s.Add(stat.Modifier{Attr: 3, Op: stat.Add, Value: 50})
	require.NoError(t, err)
	require.Equal(t, []float64{15, 20, 80, 80, 25, 80, 7}, values(s.Value), "what limits others is theirs as well")
}

// TestValueInLimits checks that the base is limited by the values of other attributes, whichever
// way these have changed.
func TestValueInLimits(t *testing.T) {
	great := schema(t, stat.Attribute{Name: "old", Base: 10}, stat.Attribute{Name: "most", Base: 8, Max: stat.By("old")}, stat.Attribute{Name: "least", Base: 12, Min: stat.By("old")})
	s := newSheet(schema(t, stat.Attribute{Name: "old", Base: 10}), 10)
	for _, c := range []struct{ by, most, least float64 }{{0, 8, 12}, {-5, 5, 12}, {10, 8, 20}} {
		key, err := s.Add(stat.Modifier{Attr: 1, Op: stat.Add, Value: c.by})
		require.NoError(t, err)
		require.Equal(t, c.most, s.ValueIn(Compile(great), 2))
		require.Equal(t, c.least, s.ValueIn(Compile(great), 3))
		require.True(t, s.Remove(key))
	}
}

// TestSheet_Nil_ReadsLayout checks that a nil sheet has the attributes of the layout.
func TestSheet_Nil_ReadsLayout(t *testing.T) {
	l := Compile(schema(t, stat.Attribute{Name: "strength", Base: 15}, stat.Attribute{Name: "speed", Base: 7}))
	var none *Sheet
	require.Equal(t, slices.Collect(New(l, 0).All(nil)), slices.Collect(none.All(l)))
	require.Empty(t, slices.Collect(none.All(nil)))
	require.Equal(t, []float64{7, 7}, []float64{none.ValueIn(l, 2), none.BaseIn(l, 2)})
	require.Panics(t, func() { none.BaseIn(l, 3) })
	small := New(Compile(schema(t, stat.Attribute{Name: "strength", Base: 15})), 0)
	require.Equal(t, slices.Collect(none.All(l)), slices.Collect(small.All(l)))
	require.Equal(t, []float64{15, 7}, []float64{small.BaseIn(l, 1), small.BaseIn(l, 2)})
}
