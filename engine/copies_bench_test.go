package engine_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// BenchmarkCopies measures the cost of copies: AddBuff and Remove, and a Tick in which 10,000
// owners have a pulse with a handler. It compares no copies, a round per second of the game, and a
// round per Tick.
func BenchmarkCopies(b *testing.B) {
	const owners = 10_000
	for _, every := range []int{0, 20, 1} {
		name := map[int]string{0: "off", 20: "each 20 ticks", 1: "each tick"}[every]
		world := func(b *testing.B, owners int) (*engine.Engine, *buff.Catalog, func()) {
			e, cat := steady(b, owners, 2)
			if every == 0 {
				return e, cat, func() {}
			}
			c := engine.Copies(e, nil)
			n := 0
			return e, cat, func() {
				if n++; n%every == 0 {
					c.Begin(false)
					c.Step(1 << 30)
					c.Take().Free()
				}
			}
		}
		b.Run("AddBuff/"+name, func(b *testing.B) {
			e, cat, after := world(b, 1)
			mark := buff.Application{Spec: cat.Spec("mark")}
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				h := e.AddBuff(0, mark).Handle
				e.Remove(h)
				if n++; n%1000 == 0 {
					e.Tick(0)
					after()
				}
			}
		})
		b.Run("pulse/"+name, func(b *testing.B) {
			e, _, after := world(b, owners)
			b.ReportAllocs()
			for b.Loop() {
				e.Tick(time.Second)
				after()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/owners, "ns/event")
		})
	}
}
