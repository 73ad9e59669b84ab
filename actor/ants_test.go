package actor_test

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/internal/long"
)

var _ actor.Pool = (*ants.Pool)(nil)

// soldier is an owner that checks the messages it gets. Its fields are not atomic, so that -race
// reports a missing happens-before edge between two turns, or between a turn and the loop.
type soldier struct {
	rnd     *rand.Rand
	busy    atomic.Bool
	want    uint64 // the next expected message
	again   bool   // the last message was requeued
	faults  [4]int // overlap, gap, duplicate, wrong requeue
	repeats int
	deaths  int
	turns   int // counted by the loop, while idle
}

const (
	overlap = iota
	gap
	double
	wrongRepeat
)

// see checks that a message is the expected one.
func (s *soldier) see(m uint64) {
	switch {
	case s.again && m != s.want:
		s.faults[wrongRepeat]++
	case m > s.want:
		s.faults[gap]++
	case m < s.want:
		s.faults[double]++
	}
	s.again = false
	s.want = m + 1
}

// march is the handler. It takes messages, and at random requeues a message, stops early, panics
// or ends its goroutine.
func march(_ int, b *actor.Mailbox[*soldier, uint64]) {
	s := b.Owner
	s.turns++
	if !s.busy.CompareAndSwap(false, true) {
		s.faults[overlap]++
	}
	defer s.busy.Store(false)
	for m, ok := b.Next(); ok; m, ok = b.Next() {
		s.see(m)
		switch dice := s.rnd.IntN(2000); {
		case dice == 0:
			s.deaths++
			runtime.Goexit()
		case dice <= 4:
			s.deaths++
			panic("by lot")
		case dice <= 40:
			s.again, s.want = true, m
			s.repeats++
			b.Requeue(false)
		case dice <= 100:
			return
		}
	}
}

// army is a group of soldiers, with the messages sent to each.
type army struct {
	*actor.Group[*soldier, uint64]
	boxes []actor.Mailbox[*soldier, uint64]
	sent  []uint64
	idle  []*actor.Mailbox[*soldier, uint64]
	// calls of Handle; not atomic, so that -race detects two goroutines with the same worker
	// number
	perWorker []int
	told      []int // calls of Recovered
}

func newArmy(t *testing.T, workers, owners int) *army {
	a := &army{
		boxes:     make([]actor.Mailbox[*soldier, uint64], owners),
		sent:      make([]uint64, owners),
		perWorker: make([]int, workers),
		told:      make([]int, workers),
	}
	for i := range a.boxes {
		a.boxes[i].Owner = &soldier{rnd: rand.New(rand.NewPCG(7, uint64(i)))}
	}
	a.Group = actor.NewGroup(actor.Options[*soldier, uint64]{
		Pool: newAnts(t, workers), Workers: workers, Limit: 200,
		Handle: func(worker int, b *actor.Mailbox[*soldier, uint64]) {
			a.perWorker[worker]++
			march(worker, b)
		},
		Recovered: func(worker int, s *soldier, v any) {
			a.told[worker]++
			s.deaths--
			if s.rnd.IntN(2) == 0 {
				panic(v)
			}
		},
	})
	return a
}

// send sends n messages, half of them to only ten owners, so that there are long and short
// batches. It returns the number of accepted messages.
func (a *army) send(rnd *rand.Rand, n int) (accepted int) {
	for range n {
		i := rnd.IntN(len(a.boxes))
		if rnd.IntN(2) == 0 {
			i %= 10
		}
		if a.Send(&a.boxes[i], a.sent[i]) {
			a.sent[i]++
			accepted++
		}
		if a.boxes[i].Idle() {
			a.boxes[i].Owner.turns++ // -race reports this if the turn did not happen before
		}
	}
	return accepted
}

