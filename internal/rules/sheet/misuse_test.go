package sheet

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/stat"
)

func schema(t testing.TB, attrs ...stat.Attribute) *stat.Schema {
	s, err := stat.NewSchema(attrs...)
	require.NoError(t, err)
	return s
}

func newSheet(s *stat.Schema, limit int) *Sheet { return New(Compile(s), limit) }

func TestChain(t *testing.T) {
	attrs := make([]stat.Attribute, stat.MaxAttributes)
	for i := range attrs {
		attrs[i] = stat.Attribute{Name: fmt.Sprint("a", i), Base: 10, Max: stat.By(fmt.Sprint("a", i+1))}
	}
	attrs[len(attrs)-1].Max = stat.Limit{}
	s := newSheet(schema(t, attrs...), 0)
	_, err := s.Add(stat.Modifier{Attr: stat.MaxAttributes, Value: -4})
	require.NoError(t, err)
	require.Equal(t, 6.0, s.Value(1))
	require.NoError(t, check(s))
}

func TestMisuse(t *testing.T) {
	s := newSheet(schema(t, stat.Attribute{Name: "a"}), 0)
	// the zero Attr is invalid, so that a forgotten lookup panics
	for _, a := range []stat.Attr{0, 2, 1<<16 - 1} {
		nothing := fmt.Sprintf("stat: there is no attribute %d in a schema of 1", a)
		for name, f := range map[string]func(){
			"Value":      func() { s.Value(a) },
			"Base":       func() { s.Base(a) },
			"Overflowed": func() { s.Overflowed(a) },
			"Limits":     func() { s.Limits(a) },
			"SetBase":    func() { _ = s.SetBase(a, 0) },
			"AddBase":    func() { _, _ = s.AddBase(a, 0) },
			"On":         func() { s.On(a)(nil) },
			"At":         func() { s.Schema().At(a) },
		} {
			require.PanicsWithValue(t, nothing, f, name)
		}
		_, err := s.Add(stat.Modifier{Attr: a, Value: 1})
		require.ErrorIs(t, err, ErrModifier)
	}
	none, ok := s.Schema().Attr("helth")
	require.Equal(t, []any{stat.Attr(0), false}, []any{none, ok})
	require.PanicsWithValue(t, "stat: a sheet needs a schema", func() { New(nil, 0) })
	require.PanicsWithValue(t, "stat: a limit of 4097 modifiers, want at most 4096", func() { newSheet(s.Schema(), stat.MaxModifiers+1) })
	require.PanicsWithValue(t, "stat: a limit of -1 modifiers, want at most 4096", func() { newSheet(s.Schema(), -1) })
}
