package sheet

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff/stat"
)

// model is a simple implementation of the package: modifiers are a list, and every value is
// computed when it is read, step by step as the package comment says, with so many bits that only
// the documented roundings occur.
type model struct {
	schema *stat.Schema
	bases  []float64
	mods   []entry
	most   []float64 // the maxima at the last call to cut
}

// entry is a modifier of the sheet; the list is in the order of Add.
type entry struct {
	stat.Modifier
	key Key
}

func newModel(s *stat.Schema) *model {
	m := &model{schema: s, bases: make([]float64, 1)}
	for _, a := range s.All() {
		m.bases = append(m.bases, a.Base)
	}
	m.cut()
	return m
}

// cut reduces bases to maxima that are attributes and have changed.
func (m *model) cut() {
	first := m.most == nil
	if first {
		m.most = make([]float64, len(m.bases))
	}
	for range m.schema.Len() { // a maximum may have a maximum
		for a, law := range m.schema.All() {
			by, ok := m.schema.Attr(law.Max.String())
			if law.Max == (stat.Limit{}) || !ok {
				continue
			}
			most, _ := m.value(by)
			lo, _ := m.limits(a)
			if top := max(lo, most); !first && most != m.most[a] && m.bases[a] > top {
				m.bases[a] = top + 0
			}
		}
	}
	for a, law := range m.schema.All() {
		if by, ok := m.schema.Attr(law.Max.String()); ok && law.Max != (stat.Limit{}) {
			m.most[a], _ = m.value(by)
		}
	}
}

func (m *model) remove(k Key) bool {
	was := len(m.mods)
	m.mods = slices.DeleteFunc(m.mods, func(l entry) bool { return l.key == k })
	return len(m.mods) < was
}

func (m *model) removeAll(of uint64) int {
	was := len(m.mods)
	m.mods = slices.DeleteFunc(m.mods, func(l entry) bool { return l.Of == of })
	return was - len(m.mods)
}

func (m *model) limits(a stat.Attr) (lo, hi float64) {
	one := func(l stat.Limit, none float64) float64 {
		if l == (stat.Limit{}) {
			return none
		}
		if other, ok := m.schema.Attr(l.String()); ok {
			v, _ := m.value(other)
			return v
		}
		v, err := strconv.ParseFloat(l.String(), 64) // formatted by fmt, and so equal in every bit
		if err != nil {
			panic(err)
		}
		return v + 0 // -0 becomes 0
	}
	d := m.schema.At(a)
	return one(d.Min, -stat.MaxValue), one(d.Max, stat.MaxValue)
}

func (m *model) clamp(a stat.Attr, v float64) float64 {
	lo, hi := m.limits(a)
	if hi < v {
		v = hi
	}
	if lo > v {
		v = lo
	}
	return v
}

func (m *model) addBase(a stat.Attr, delta float64) float64 {
	from := m.clamp(a, m.bases[a])
	m.bases[a] = m.clamp(a, from+delta) + 0
	if m.bases[a] == from+delta {
		return delta
	}
	return m.bases[a] - from
}

// value returns the expected value of a, and whether an intermediate result overflows.
func (m *model) value(a stat.Attr) (float64, bool) {
	running, over := m.bases[a], false
	set := func(f *big.Float) {
		v, _ := f.Float64()
		if math.Abs(v) > stat.MaxValue {
			v, over = math.Copysign(stat.MaxValue, v), true
		}
		running = v + 0
	}
	for ch := range uint8(stat.MaxChannel + 1) {
		if adds := m.those(a, ch, stat.Add); len(adds) > 0 {
			set(plus(running, m.counting(a, adds)))
		}
		if muls := m.those(a, ch, stat.MulAdd); len(muls) > 0 {
			factor, _ := plus(1, m.counting(a, muls)).Float64()
			set(times(running, factor))
		}
		comps := m.those(a, ch, stat.MulCompound)
		slices.Sort(comps)
		for _, c := range comps {
			factor, _ := plus(1, []float64{c}).Float64()
			set(times(running, factor))
		}
		if finals := m.those(a, ch, stat.FinalAdd); len(finals) > 0 {
			set(plus(running, m.counting(a, finals)))
		}
		if overs := m.those(a, ch, stat.Override); len(overs) > 0 {
			running, over = overs[len(overs)-1], false
		}
	}
	return m.clamp(a, running), over
}

func (m *model) those(a stat.Attr, ch uint8, op stat.Op) []float64 {
	var out []float64
	for _, l := range m.mods {
		if l.Attr == a && l.Channel == ch && l.Op == op {
			out = append(out, l.Value)
		}
	}
	return out
}

// counting returns those of the values that the attribute's aggregate uses.
func (m *model) counting(a stat.Attr, values []float64) []float64 {
	d := m.schema.At(a)
	switch d.Aggregate {
	case stat.Max:
		return []float64{slices.Max(values)}
	case stat.Min:
		return []float64{slices.Min(values)}
	case stat.Strongest:
		slices.SortFunc(values, func(x, y float64) int {
			switch {
			case math.Abs(x) > math.Abs(y), math.Abs(x) == math.Abs(y) && x > y:
				return -1
			case x == y:
				return 0
			}
			return 1
		})
		return values[:min(len(values), d.N)]
	}
	return values
}

func plus(start float64, values []float64) *big.Float {
	f := exactly(start)
	for _, v := range values {
		f.Add(f, exactly(v))
	}
	return f
}

func times(x, y float64) *big.Float { return new(big.Float).SetPrec(128).Mul(exactly(x), exactly(y)) }

// exactly returns v with enough precision for any sum of float64s.
func exactly(v float64) *big.Float { return new(big.Float).SetPrec(2200).SetFloat64(v) }

// compare returns an error if the sheet differs from the model.
func (m *model) compare(s *Sheet) error {
	if s.Len() != len(m.mods) {
		return fmt.Errorf("%d modifiers, want %d", s.Len(), len(m.mods))
	}
	for a := range m.schema.All() {
		if err := m.compareOne(s, a); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) compareOne(s *Sheet, a stat.Attr) error {
	want, over := m.value(a)
	switch got := s.Value(a); {
	case math.Float64bits(got) != math.Float64bits(want):
		return fmt.Errorf("attribute %d is %v (%#x), want %v (%#x)", a, got, math.Float64bits(got), want, math.Float64bits(want))
	case s.Overflowed(a) != over:
		return fmt.Errorf("attribute %d overflowed: %t, want %t", a, s.Overflowed(a), over)
	case math.Float64bits(s.Base(a)) != math.Float64bits(m.bases[a]):
		return fmt.Errorf("the base of attribute %d is %v, want %v", a, s.Base(a), m.bases[a])
	}
	var on []entry
	for k, mod := range s.On(a) {
		on = append(on, entry{mod, k})
	}
	want2 := slices.DeleteFunc(slices.Clone(m.mods), func(l entry) bool { return l.Attr != a })
	if !slices.Equal(on, want2) {
		return fmt.Errorf("on attribute %d lies %v, want %v", a, on, want2)
	}
	return nil
}
