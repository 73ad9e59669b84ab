package actor_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/bufftick/bufftick/actor"
)

var benchSizes = []int{1, 100, 10_000, 100_000}

const perBox = 4

// BenchmarkFrame sends perBox messages to each mailbox, starts them, waits and collects. The
// handler only adds numbers, so the result is the overhead of the package.
func BenchmarkFrame(b *testing.B) {
	workers := runtime.GOMAXPROCS(0)
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("inline/boxes=%d", n), func(b *testing.B) { benchFrame(b, inline{}, 1, n) })
		b.Run(fmt.Sprintf("ants/boxes=%d", n), func(b *testing.B) { benchFrame(b, newAnts(b, workers), workers, n) })
	}
}

func benchFrame(b *testing.B, pool actor.Pool, workers, n int) {
	g := actor.NewGroup(actor.Options[int, int]{
		Pool: pool, Workers: workers, Limit: perBox,
		Handle: func(_ int, box *actor.Mailbox[int, int]) {
			for m, ok := box.Next(); ok; m, ok = box.Next() {
				box.Owner += m
			}
		},
	})
	boxes := make([]actor.Mailbox[int, int], n)
	var idle []*actor.Mailbox[int, int]
	frame := func() {
		for m := range perBox {
			for i := range boxes {
				if !g.Send(&boxes[i], m) {
					b.Fatal("mailbox full")
				}
			}
		}
		g.Start(-1)
		finishAll(g)
		idle = g.Collect(idle[:0], nil)
	}
	frame()
	b.ReportAllocs()
	for b.Loop() {
		frame()
	}
	perMessage(b, n)
}

func perMessage(b *testing.B, boxes int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(boxes*perBox), "ns/message")
}
