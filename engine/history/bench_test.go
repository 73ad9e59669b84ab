package history_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/wheel"
)

// BenchmarkAdd adds frames of 4,096 pulses, one of each owner, that are in the cache: to a
// recorder whose ring fits into the cache too, and to one of 32 MiB.
func BenchmarkAdd(b *testing.B) {
	c, err := buff.NewCatalog(buff.Spec{ID: "poison", Kind: define.Infinite})
	require.NoError(b, err)
	events := make([]buff.Event, 4096)
	for k := range events {
		events[k] = buff.Event{
			Owner: buff.OwnerID(k + 1), Source: buff.OwnerID(k % 100), Spec: c.Spec("poison"), Handle: buff.Handle(k)<<44 | 3,
			End: wheel.Never, Magnitude: 10, Stacks: 1, Kind: buff.Pulsed,
		}
	}
	for name, bytes := range map[string]int{"128KiB": history.MinBytes, "32MiB": 32 << 20} {
		b.Run(name, func(b *testing.B) {
			r := history.New(bytes)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				r.Begin(0)
				r.Add(events)
				r.End()
				n++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/float64(len(events)), "ns/event")
		})
	}
}

// BenchmarkEvents searches for the events of one owner in 32 MiB of events.
func BenchmarkEvents(b *testing.B) {
	c, err := buff.NewCatalog(buff.Spec{ID: "poison", Kind: define.Infinite})
	require.NoError(b, err)
	r := history.New(32 << 20)
	for k := range 1 << 20 {
		r.Begin(wheel.Time(k / 100))
		r.Add([]buff.Event{{At: wheel.Time(k / 100), Seen: wheel.Time(k / 100), Owner: buff.OwnerID(k % 10_000), Spec: c.Spec("poison"), Handle: 1, Kind: buff.Pulsed}})
		r.End()
	}
	n := 0
	for b.Loop() {
		n = 0
		for range r.Events(history.Query{Owners: []buff.OwnerID{81}}) {
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(r.Stats().Kept), "ns/event")
	require.Positive(b, n)
}
