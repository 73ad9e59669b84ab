package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"

	"github.com/bufftick/bufftick/actor"
)

// way is one way to have f(0) … f(n-1) called by workers. What it holds is let go by close.
type way struct {
	name  string
	frame func()
	close func()
}

// newWays returns all of them, ours first, for so many players. Each handles a message of
// each player in a frame.
func newWays(players int, handle func(player int)) []way {
	return []way{
		pumps(players, handle), goroutines(players, handle), antsSubmits(players, handle),
		ponds(players, handle), concs(players, handle),
	}
}

// handler is a handler that turns so often, on memory of the player's own.
func handler(players, turns int) func(int) {
	sums := make([]uint64, players*8) // a line of the cache for each
	return func(player int) { sums[player*8] = spin(sums[player*8]+1, turns) }
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
func pumps(players int, handle func(int)) way {
	workers := runtime.GOMAXPROCS(0)
	p, err := ants.NewPool(2*workers, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	if err != nil {
		panic(err)
	}
	g := actor.NewGroup(actor.Options[int, int]{
		Pool: p, Workers: workers, Limit: 8,
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
			if !g.Send(&boxes[i], 1) {
				panic("a mailbox is full")
			}
		}
		g.Start(-1)
		for !g.Wait(nil, true) {
			continue // the pool refused while its workers came to rest
		}
		if home = g.Collect(home[:0], nil); len(home) != players {
			panic(fmt.Sprintf("%d of %d players came home", len(home), players))
		}
	}, p.Release}
}

// goroutines starts one for each message.
func goroutines(players int, handle func(int)) way {
	return way{"go", func() {
		var wg sync.WaitGroup
		for i := range players {
			wg.Go(func() { handle(i) })
		}
		wg.Wait()
	}, func() {}}
}

// antsSubmits is one Submit for each message; the submitter waits while all are busy.
func antsSubmits(players int, handle func(int)) way {
	p, err := ants.NewPool(runtime.GOMAXPROCS(0), ants.WithDisablePurge(true))
	if err != nil {
		panic(err)
	}
	return way{"ants-submit", func() {
		var wg sync.WaitGroup
		wg.Add(players)
		for i := range players {
			if err := p.Submit(func() { handle(i); wg.Done() }); err != nil {
				panic(err)
			}
		}
		wg.Wait()
	}, p.Release}
}

// ponds is pond's queue before its workers.
func ponds(players int, handle func(int)) way {
	p := pond.NewPool(runtime.GOMAXPROCS(0), pond.WithContext(context.Background()))
	return way{"pond", func() {
		var wg sync.WaitGroup
		wg.Add(players)
		for i := range players {
			if err := p.Go(func() { handle(i); wg.Done() }); err != nil {
				panic(err)
			}
		}
		wg.Wait()
	}, p.StopAndWait}
}

// concs makes a pool for each frame: it cannot be used again once it was waited for.
func concs(players int, handle func(int)) way {
	return way{"conc", func() {
		p := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
		for i := range players {
			p.Go(func() { handle(i) })
		}
		p.Wait()
	}, func() {}}
}
