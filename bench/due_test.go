package main_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/wheel"
)

// BenchmarkDue is a frame of 50 ms in which 4,096 of a hundred thousand players have a pulse
// due, with a trivial handler. by=engine is the whole engine; by=inline is the same work
// written in place: a wheel, and a call of the handler for what fires, on the loop, without
// order between events of one instant, handles, events or isolation; by=submits is by=inline
// with one task of a pool for each event, and a lock for each player.
func BenchmarkDue(b *testing.B) {
	const due = 4096
	players := due * frames / poisons // so that 4,096 pulse in each frame
	perEvent := func(b *testing.B, events int) {
		require.Equal(b, b.N*due, events)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
	}
	for _, workers := range []int{0, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprintf("by=engine/workers=%d", workers), func(b *testing.B) {
			w := newWorld(b, players, workers)
			for f := range frames {
				for p := 1 + f; p <= w.players; p += frames {
					for range poisons {
						w.poisonAt(p)
					}
				}
				w.Tick(frame)
			}
			for range frames {
				w.Tick(frame)
			}
			events := 0
			b.ReportAllocs()
			for b.Loop() {
				events += w.Tick(frame).Len()
			}
			perEvent(b, events)
		})
	}
	type player struct {
		mu     sync.Mutex
		health int64
	}
	plain := func(b *testing.B, each func(p *player, done func())) {
		all := make([]player, players)
		timers := make([]wheel.Handle, players*poisons)
		w := wheel.New(0)
		for i := range timers {
			timers[i] = w.Add(wheel.Time(frame.Milliseconds()*int64(1+i/poisons%frames)), uint64(i))
		}
		var fired []wheel.Fired
		var wg sync.WaitGroup
		events, now, done := 0, wheel.Time(0), wg.Done
		turn := func() {
			now = now.After(frame)
			fired = w.Advance(now, fired[:0])
			wg.Add(len(fired))
			for _, f := range fired {
				each(&all[f.ID/poisons], done)
				w.Move(timers[f.ID], f.Due.After(period))
			}
			wg.Wait()
			events += len(fired)
		}
		for range frames {
			turn()
		}
		events = 0
		b.ReportAllocs()
		for b.Loop() {
			turn()
		}
		perEvent(b, events)
	}
	b.Run("by=inline", func(b *testing.B) {
		plain(b, func(p *player, done func()) { p.health--; done() })
	})
	b.Run("by=submits", func(b *testing.B) {
		pool, err := ants.NewPool(2*runtime.GOMAXPROCS(0), ants.WithDisablePurge(true))
		require.NoError(b, err)
		b.Cleanup(pool.Release)
		plain(b, func(p *player, done func()) {
			if err := pool.Submit(func() {
				p.mu.Lock()
				p.health--
				p.mu.Unlock()
				done()
			}); err != nil {
				b.Fatal(err)
			}
		})
	})
}
