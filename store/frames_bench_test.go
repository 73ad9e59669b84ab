package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// crowd returns an engine of n owners with ten buffs each, one of which pulses each second, so
// that all owners change within a second.
func crowd(b *testing.B, owners int) (engine.Options, func(*engine.Engine)) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "itch", Kind: define.Infinite, Period: time.Second},
		buff.Spec{ID: "mark", Kind: define.Infinite, Stack: define.Stacking{By: define.BySource}},
	)
	if err != nil {
		b.Fatal(err)
	}
	return engine.Options{Catalog: cat, Budget: -1, Limits: engine.Limits{Events: 1 << 24}, Epoch: noon}, func(e *engine.Engine) {
		for id := range buff.OwnerID(owners) {
			if err := e.Spawn(id, nil); err != nil {
				b.Fatal(err)
			}
			e.AddBuff(id, buff.Application{Spec: cat.Spec("itch")})
			for s := range buff.OwnerID(9) {
				e.AddBuff(id, buff.Application{Spec: cat.Spec("mark"), Source: s + 1})
			}
			if id%buff.OwnerID(owners/20) == 0 {
				e.Tick(50 * time.Millisecond) // one owner in twenty pulses in each frame
			}
		}
	}
}

// BenchmarkFrames measures 50 ms frames of 100,000 owners with ten buffs each. All owners change
// within a second. There is no store, a store with cuts, or all owners are saved in one frame of
// each second. The relevant results are p99 and the longest frame.
func BenchmarkFrames(b *testing.B) {
	const owners = 100_000
	for _, every := range []time.Duration{0, time.Second, 250 * time.Millisecond, 50 * time.Millisecond, -1} {
		name := fmt.Sprint("every ", every)
		switch every {
		case 0:
			name = "no store"
		case -1:
			name = "all in one frame"
		}
		b.Run(name, func(b *testing.B) {
			o, fill := crowd(b, owners)
			e, err := engine.New(o)
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close(context.Background())
			fill(e)
			after := func(f *engine.Frame) {}
			start := time.Now()
			var v *store.Saver
			if every > 0 {
				v, err = store.New(context.Background(), e, storetest.NewMemory(), "crowd", store.Options{Every: every, Clock: func() time.Duration { return time.Since(start) }})
				if err != nil {
					b.Fatal(err)
				}
				defer v.Close()
				after = func(f *engine.Frame) { v.After(f) }
				if err := v.SaveAll(context.Background()); err != nil {
					b.Fatal(err)
				}
			} else if every < 0 {
				after = func(f *engine.Frame) {
					if f.Number%20 == 0 {
						for id := range buff.OwnerID(owners) {
							_, _ = e.Save(id)
						}
					}
				}
			}
			var took []time.Duration
			for b.Loop() {
				from := time.Now()
				after(e.Tick(50 * time.Millisecond))
				took = append(took, time.Since(from))
			}
			slices.Sort(took)
			ms := func(p int) float64 { return float64(took[min(len(took)*p/100, len(took)-1)].Microseconds()) / 1000 }
			b.ReportMetric(ms(50), "p50-ms")
			b.ReportMetric(ms(99), "p99-ms")
			b.ReportMetric(ms(100), "max-ms")
			if v != nil {
				b.ReportMetric(float64(v.Stats().Total)/1e6/(float64(b.N)/20), "MB/s")
			}
		})
	}
}

// BenchmarkOpen measures restoring a zone.
func BenchmarkOpen(b *testing.B) {
	for _, owners := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("buffs=%d", owners*10), func(b *testing.B) {
			o, fill := crowd(b, owners)
			e, err := engine.New(o)
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close(context.Background())
			fill(e)
			m := storetest.NewMemory()
			v, err := store.New(context.Background(), e, m, "crowd", store.Options{})
			if err != nil {
				b.Fatal(err)
			}
			if err := v.SaveAll(context.Background()); err != nil {
				b.Fatal(err)
			}
			v.Close()
			for b.Loop() {
				w, err := store.Open(context.Background(), m, "crowd", o, store.Options{})
				if err != nil || w.Restored().Buffs != owners*10 {
					b.Fatal(err, w.Restored())
				}
				b.StopTimer()
				w.Close()
				_ = w.Engine().Close(context.Background())
				b.StartTimer()
			}
		})
	}
}
