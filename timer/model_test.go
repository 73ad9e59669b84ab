package timer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/timer"
)

// The model test makes random calls on a Clock and on package time, in a bubble, from several
// goroutines, and compares each result and the time of each callback.
//
//	go test ./timer -run TestP61_Model -long=500
const (
	modelSeeds      = 20
	modelGoroutines = 4
	modelTimers     = 16 // for each goroutine
)

// rung is a callback of a timer, with its time.
type rung struct {
	at time.Duration
	id int
}

// book records the callbacks of one side.
type book struct {
	mu    sync.Mutex
	start time.Time
	rungs []rung
	again map[int]int // number of callbacks of each timer so far
}

func newBook(start time.Time) *book { return &book{start: start, again: map[int]int{}} }

// ring records a callback. If the callback should reset its own timer, ring returns the delay,
// which is the same on both sides.
func (b *book) ring(id int, seed uint64) (d time.Duration, reset bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := time.Since(b.start)
	b.rungs = append(b.rungs, rung{at, id})
	b.again[id]++
	dice := rand.New(rand.NewPCG(seed, uint64(id)<<32|uint64(b.again[id])))
	// a timer that was due at once was set at half a millisecond
	whole := at.Truncate(time.Millisecond)
	return whole + time.Duration(dice.IntN(50)+1)*time.Millisecond - at, dice.IntN(4) == 0
}

func (b *book) sorted() []rung {
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.SortFunc(b.rungs, func(x, y rung) int {
		if x.at != y.at {
			return int(x.at - y.at)
		}
		return x.id - y.id
	})
	return b.rungs
}

// pair is a timer on each side. The lock is for callbacks that reset it.
type pair struct {
	mu   sync.Mutex
	ours stopper
	std  stopper
}

// delay returns a delay such that a timer set at half a millisecond is due at a whole
// millisecond.
func delay(dice *rand.Rand) time.Duration {
	var ms int
	switch dice.IntN(8) {
	case 0:
		return -time.Duration(dice.IntN(3)) * time.Millisecond // at once
	case 1:
		ms = dice.IntN(100_000)
	case 2:
		ms = 999 + dice.IntN(3)
	case 3:
		ms = 59_999 + dice.IntN(3)
	case 4:
		ms = dice.IntN(30 * 3_600_000)
	default:
		ms = dice.IntN(40)
	}
	return time.Duration(ms)*time.Millisecond + time.Millisecond/2
}

// TestP61_Model makes the same random calls on a Clock and on package time, and compares the
// results.
func TestP61_Model(t *testing.T) {
	ops := long.Times(20_000)
	runs := []timer.Options{{}, {Run: timer.Inline}, {Run: timer.Goroutines, Resolution: time.Millisecond / 2}, {Run: timer.Inline, Resolution: 250 * time.Microsecond}}
	for i := range uint64(modelSeeds) {
		seed := long.Seed() + i
		if !t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { model(t, seed, ops/modelSeeds, runs[i%4]) }) {
			t.Logf("repeat: go test ./timer -run 'TestP61_Model/seed=%d$' -seed %d -long=%d", seed, long.Seed(), long.Times(1))
		}
	}
}

func model(t *testing.T, seed uint64, ops int, o timer.Options) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(o)
		defer func() { _ = c.Close(context.Background()) }()
		start := time.Now()
		ours, std := newBook(start), newBook(start)
		var wg sync.WaitGroup
		for g := range modelGoroutines {
			wg.Go(func() {
				dice := rand.New(rand.NewPCG(seed, uint64(g)))
				pairs := make([]*pair, modelTimers)
				time.Sleep(time.Millisecond / 2)
				for range ops / modelGoroutines {
					k := dice.IntN(modelTimers)
					id, d := g*modelTimers+k, delay(dice)
					switch p := pairs[k]; {
					case p == nil || dice.IntN(16) == 0:
						if p != nil { // the previous timer is dropped
							p.ours.Stop()
							p.std.Stop()
						}
						p = &pair{}
						pairs[k] = p
						p.mu.Lock()
						p.ours = c.AfterFunc(d, func() {
							if d, reset := ours.ring(id, seed); reset {
								p.mu.Lock()
								p.ours.Reset(d)
								p.mu.Unlock()
							}
						})
						p.std = time.AfterFunc(d, func() {
							if d, reset := std.ring(id, seed); reset {
								p.mu.Lock()
								p.std.Reset(d)
								p.mu.Unlock()
							}
						})
						p.mu.Unlock()
					case dice.IntN(2) == 0:
						a, b := p.ours.Stop(), p.std.Stop()
						if a != b {
							t.Errorf("seed %d: Stop of %d at %v: %v, package time says %v", seed, id, time.Since(start), a, b)
						}
						continue
					default:
						a, b := p.ours.Reset(d), p.std.Reset(d)
						if a != b {
							t.Errorf("seed %d: Reset of %d at %v: %v, package time says %v", seed, id, time.Since(start), a, b)
						}
					}
					// Timers due at once must fire before the next call, because their order is
					// unspecified.
					if d <= 0 || dice.IntN(4) == 0 {
						time.Sleep(time.Duration(1+dice.IntN(60)) * time.Millisecond)
					}
					if dice.IntN(500) == 0 {
						time.Sleep(time.Duration(dice.IntN(40)) * time.Hour)
					}
				}
			})
		}
		wg.Wait()
		time.Sleep(31 * time.Hour) // all waiting timers fire, and sometimes reset themselves
		synctest.Wait()
		want, got := std.sorted(), ours.sorted()
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				t.Fatalf("seed %d: callback %d is of timer %d at %v, package time's of %d at %v", seed, i, got[i].id, got[i].at, want[i].id, want[i].at)
			}
		}
		require.Len(t, got, len(want))
		require.NoError(t, c.Close(context.Background()))
	})
}
