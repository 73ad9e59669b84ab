package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// BenchmarkTick measures a Tick of 50 ms in which nothing is due, with the given number of active
// buffs.
func BenchmarkTick(b *testing.B) {
	for _, waiting := range []int{0, 1000, 1_000_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			e, cat := steady(b, 0, 2)
			for id := range buff.OwnerID(waiting) {
				spawn(b, e, id)
				add(b, e, id, cat.Spec("long"))
			}
			e.Tick(0)
			b.ReportAllocs()
			for b.Loop() {
				e.Tick(50 * time.Millisecond)
			}
		})
	}
}

// BenchmarkAddBuff measures one call on the loop, for an owner with 8 other buffs.
func BenchmarkAddBuff(b *testing.B) {
	e, cat := steady(b, 1, 0)
	mark := buff.Application{Spec: cat.Spec("mark")}
	for range 7 {
		e.AddBuff(0, buff.Application{Spec: cat.Spec("venom")})
	}
	// The events must be discarded from time to time.
	n := 0
	drain := func() {
		if n++; n%1000 == 0 {
			e.Tick(0)
		}
	}
	b.Run("new and remove", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h := e.AddBuff(0, mark).Handle
			e.Remove(h)
			drain()
		}
	})
	e.AddBuff(0, mark)
	b.Run("refresh", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e.AddBuff(0, mark)
			drain()
		}
	})
}

// BenchmarkDue measures a Tick in which 10,000 owners have a pulse whose handler does nothing. The
// unit ns/event is the time per pulse, without Frame.Events.
func BenchmarkDue(b *testing.B) {
	const owners = 10_000
	for _, workers := range []int{0, 1, 2, 4} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			e, _ := steady(b, owners, workers)
			b.ReportAllocs()
			for b.Loop() {
				e.Tick(time.Second)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/owners, "ns/event")
		})
	}
}

// BenchmarkCrossIndex measures the cost of source limits and auras: indexing events, a buff that
// evicts another one, a source that leaves 10,000 owners of which one has its buff, and a search
// of an aura with 100 members.
func BenchmarkCrossIndex(b *testing.B) {
	const owners = 10_000
	cat := catalogOf(b,
		buff.Spec{ID: "venom", Kind: define.Infinite, Period: time.Second},
		share("mark", 1),
		buff.Spec{ID: "curse", Kind: define.Infinite, OnSourceGone: define.FateRemove},
		buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: beacon()},
		buff.Spec{ID: "light", Kind: define.Infinite},
	)
	world := func(b *testing.B) *engine.Engine {
		e := open(b, engine.Options{Catalog: cat, Synchronous: true, Members: func(_ engine.AuraQuery, found func(buff.OwnerID)) {
			for id := range buff.OwnerID(100) {
				found(id)
			}
		}})
		for id := range buff.OwnerID(owners) {
			spawn(b, e, id)
		}
		return e
	}
	b.Run("10000 pulses", func(b *testing.B) {
		e := world(b)
		for id := range buff.OwnerID(owners) {
			add(b, e, id, cat.Spec("venom"))
		}
		for b.Loop() {
			e.Tick(time.Second)
		}
	})
	b.Run("mark", func(b *testing.B) {
		e := world(b)
		for i := buff.OwnerID(0); b.Loop(); i++ {
			e.AddBuff(i%owners, buff.Application{Spec: cat.Spec("mark"), Source: 7})
			e.Tick(0)
		}
	})
	b.Run("LoseSource", func(b *testing.B) {
		e := world(b)
		for i := buff.OwnerID(0); b.Loop(); i++ {
			e.AddBuff(i%owners, buff.Application{Spec: cat.Spec("curse"), Source: 7})
			_ = e.Do(buff.LoseSource(7)).Failure
			e.Tick(0)
		}
	})
	b.Run("look", func(b *testing.B) {
		e := world(b)
		add(b, e, 1, cat.Spec("beacon"))
		for b.Loop() {
			e.Tick(500 * time.Millisecond)
		}
	})
}
