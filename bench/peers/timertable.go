package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// timerOps is the number of calls per sample, divided among the goroutines.
const timerOps = 200_000

// timerRows are the operations that are measured, in this order, while timers of one to two hours
// are pending. Each goroutine uses its own timer numbers. The operation "stop" stops the timers
// that "add" has added, the oldest first.
var timerRows = []struct {
	name string
	do   func(p realTime, rng *rand.Rand, mine, fresh, k int)
}{
	{"add", func(p realTime, rng *rand.Rand, _, fresh, k int) { p.add(fresh+k, oneToTwoHours(rng)) }},
	{"stop", func(p realTime, _ *rand.Rand, _, fresh, k int) { p.stop(fresh + k) }},
	{"add and stop", func(p realTime, _ *rand.Rand, _, fresh, _ int) { p.add(fresh, 30*time.Minute); p.stop(fresh) }},
	{"reset", func(p realTime, rng *rand.Rand, mine, _, _ int) { p.reset(rng.IntN(mine), 3*time.Hour) }},
}

func oneToTwoHours(rng *rand.Rand) time.Duration {
	return time.Hour + time.Duration(rng.Int64N(int64(time.Hour)))
}

// timerTable measures all rows with the given number of pending timers, in alternating rounds. It
// prints a Markdown table. Each value is the processor time per call in ns, as the median over the
// rounds.
func timerTable(w io.Writer, pending, rounds int, names []string) {
	samples := map[string][]float64{}
	for range rounds {
		for _, r := range realTimes {
			if slices.Contains(names, r.name) {
				timerRound(r.name, r.make, pending, samples)
			}
		}
	}
	fmt.Fprintf(w, "%d pending, %d rounds, %d calls each, %d processors, %s\n\n", pending, rounds, timerOps, runtime.GOMAXPROCS(0), runtime.Version())
	fmt.Fprintf(w, "| | goroutines | %s |\n|---|---:|%s\n", strings.Join(names, " | "), strings.Repeat("---:|", len(names)))
	rows := []string{}
	for _, op := range timerRows {
		rows = append(rows, op.name)
	}
	for _, row := range append(rows, "fire") {
		for _, g := range []int{1, 2, 8} {
			fmt.Fprintf(w, "| %s | %d |", row, g)
			for _, name := range names {
				fmt.Fprintf(w, " %s |", median(samples[fmt.Sprint(row, g, name)]))
			}
			fmt.Fprintln(w)
		}
	}
}

func median(s []float64) string {
	if len(s) == 0 {
		return "–"
	}
	slices.Sort(s)
	return fmt.Sprintf("%.0f", s[len(s)/2])
}

// maxFired limits the number of timers of the standard package time that fire within a second. Each
// of these timers starts a goroutine, and ten million goroutines needed more than 24 GB of memory.
const maxFired = 1_000_000

// timerRound measures all rows of one rival with 1, 2 and 8 goroutines.
func timerRound(name string, start func(int, func()) realTime, pending int, samples map[string][]float64) {
	p := start(pending+timerOps, func() {})
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range pending {
		p.add(k, oneToTwoHours(rng))
	}
	for _, g := range []int{1, 2, 8} {
		for _, op := range timerRows {
			runtime.GC()
			began := cpu()
			byGoroutines(g, func(i int) {
				rng := rand.New(rand.NewPCG(3, uint64(i)))
				for k := range timerOps / g {
					op.do(p, rng, pending, pending+i*(timerOps/g), k)
				}
			})
			samples[fmt.Sprint(op.name, g, name)] = append(samples[fmt.Sprint(op.name, g, name)], float64(cpu()-began)/timerOps)
		}
	}
	p.end()
	for _, g := range []int{1, 2, 8} {
		if pending > maxFired && name == "time" {
			break
		}
		key := fmt.Sprint("fire", g, name)
		samples[key] = append(samples[key], fireRound(start, pending, g))
	}
}

func byGoroutines(g int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range g {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// fireRound adds the given number of timers, which are due one to two seconds later, and waits
// until all of them have fired.
func fireRound(start func(int, func()) realTime, many, g int) float64 {
	var left atomic.Int64
	left.Store(int64(many / g * g))
	done := make(chan struct{})
	p := start(many, func() {
		if left.Add(-1) == 0 {
			close(done)
		}
	})
	defer p.end()
	runtime.GC()
	began := cpu()
	byGoroutines(g, func(i int) {
		for k := range many / g {
			p.add(i*(many/g)+k, time.Second+time.Duration(k)*time.Second/time.Duration(many/g))
		}
	})
	for ring := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case <-ring.C:
			p.step()
		case <-done:
			ring.Stop()
			return float64(cpu()-began) / float64(many)
		}
	}
}

// timeoutTable measures a request with a timeout of one second. It runs a million requests, a
// hundred thousand of which are in progress at a time. One request in a hundred times out.
func timeoutTable(w io.Writer, rounds int, names []string) {
	const requests, under = 1_000_000, 100_000
	samples := map[string][]float64{}
	for range rounds {
		for _, r := range realTimes {
			if !slices.Contains(names, r.name) {
				continue
			}
			p := r.make(requests, func() {})
			runtime.GC()
			began := cpu()
			for k := range requests {
				if k >= under && k%100 != 0 {
					p.stop(k - under)
				}
				p.add(k, time.Second)
			}
			samples[r.name] = append(samples[r.name], float64(cpu()-began)/requests)
			p.end()
		}
	}
	fmt.Fprintf(w, "\n%d requests with a timeout, 99 of 100 stopped, %d in progress, %d rounds\n\n", requests, under, rounds)
	fmt.Fprintf(w, "| | %s |\n|---|%s\n| one request |", strings.Join(names, " | "), strings.Repeat("---:|", len(names)))
	for _, name := range names {
		fmt.Fprintf(w, " %s |", median(samples[name]))
	}
	fmt.Fprintln(w)
}
