package sheet

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/stat"
)

func (s *Sheet) mustAdd(t testing.TB, m stat.Modifier) Key {
	k, err := s.Add(m)
	require.NoError(t, err)
	return k
}

// TestSheet_On checks that a loop over On may remove the modifiers that it gets, and may end early.
func TestSheet_On(t *testing.T) {
	s := newSheet(schema(t, stat.Attribute{Name: "a"}, stat.Attribute{Name: "b"}), 0)
	for i := range 6 {
		s.mustAdd(t, stat.Modifier{Attr: stat.Attr(1 + i%2), Value: float64(i)})
	}
	var seen []float64
	for k, m := range s.On(1) {
		same, ok := s.Modifier(k)
		require.True(t, ok)
		require.Equal(t, m, same)
		seen = append(seen, m.Value)
		if m.Value > 0 {
			require.True(t, s.Remove(k))
		}
	}
	require.Equal(t, []float64{0, 2, 4}, seen)
	require.Equal(t, 0.0, s.Value(1))
	require.Equal(t, 9.0, s.Value(2))
	for range s.On(2) {
		break
	}
	for v := range s.All(nil) {
		require.Equal(t, stat.View{Attr: 1, Name: "a", Modifiers: 1}, v)
		break
	}
}

// TestSheet_Copy checks that the results of All and On suffice to make the same sheet again.
func TestSheet_Copy(t *testing.T) {
	for seed := range uint64(50) {
		s := newSession(seeded(seed, 400))
		require.NoError(t, s.run())
		again := newSheet(s.sheet.Schema(), 30)
		for v := range s.sheet.All(nil) {
			require.NoError(t, again.SetBase(v.Attr, v.Base))
			for _, m := range s.sheet.On(v.Attr) {
				again.mustAdd(t, m)
			}
		}
		for v := range s.sheet.All(nil) {
			sameBits(t, v.Value, again.Value(v.Attr), "seed %d", seed)
		}
	}
}

// TestNoNegativeZero checks that a zero always has the same bits, whatever the call that gave it
// to the sheet.
func TestNoNegativeZero(t *testing.T) {
	minus := math.Copysign(0, -1)
	s := newSheet(schema(t, stat.Attribute{Name: "a", Base: minus}, stat.Attribute{Name: "b", Base: -1, Max: stat.At(minus)}), 0)
	zero := func(why string) {
		t.Helper()
		sameBits(t, 0, s.Value(1), "%s", why)
	}
	zero("base of the schema")
	require.NoError(t, s.SetBase(1, minus))
	zero("base set")
	_, err := s.AddBase(1, minus)
	require.NoError(t, err)
	zero("base changed")
	k := s.mustAdd(t, stat.Modifier{Attr: 1, Op: stat.Override, Value: minus})
	zero("override")
	require.NoError(t, s.SetValue(k, -5))
	require.NoError(t, s.SetValue(k, minus))
	zero("value set")
	s.mustAdd(t, stat.Modifier{Attr: 1, Op: stat.MulAdd, Channel: 1, Value: -6})
	zero("0 × -5")
	s.mustAdd(t, stat.Modifier{Attr: 2, Value: 100})
	sameBits(t, 0, s.Value(2), "a limit")
}

// TestSheet_Add_NoSlotsLeft checks that no slot is left when every slot has had its last modifier.
func TestSheet_Add_NoSlotsLeft(t *testing.T) {
	s := newSheet(schema(t, stat.Attribute{Name: "a"}), 1)
	for range none {
		k := s.mustAdd(t, stat.Modifier{Attr: 1, Value: 1})
		i := uint16(k)
		s.slots[i].gen = lastGeneration
		require.False(t, s.Remove(k))
		last := s.key(i)
		require.True(t, s.Remove(last))
		require.False(t, s.Remove(last))
	}
	require.NoError(t, check(s))
	_, err := s.Add(stat.Modifier{Attr: 1})
	require.ErrorIs(t, err, ErrFull)
	require.Zero(t, s.Len())
}

// TestSheet_Full checks the largest number of modifiers, all on one attribute, with the largest
// value.
func TestSheet_Full(t *testing.T) {
	s := newSheet(schema(t, stat.Attribute{Name: "a", Base: stat.MaxValue}), 0)
	for range stat.MaxModifiers {
		s.mustAdd(t, stat.Modifier{Attr: 1, Value: stat.MaxValue})
	}
	_, err := s.Add(stat.Modifier{Attr: 1})
	require.ErrorIs(t, err, ErrFull)
	require.Equal(t, stat.MaxValue, s.Value(1))
	require.True(t, s.Overflowed(1))
	require.Equal(t, stat.MaxModifiers, s.RemoveAll(0))
	require.NoError(t, check(s))
	require.Equal(t, stat.MaxValue, s.Value(1))
	require.False(t, s.Overflowed(1))
}

// TestAllocations checks that nothing is allocated in the steady state, in whatever order
// modifiers are added.
func TestAllocations(t *testing.T) {
	sc := schema(t, stat.Attribute{Name: "a", Base: 100, Max: stat.By("b")}, stat.Attribute{Name: "b", Base: 100, Aggregate: stat.Strongest, N: 2})
	for _, n := range []int{0, few - 1, few, 200} {
		s := newSheet(sc, 0)
		for i := range n {
			s.mustAdd(t, stat.Modifier{Attr: 2, Op: stat.Op(i % 4), Channel: uint8(i % 3), Value: 0.1 * float64(i%7)})
		}
		cycle := func() {
			k, _ := s.Add(stat.Modifier{Attr: 2, Op: stat.MulAdd, Value: 1e-9, Of: 9})
			wide, _ := s.Add(stat.Modifier{Attr: 2, Value: 1e99})
			s.Value(1)
			_ = s.SetValue(k, 2e-99)
			_, _ = s.AddBase(1, -1)
			for v := range s.All(nil) {
				for range s.On(v.Attr) {
					continue
				}
			}
			s.Remove(wide)
			s.RemoveAll(9)
			s.Value(1)
		}
		cycle() // fills the slices
		require.Zero(t, testing.AllocsPerRun(100, cycle), "%d modifiers", n)
	}
}

// TestSizes checks the memory that the documentation of the package states.
func TestSizes(t *testing.T) {
	require.Equal(t, uintptr(32), unsafe.Sizeof(slot{}))
	require.Equal(t, uintptr(24), unsafe.Sizeof(cell{}))
	require.LessOrEqual(t, unsafe.Sizeof(Sheet{}), uintptr(96))

	attrs := make([]stat.Attribute, 16)
	for i := range attrs {
		attrs[i].Name = string(rune('a' + i))
	}
	s := newSheet(schema(t, attrs...), 0)
	for i := range 20 {
		s.mustAdd(t, stat.Modifier{Attr: stat.Attr(1 + i%16)})
	}
	size := unsafe.Sizeof(*s) + uintptr(cap(s.cells))*unsafe.Sizeof(cell{}) + uintptr(cap(s.slots))*unsafe.Sizeof(slot{})
	t.Logf("a sheet of 16 attributes and 20 modifiers: %d bytes", size)
	require.LessOrEqual(t, size, uintptr(1600))
}
