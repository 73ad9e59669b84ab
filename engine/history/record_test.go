package history

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// someSpecs returns n definitions for events.
func someSpecs(tb testing.TB, n int) []*buff.Spec {
	var list []buff.Spec
	for k := range n {
		list = append(list, buff.Spec{ID: string(rune('a'+k%26)) + string(rune('a'+k/26)), Kind: define.Infinite})
	}
	c, err := buff.NewCatalog(list...)
	require.NoError(tb, err)
	var out []*buff.Spec
	for s := range c.All() {
		out = append(out, s)
	}
	return out
}

// fill sets each field of an event to a number from next, according to its type. So the test fails
// for a field of Event that the record does not store.
func fill(tb testing.TB, e *buff.Event, specs []*buff.Spec, next func() uint64) {
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		f, n := v.Field(i), next()
		switch {
		case f.Type() == reflect.TypeFor[*buff.Spec]():
			if n%4 != 0 {
				f.Set(reflect.ValueOf(specs[n%uint64(len(specs))]))
			}
		case f.CanInt():
			f.SetInt(int64(n))
		case f.CanUint():
			f.SetUint(n & (1<<f.Type().Bits() - 1))
		case f.CanFloat():
			if x := math.Float64frombits(n); x == x { //nolint:gocritic // false for NaN
				f.SetFloat(x)
			}
		case f.Kind() == reflect.String:
			f.SetString([]string{"", "hp", "a name", "x"}[n%4])
		default:
			require.Fail(tb, "a field of another type", v.Type().Field(i).Name)
		}
	}
	e.Kind, e.Why = e.Kind%sheetChange, e.Why%128
	if e.Kind == buff.Reacted { // has a school and no attribute; the others the other way round
		e.Attr = 0
	} else {
		e.School = 0
	}
}

// numbers returns small numbers, large ones, and numbers next to a power of two.
func numbers(r *rand.Rand) uint64 {
	switch r.IntN(8) {
	case 0, 1, 2:
		return 0
	case 3:
		return uint64(wheel.Never)
	case 4:
		return r.Uint64()
	case 5:
		return uint64(1)<<r.IntN(64) - uint64(r.IntN(3))
	}
	return r.Uint64N(100)
}

// TestRecord checks that every field of an event is read back, for events of any order.
func TestRecord(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	specs := someSpecs(t, 7)
	var want []buff.Event
	recorder := New(64 << 20)
	for range 100_000 {
		var e buff.Event
		fill(t, &e, specs, func() uint64 { return numbers(r) })
		e.Seq = 0           // is not stored
		if r.IntN(2) == 0 { // as events are
			e.Seen = wheel.Time(len(want) / 10)
			e.At = e.Seen - wheel.Time(r.IntN(70_000))
			e.Owner, e.Source = buff.OwnerID(r.IntN(3)), buff.OwnerID(r.IntN(3))
			e.Elapsed, e.Period, e.Offline, e.Count, e.Level, e.Next = 0, 0, 0, 0, 0, 0
			e.Delta, e.Value, e.Name = 0, 0, ""
		}
		want = append(want, e)
	}
	recorder.mu.Lock()
	recorder.Add(want) // not Begin, because the instants are in random order
	recorder.mu.Unlock()
	n := 0
	for got := range recorder.Events(Query{From: math.MinInt64}) {
		if want[n] != got {
			require.Equal(t, want[n], got, "event %d", n)
		}
		n++
	}
	require.Equal(t, len(want), n)
}

// TestWords checks that kinds and reasons fit into the first word of a record, and that the
// longest record fits into the buffer of put.
func TestWords(t *testing.T) {
	require.Less(t, uint64(reason.Last), uint64(1)<<(specShift-whyShift))
	require.Less(t, uint64(timeChange), uint64(1)<<(whyShift-kindShift))
	var c context
	e := buff.Event{
		At: math.MinInt64, Seen: 1, Owner: 1, Source: 2, Handle: 3, End: 4, Next: 5, Elapsed: 6, Period: 7, Offline: 8, Magnitude: math.MaxInt64,
		Delta: 9, Value: 10, Name: "n", Stacks: math.MaxInt32, Count: 11,
	}
	var w [mostWords]uint64
	require.Less(t, c.put(&w, &e, 1, 1), mostWords)
}

// FuzzRecord makes events from bytes.
func FuzzRecord(f *testing.F) {
	specs := someSpecs(f, 3)
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := New(MinBytes)
		var want []buff.Event
		for len(data) >= 16 && len(want) < 100 {
			var e buff.Event
			fill(t, &e, specs, func() uint64 {
				if len(data) < 8 {
					return 0
				}
				n := binary.LittleEndian.Uint64(data)
				data = data[8:]
				return n
			})
			e.Seq = 0 // is not stored
			want = append(want, e)
		}
		r.mu.Lock()
		r.Add(want)
		r.mu.Unlock()
		n := 0
		for got := range r.Events(Query{From: math.MinInt64}) {
			require.Equal(t, want[n], got)
			n++
		}
		require.Equal(t, len(want), n)
	})
}
