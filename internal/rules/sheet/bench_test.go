package sheet

import (
	"fmt"
	"testing"

	"github.com/bufftick/bufftick/buff/stat"
)

// withModifiers returns a sheet with n ordinary modifiers of attribute 0: numbers and whole
// percents.
func withModifiers(b *testing.B, n int) *Sheet {
	s := newSheet(schema(b, stat.Attribute{Name: "attack", Base: 100}, stat.Attribute{Name: "health", Base: 100, Max: stat.By("attack")}), 0)
	for i := range n {
		m := stat.Modifier{Attr: 1, Op: stat.Op(i % 4), Value: float64(i%13) / 100}
		if m.Op == stat.Add || m.Op == stat.FinalAdd {
			m.Value = float64(i % 13)
		}
		s.mustAdd(b, m)
	}
	return s
}

// BenchmarkValueClean reads a value that has not changed.
func BenchmarkValueClean(b *testing.B) {
	s := withModifiers(b, 10)
	var sum float64
	for b.Loop() {
		sum += s.Value(1)
	}
	_ = sum
}

// BenchmarkAddRemove adds a modifier and removes it, without reading the value in between.
func BenchmarkAddRemove(b *testing.B) {
	s := withModifiers(b, 10)
	b.ReportAllocs()
	for b.Loop() {
		k, _ := s.Add(stat.Modifier{Attr: 1, Op: stat.MulAdd, Value: 0.1})
		s.Remove(k)
	}
}

// BenchmarkWorkOut changes a modifier and reads the value, which evaluates a stale attribute, for
// several numbers of modifiers.
func BenchmarkWorkOut(b *testing.B) {
	for _, n := range []int{1, 5, 20, 100, 1000} {
		b.Run(fmt.Sprintf("modifiers=%d", n), func(b *testing.B) {
			s := withModifiers(b, n-1)
			k := s.mustAdd(b, stat.Modifier{Attr: 1, Op: stat.MulAdd, Value: 0.1})
			b.ReportAllocs()
			v := 0.1
			for b.Loop() {
				v = 0.3 - v
				_ = s.SetValue(k, v)
				s.Value(1)
			}
		})
	}
}

// BenchmarkSum adds one to ten tenths, with sum and with wideSum.
func BenchmarkSum(b *testing.B) {
	ops := make([]operand, 10)
	for i := range ops {
		ops[i].value = 0.1
	}
	for _, way := range []struct {
		name string
		f    func(float64, []operand, []operand) float64
	}{{"pair", sum}, {"wide", wideSum}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				way.f(1, ops, nil)
			}
		})
	}
}
