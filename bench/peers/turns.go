package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// turns is the cost of one operation for each peer, by round. All peers are measured in each round
// (A B A B), so that the machine is in the same state for all samples of a round.
type turns struct {
	Question string
	Size     int // number of waiting timers or of messages
	Each     string
	Rows     []turnsRow // the first row is our code
}

type turnsRow struct {
	Name    string
	Samples []float64 // one sample for each round, in ns
}

// fireRounds is how many times all timers fire. Before the second and each
// later time, all timers are added again.
const fireRounds = 3

// keepInTurn measures adding, moving and removing n/10 timers while n timers wait, and then firing
// these n timers.
func keepInTurn(n, rounds int) []turns {
	out := []turns{{Question: "add"}, {Question: "move"}, {Question: "remove"}, {Question: "fire"}}
	all := make([]peer, len(peers))
	for i, p := range peers {
		all[i] = p.make(n + n/10)
		defer all[i].close()
		for q := range out {
			out[q].Rows = append(out[q].Rows, turnsRow{Name: p.name})
		}
	}
	for q := range out {
		out[q].Size, out[q].Each = n, "timer"
	}
	first, second := deadlines(n+n/10, 1), deadlines(n+n/10, 2)
	order := rand.New(rand.NewPCG(1, 3)).Perm(n / 10)
	for _, p := range all {
		for i := range n {
			p.add(i, first[i])
		}
	}
	note := func(q, i int, counts bool, f func()) {
		start := time.Now()
		f()
		if took := time.Since(start); counts {
			per := n / 10
			if q == 3 {
				per = n
			}
			out[q].Rows[i].Samples = append(out[q].Rows[i].Samples, float64(took)/float64(per))
		}
	}
	for round := range rounds + warm {
		for i, p := range all {
			counts := round >= warm
			note(0, i, counts, func() { addTenth(p, n, first) })
			note(1, i, counts, func() { moveTenth(p, n, second) })
			note(2, i, counts, func() {
				for _, k := range order {
					p.remove(n + k)
				}
			})
		}
	}
	for round := range int64(fireRounds) {
		from := round * (halfDay + 2)
		for i, p := range all {
			for k := range n {
				if round > 0 {
					p.remove(k)
					p.add(k, from+first[k])
				}
			}
			note(3, i, true, func() { fireAll(p, n, from) })
		}
	}
	return out
}

func deadlines(n int, seed uint64) []int64 {
	rng, due := rand.New(rand.NewPCG(1, seed)), make([]int64, n)
	for i := range due {
		due[i] = within12h(rng)
	}
	return due
}

// warm is the number of rounds before the measurement, in which the lists grow to their final size.
const warm = 5

func addTenth(p peer, n int, due []int64) {
	for k := n; k < n+n/10; k++ {
		p.add(k, due[k])
	}
}

func moveTenth(p peer, n int, due []int64) {
	for k := n; k < n+n/10; k++ {
		p.move(k, due[k])
	}
}

// fireAll advances by 12 h and two seconds, because otter may fire one step late.
func fireAll(p peer, n int, from int64) {
	fired := 0
	for now := from + 1; now <= from+halfDay+2; now++ {
		fired += p.advance(now)
	}
	if fired += p.settle(); fired != n {
		panic(fmt.Sprintf("peers: %d fired of %d", fired, n))
	}
}

// poolsInTurn measures frames in which one message is sent to each player.
func poolsInTurn(rounds int) []turns {
	var out []turns
	for _, work := range []time.Duration{100, time.Microsecond, 10 * time.Microsecond} {
		spins := turnsFor(work)
		for _, players := range []int{256, 4096} {
			t := turns{Question: fmt.Sprintf("dispatch, handlers of %v", work), Size: players, Each: "message"}
			ways := newWays(players, handler(players, spins))
			for _, w := range ways {
				t.Rows = append(t.Rows, turnsRow{Name: w.name})
			}
			frames := max(1, 4096/players)
			for round := range rounds + 1 {
				for i, w := range ways {
					start := time.Now()
					for range frames {
						w.frame()
					}
					if took := time.Since(start); round > 0 {
						t.Rows[i].Samples = append(t.Rows[i].Samples, float64(took)/float64(frames*players))
					}
				}
			}
			for _, w := range ways {
				w.close()
			}
			out = append(out, t)
		}
	}
	return out
}
