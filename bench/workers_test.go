package main_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

// BenchmarkHand sends four messages to each of ten thousand players and waits until all messages
// are handled. With mailboxes, the messages of a player are handled in order, and no two handlers
// of a player run at the same time. With one Submit for each message, each player needs a lock, and
// the messages of a player are handled in any order.
func BenchmarkHand(b *testing.B) {
	const players, each = 10_000, 4
	perMessage := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(players*each), "ns/message")
	}
	workers := runtime.GOMAXPROCS(0)

	b.Run("by=mailboxes", func(b *testing.B) {
		g := actor.NewGroup(actor.Options[int, int]{
			Pool: newPool(b, workers, true), Workers: workers, Limit: each,
			Handle: func(_ int, box *actor.Mailbox[int, int]) {
				for m, ok := box.Next(); ok; m, ok = box.Next() {
					box.Owner += m
				}
			},
		})
		boxes := make([]actor.Mailbox[int, int], players)
		var idle []*actor.Mailbox[int, int]
		b.ReportAllocs()
		for b.Loop() {
			for m := range each {
				for i := range boxes {
					if !g.Send(&boxes[i], m) {
						b.Fatal("a mailbox is full")
					}
				}
			}
			g.Start(-1)
			for !g.Wait(nil, true) {
				continue // the pool refused the task while its workers were returning
			}
			idle = g.Collect(idle[:0], nil)
		}
		require.Len(b, idle, players)
		perMessage(b)
	})

	b.Run("by=submits", func(b *testing.B) {
		pool := newPool(b, workers, false)
		type player struct {
			mu  sync.Mutex
			sum int
		}
		all := make([]player, players)
		var wg sync.WaitGroup
		b.ReportAllocs()
		for b.Loop() {
			wg.Add(players * each)
			for m := range each {
				for i := range all {
					err := pool.Submit(func() {
						all[i].mu.Lock()
						all[i].sum += m
						all[i].mu.Unlock()
						wg.Done()
					})
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			wg.Wait()
		}
		perMessage(b)
	})
}

func newPool(b *testing.B, workers int, nonblocking bool) *ants.Pool {
	pool, err := ants.NewPool(2*workers, ants.WithNonblocking(nonblocking), ants.WithDisablePurge(true))
	require.NoError(b, err)
	b.Cleanup(pool.Release)
	return pool
}
