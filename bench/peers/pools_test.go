package peers

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"

	"github.com/bufftick/bufftick/actor"
)

// BenchmarkPools brings one message to each of so many players and waits until all are
// handled, as a frame does; a handler takes 0.1, 1 or 10 µs. The mailboxes keep the order of a
// player's messages and never let two of its handlers meet. The others do not: for them the
// players are different in each frame, so that they need not, and a second message to one
// player would need a lock and come in any order.
//
// All have as many workers as there are processors, and take their turns: a round of the
// benchmark lets each play a frame, and then the next. The metrics are the ns for each
// message, of a row, and how many times those of the mailboxes that is.
func BenchmarkPools(b *testing.B) {
	for _, work := range []time.Duration{100, time.Microsecond, 10 * time.Microsecond} {
		for _, players := range []int{16, 256, 4096} {
			b.Run(fmt.Sprintf("work=%v/players=%d", work, players), func(b *testing.B) {
				inTurn(b, players, turnsFor(work))
			})
		}
	}
}

// way is one way to have f(0) … f(n-1) called by workers.
type way struct {
	name  string
	frame func()
}

func inTurn(b *testing.B, players, turns int) {
	sums := make([]uint64, players*8) // a line of the cache for each
	handle := func(player int) { sums[player*8] = spin(sums[player*8]+1, turns) }
	ways := []way{
		pumps(b, players, handle), goroutines(players, handle), antsSubmits(b, players, handle),
		ponds(b, players, handle), concs(players, handle),
	}
	took := make([]time.Duration, len(ways))
	for _, w := range ways {
		w.frame()
	}
	b.ResetTimer()
	for range b.N {
		for i, w := range ways {
			start := time.Now()
			w.frame()
			took[i] += time.Since(start)
		}
	}
	for i, w := range ways {
		ns := float64(took[i].Nanoseconds()) / float64(b.N) / float64(players)
		b.ReportMetric(ns, w.name+"-ns/message")
		if i > 0 {
			b.ReportMetric(float64(took[i])/float64(took[0]), w.name+"-times")
		}
	}
}

// spin is work that nobody can leave out.
func spin(x uint64, turns int) uint64 {
	for range turns {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// turnsFor measures how many turns of spin take so long.
func turnsFor(d time.Duration) int {
	const many = 1 << 22
	start := time.Now()
	runtime.KeepAlive(spin(1, many))
	return max(1, int(float64(many)*float64(d)/float64(time.Since(start))))
}

// pumps is how the engine does it: mailboxes, and as many tasks in ants as there are workers.
func pumps(b *testing.B, players int, handle func(int)) way {
	workers := runtime.GOMAXPROCS(0)
	p, err := ants.NewPool(2*workers, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.Release)
	g := actor.NewGroup(actor.Options[int, int]{
		Pool: p, Pumps: workers, Limit: 8,
		Handle: func(_ int, box *actor.Mailbox[int, int]) {
			for _, ok := box.Next(); ok; _, ok = box.Next() {
				handle(box.Owner)
			}
		},
	})
	boxes := make([]actor.Mailbox[int, int], players)
	for i := range boxes {
		boxes[i].Owner = i
	}
	var home []*actor.Mailbox[int, int]
	return way{"pumps", func() {
		for i := range boxes {
			if err := g.Send(&boxes[i], 1); err != nil {
				b.Fatal(err)
			}
		}
		g.Start()
		for !g.Wait(nil) {
			continue // the pool refused while its workers came to rest
		}
		if home = g.Collect(home[:0]); len(home) != players {
			b.Fatalf("%d of %d players came home", len(home), players)
		}
	}}
}

// goroutines starts one for each message.
func goroutines(players int, handle func(int)) way {
	return way{"go", func() {
		var wg sync.WaitGroup
		for i := range players {
			wg.Go(func() { handle(i) })
		}
		wg.Wait()
	}}
}

// antsSubmits is one Submit for each message; the submitter waits while all are busy.
func antsSubmits(b *testing.B, players int, handle func(int)) way {
	p, err := ants.NewPool(runtime.GOMAXPROCS(0), ants.WithDisablePurge(true))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.Release)
	return way{"ants-submit", func() {
		var wg sync.WaitGroup
		wg.Add(players)
		for i := range players {
			if err := p.Submit(func() { handle(i); wg.Done() }); err != nil {
				b.Fatal(err)
			}
		}
		wg.Wait()
	}}
}

// ponds is pond's queue before its workers.
func ponds(b *testing.B, players int, handle func(int)) way {
	p := pond.NewPool(runtime.GOMAXPROCS(0), pond.WithContext(context.Background()))
	b.Cleanup(p.StopAndWait)
	return way{"pond", func() {
		var wg sync.WaitGroup
		wg.Add(players)
		for i := range players {
			if err := p.Go(func() { handle(i); wg.Done() }); err != nil {
				b.Fatal(err)
			}
		}
		wg.Wait()
	}}
}

// concs makes a pool for each frame: it cannot be used again once it was waited for.
func concs(players int, handle func(int)) way {
	return way{"conc", func() {
		p := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
		for i := range players {
			p.Go(func() { handle(i) })
		}
		p.Wait()
	}}
}