// TestAnts_Stress sends many messages at random to workers of an ants pool. Each owner must get
// its messages in order, each exactly once, on one worker at a time.
func TestAnts_Stress(t *testing.T) {
	const workers = 8
	total := long.Times(100_000)
	a := newArmy(t, workers, 500)
	rnd := rand.New(rand.NewPCG(8, 8))
	for accepted := 0; accepted < total; {
		accepted += a.send(rnd, rnd.IntN(4000))
		a.Start(-1)
		if rnd.IntN(2) == 0 {
			a.Wait(passed(), true)
		} else {
			finishAll(a.Group)
		}
		a.idle = a.Collect(a.idle[:0], nil)
		for _, b := range a.idle {
			require.False(t, b.Owner.busy.Load(), "idle, but in a handler")
		}
	}
	for a.Stats().Running+a.Stats().Staged > 0 {
		a.Start(-1)
		finishAll(a.Group)
		a.idle = a.Collect(a.idle[:0], nil)
	}

	repeats := 0
	for i := range a.boxes {
		s := a.boxes[i].Owner
		require.Equal(t, [4]int{}, s.faults, "owner %d: overlaps, gaps, doubles, wrong repeats", i)
		require.Equal(t, a.sent[i], s.want, "owner %d: sent and handled", i)
		require.Zero(t, s.deaths, "owner %d: each fault is reported once", i)
		repeats += s.repeats
	}
	requireQuiet(t, a.Group)
	s := a.Stats()
	require.GreaterOrEqual(t, s.Handled, uint64(total))
	var turns, told int
	for i := range workers {
		turns += a.perWorker[i]
		told += a.told[i]
	}
	require.EqualValues(t, s.Turns, turns)
	require.EqualValues(t, s.Panics+s.Exits, told)
	require.NotZero(t, s.Panics)
	require.NotZero(t, s.Exits)
	require.NotZero(t, s.HookPanics)
	require.NotZero(t, repeats)
	t.Logf("%+v, put back %d", s, repeats)
}

// TestStart_NoLostWakeUp lets each Start race with the end of the worker of the previous Start.
// Wait would never return if a worker could end without seeing the new work, or if the loop could
// add work without seeing that the worker has ended.
func TestStart_NoLostWakeUp(t *testing.T) {
	rounds := long.Times(5_000)
	for _, workers := range []int{1, 2} {
		g := newGroup(newAnts(t, workers), workers, func(_ int, b *box) {
			for _, ok := b.Next(); ok; _, ok = b.Next() {
				continue
			}
		})
		b := newBoxes("a", "b", "c")
		var idle []*box
		for i := range rounds {
			for _, x := range b {
				send(t, g, x, i)
				g.Start(-1)
			}
			finishAll(g)
			idle = g.Collect(idle[:0], nil)
			require.Len(t, idle, len(b))
		}
		requireQuiet(t, g)
	}
}

// TestAnts_ReleasedPool checks that a released ants pool refuses tasks, and that Wait then returns
// false.
func TestAnts_ReleasedPool(t *testing.T) {
	pool, err := ants.NewPool(4, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	require.NoError(t, err)
	g := newGroup(pool, 2, takeAll)
	b := newBoxes("a")
	send(t, g, b[0], 1)
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	g.Collect(nil, nil)
	require.NoError(t, pool.ReleaseTimeout(time.Minute))

	send(t, g, b[0], 2)
	g.Start(-1)
	require.False(t, g.Wait(nil, true))
	require.Empty(t, g.Collect(nil, nil))
	require.EqualValues(t, 2, g.Stats().Refused)
	require.Equal(t, []int{1}, b[0].Owner.got)
}

// TestAnts_FullPool checks that a pool that is full of other work, or whose goroutines exit
// slowly, delays the workers but loses no work.
func TestAnts_FullPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := ants.NewPool(2, ants.WithNonblocking(true), ants.WithDisablePurge(true))
		require.NoError(t, err)
		defer func() { require.NoError(t, pool.ReleaseTimeout(time.Minute)) }()
		for range 2 {
			require.NoError(t, pool.Submit(func() { time.Sleep(time.Second) }))
		}
		g := newGroup(pool, 2, takeAll)
		b := newBoxes("a", "b", "c")
		for frame := range 3 {
			for _, x := range b {
				send(t, g, x, frame)
			}
			g.Start(-1)
			require.False(t, g.Wait(time.After(100*time.Millisecond), true))
			require.Empty(t, g.Collect(nil, nil))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, b, g.Collect(nil, nil))
		synctest.Wait() // the pool has no spare room, so let its goroutines become idle
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, b, g.Collect(nil, nil))
		for _, x := range b {
			require.Equal(t, []int{0, 1, 2}, x.Owner.got)
		}
		requireQuiet(t, g)
	})
}
