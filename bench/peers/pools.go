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

// way is one way to let workers handle a message for each player. The function "close" releases the
// resources of the way.
type way struct {
	name  string
	frame func()
	close func()
}

// newWays returns all ways for the given number of players. The first of them is our own. A frame
// handles one message for each player.
func newWays(players int, handle func(player int)) []way {
	return []way{
		pumps(players, handle), goroutines(players, handle), antsSubmits(players, handle),
		ponds(players, handle), concs(players, handle),
	}
}

// handler returns a handler that runs spin with the given number of turns. The handler uses
// separate memory for each player.
func handler(players, turns int) func(int) {
	sums := make([]uint64, players*8) // a cache line for each player
	return func(player int) { sums[player*8] = spin(sums[player*8]+1, turns) }
}

// spin is work that the compiler cannot remove.
func spin(x uint64, turns int) uint64 {
	for range turns {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// turnsFor measures how many turns of spin take the given time.
func turnsFor(d time.Duration) int {
	const many = 1 << 22
	start := time.Now()
	runtime.KeepAlive(spin(1, many))
	return max(1, int(float64(many)*float64(d)/float64(time.Since(start))))
}

// pumps works like the engine: it uses mailboxes, and as many tasks in ants as there are workers.
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
			continue // the pool refused the task while its workers were returning
		}
		if home = g.Collect(home[:0], nil); len(home) != players {
			panic(fmt.Sprintf("%d of %d players were handled", len(home), players))
		}
	}, p.Release}
}

// goroutines starts a goroutine for each message.
func goroutines(players int, handle func(int)) way {
	return way{"go", func() {
		var wg sync.WaitGroup
		for i := range players {
			wg.Go(func() { handle(i) })
		}
		wg.Wait()
	}, func() {}}
}

// antsSubmits calls Submit for each message. The submitter blocks while all workers are busy.
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

// ponds submits a task for each message to a pool of package pond.
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

// concs creates a pool in each frame, because a pool cannot be used again after Wait.
func concs(players int, handle func(int)) way {
	return way{"conc", func() {
		p := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
		for i := range players {
			p.Go(func() { handle(i) })
		}
		p.Wait()
	}, func() {}}
}
