package actor_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/internal/long"
)

// newBatchGroup returns a group whose batched turns call their argument if it is a func(*box),
// and record it if it is an int. Messages are recorded too.
func newBatchGroup(pool actor.Pool, workers int) *group {
	return actor.NewGroup(actor.Options[*note, int]{
		Pool: pool, Workers: workers, Limit: 1000, Handle: takeAll,
		Batched: func(_ int, b *box, arg any) {
			if act, ok := arg.(func(*box)); ok {
				act(b)
				return
			}
			b.Owner.got = append(b.Owner.got, arg.(int))
		},
	})
}

// TestBatch checks that a mailbox is idle before, during and after a batched turn.
func TestBatch(t *testing.T) {
	for _, workers := range []int{1, 3} {
		g := newBatchGroup(goroutines{}, workers)
		boxes := newBoxes("a", "b", "c", "d", "e")
		for round := range 20 {
			require.True(t, g.Quiet())
			for k, b := range boxes {
				g.Batch(b, 10*round+k)
			}
			require.False(t, g.Quiet())
			g.Start(-1)
			finishAll(g)
			left, whole := g.EndBatch()
			require.Empty(t, left)
			require.True(t, whole)
			require.Empty(t, g.Collect(nil, nil))
		}
		for k, b := range boxes {
			require.True(t, b.Idle())
			require.Zero(t, b.Len())
			require.Len(t, b.Owner.got, 20)
			require.Equal(t, 190+k, b.Owner.got[19])
		}
		requireQuiet(t, g)
	}
}

// TestBatch_Defers checks that a message deferred by a batched turn is handled after the other
// turns, that its mailbox is collected in start order, and that a mailbox that parks is staged.
func TestBatch_Defers(t *testing.T) {
	g := newBatchGroup(inline{}, 1)
	b := newBoxes("a", "b", "c")
	g.Batch(b[0], func(b *box) {
		b.Defer(7, false)
		require.Panics(t, func() { b.Defer(8, false) }, "twice")
	})
	g.Batch(b[1], func(b *box) { b.Defer(9, true) })
	g.Batch(b[2], 3)
	require.Panics(t, func() { b[2].Defer(1, false) }, "outside")
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	left, whole := g.EndBatch()
	require.Empty(t, left)
	require.False(t, whole)
	require.False(t, b[0].Idle())
	require.False(t, b[1].Idle())
	require.True(t, b[2].Idle())
	require.Equal(t, []int{7}, b[0].Owner.got)
	require.Empty(t, b[1].Owner.got)
	requireBoxes(t, b[:2], g.Collect(nil, nil))
	require.Equal(t, 1, b[1].Len())
	require.Equal(t, 1, g.Stats().Staged)
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	requireBoxes(t, b[1:2], g.Collect(nil, nil))
	require.Equal(t, []int{9}, b[1].Owner.got)
	requireQuiet(t, g)
}

// TestBatch_Held checks that a mailbox whose batched turn hangs is running after EndBatch, as if
// it had a message. The loop does not wait for it again, and turns that were not started never
// run.
func TestBatch_Held(t *testing.T) {
	for _, keeps := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := newBatchGroup(goroutines{}, 1)
			b := newBoxes("a", "b", "c", "d")
			gate := make(chan struct{})
			g.Batch(b[0], 1)
			g.Batch(b[1], func(b *box) {
				<-gate
				if keeps {
					b.Defer(5, false)
				}
			})
			g.Batch(b[2], 2)
			g.Start(-1)
			require.False(t, g.Wait(time.After(time.Second), false))
			left, whole := g.EndBatch()
			require.Equal(t, []int{2}, left)
			require.False(t, whole)
			require.Empty(t, g.Collect(nil, nil))
			require.True(t, b[0].Idle())
			require.False(t, b[1].Idle())
			require.True(t, b[2].Idle())
			requireHeld(t, g, b[1])
			require.Equal(t, 1, b[1].Len())
			require.Equal(t, 1, g.Stats().Pending)
			require.Panics(t, func() { g.Batch(b[0], 1) }, "somebody is running")

			send(t, g, b[1], 6)
			send(t, g, b[3], 8)
			require.Equal(t, 2, b[1].Len())
			g.Start(-1)
			require.False(t, g.Wait(time.After(time.Second), false), "the only worker hangs")
			close(gate)
			require.True(t, g.Wait(nil, true))
			requireBoxes(t, []*box{b[1], b[3]}, g.Collect(nil, nil))
			require.Equal(t, 1, g.Stats().Staged, "b has another message")
			g.Start(-1)
			require.True(t, g.Wait(nil, true))
			requireBoxes(t, b[1:2], g.Collect(nil, nil))
			want := []int{6}
			if keeps {
				want = []int{5, 6}
			}
			require.Equal(t, want, b[1].Owner.got)
			require.Equal(t, []int{8}, b[3].Owner.got)
			require.Empty(t, b[2].Owner.got)
			requireQuiet(t, g)
		})
	}
}

// TestBatch_HangDelaysOneFrame checks that an owner that hangs in a batched turn delays the loop
// only in one frame.
func TestBatch_HangDelaysOneFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newBatchGroup(goroutines{}, 2)
		b := newBoxes("a", "b")
		gate := make(chan struct{})
		g.Batch(b[0], func(*box) { <-gate })
		g.Batch(b[1], 1)
		g.Start(-1)
		require.False(t, g.Wait(time.After(time.Second), false))
		g.EndBatch()
		began := time.Now()
		for m := range 3 {
			send(t, g, b[1], m)
			g.Start(-1)
			require.True(t, g.Wait(time.After(time.Second), false))
			requireBoxes(t, b[1:], g.Collect(nil, nil))
		}
		require.Zero(t, time.Since(began))
		close(gate)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, b[:1], g.Collect(nil, nil))
		requireQuiet(t, g)
	})
}

// TestBatch_HangThenFail checks that an owner that hangs and then fails is idle afterwards, and
// that its worker is replaced.
func TestBatch_HangThenFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newBatchGroup(goroutines{}, 2)
		b := newBoxes("a", "b", "c", "d", "e")
		gate := make(chan struct{})
		g.Batch(b[0], func(*box) { panic("at once") })
		g.Batch(b[1], func(*box) { runtime.Goexit() })
		g.Batch(b[2], func(*box) { <-gate; runtime.Goexit() })
		g.Batch(b[3], func(b *box) { b.Defer(4, false); runtime.Goexit() })
		g.Batch(b[4], 5)
		g.Start(-1)
		require.False(t, g.Wait(time.After(time.Second), false))
		left, whole := g.EndBatch()
		require.Empty(t, left)
		require.False(t, whole)
		requireBoxes(t, b[3:4], g.Collect(nil, nil))
		require.Equal(t, []int{4}, b[3].Owner.got)
		require.Equal(t, []int{5}, b[4].Owner.got)
		requireHeld(t, g, b[2])
		close(gate)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, b[2:3], g.Collect(nil, nil))
		s := g.Stats()
		require.EqualValues(t, 1, s.Panics)
		require.EqualValues(t, 3, s.Exits)
		synctest.Wait()
		require.Zero(t, g.Stats().Workers)
		requireQuiet(t, g)
	})
}

// TestBatch_Refused checks that no turn is started if the pool refuses, and that the loop is not
// blocked.
func TestBatch_Refused(t *testing.T) {
	room := false
	g := newBatchGroup(&moody{accept: func() bool { return room }, submit: inline{}.Submit}, 2)
	b := newBoxes("a", "b")
	batched := func() (left []int, whole bool) {
		g.Batch(b[0], 1)
		g.Batch(b[1], 2)
		g.Start(-1)
		require.Equal(t, room, g.Wait(nil, true))
		return g.EndBatch()
	}
	left, whole := batched()
	require.Equal(t, []int{0, 1}, left)
	require.False(t, whole)
	room = true
	left, whole = batched()
	require.Empty(t, left)
	require.True(t, whole)
	require.Equal(t, []int{1}, b[0].Owner.got)
	require.EqualValues(t, 2, g.Stats().Refused, "by Start and by Wait")
	requireQuiet(t, g)
}

// TestBatch_NoLostWakeUp checks that a batch that immediately follows another batch is run, even
// if the worker was about to end.
func TestBatch_NoLostWakeUp(t *testing.T) {
	g := newBatchGroup(goroutines{}, 1)
	b := newBoxes("a")[0]
	for round := range 20_000 {
		g.Batch(b, round)
		g.Start(-1)
		for look := 0; !g.Wait(passed(), true); look++ { // Wait does not sleep
			if look == 100 {
				finishAll(g)
			}
		}
		_, whole := g.EndBatch()
		require.True(t, whole)
	}
	require.Len(t, b.Owner.got, 20_000)
}

// TestBatch_ClaimedOnce checks that each turn is claimed by exactly one worker, for any number of
// workers.
func TestBatch_ClaimedOnce(t *testing.T) {
	var claimed [2000]atomic.Int32
	g := actor.NewGroup(actor.Options[int, int]{
		Pool: goroutines{}, Workers: 8, Limit: 1, Handle: func(int, *actor.Mailbox[int, int]) {},
		Batched: func(_ int, b *actor.Mailbox[int, int], _ any) { claimed[b.Owner].Add(1) },
	})
	boxes := make([]actor.Mailbox[int, int], len(claimed))
	for round := range int32(200) {
		for i := range boxes {
			boxes[i].Owner = i
			g.Batch(&boxes[i], nil)
		}
		g.Start(-1)
		finishAll(g)
		left, whole := g.EndBatch()
		require.Empty(t, left)
		require.True(t, whole)
		for i := range claimed {
			require.Equal(t, round+1, claimed[i].Load(), "turn %d of round %d", i, round)
		}
	}
}

// TestBatch_NoAllocation checks that a frame with batched turns does not allocate.
func TestBatch_NoAllocation(t *testing.T) {
	g := newBatchGroup(inline{}, 1)
	boxes := newBoxes("a", "b", "c")
	arg := any(func(*box) {})
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, b := range boxes {
			g.Batch(b, arg)
		}
		g.Start(-1)
		g.Wait(nil, true)
		g.EndBatch()
	}))
}

// TestBatch_Stress runs many batches with timeouts. Each started turn must run once, even if
// owners hang, fail or defer, and no owner may run on two workers at once.
func TestBatch_Stress(t *testing.T) {
	type owner struct {
		busy            atomic.Bool
		done            atomic.Int64
		begun, messages int64
	}
	enter := func(b *actor.Mailbox[*owner, int]) (leave func()) {
		require.True(t, b.Owner.busy.CompareAndSwap(false, true))
		return func() { b.Owner.busy.Store(false) }
	}
	g := actor.NewGroup(actor.Options[*owner, int]{
		Pool: goroutines{}, Workers: 3, Limit: 1 << 20,
		Handle: func(_ int, b *actor.Mailbox[*owner, int]) {
			defer enter(b)()
			for _, ok := b.Next(); ok; _, ok = b.Next() {
				b.Owner.done.Add(1)
			}
		},
		Batched: func(_ int, b *actor.Mailbox[*owner, int], arg any) {
			defer enter(b)()
			b.Owner.done.Add(1)
			switch arg.(int) % 16 {
			case 0:
				panic("a fault")
			case 1:
				runtime.Goexit()
			case 2:
				b.Defer(1, false)
			case 3:
				b.Defer(1, true)
			case 4:
				for range 2000 { // takes a while
					b.Owner.busy.Load()
				}
			}
		},
	})
	boxes := make([]*actor.Mailbox[*owner, int], 40)
	for i := range boxes {
		boxes[i] = &actor.Mailbox[*owner, int]{Owner: &owner{}}
	}
	dice := rand.New(rand.NewPCG(1, 2))
	rounds := long.Times(2000)
	split := 0
	for range rounds {
		args := make([]int, len(boxes))
		if !g.Quiet() {
			g.Start(-1)
			g.Wait(passed(), false)
			g.Collect(nil, nil)
			continue
		}
		for i, b := range boxes {
			args[i] = dice.IntN(200) // most turns do nothing unusual
			g.Batch(b, args[i])
		}
		g.Start(-1)
		if dice.IntN(2) == 0 {
			g.Wait(passed(), false)
		} else {
			g.Wait(nil, false)
		}
		left, whole := g.EndBatch()
		if !whole {
			split++
		}
		for i, b := range boxes {
			if slices.Contains(left, i) {
				continue
			}
			b.Owner.begun++
			if k := args[i] % 16; k == 2 || k == 3 {
				b.Owner.messages++
			}
		}
		g.Collect(nil, nil)
	}
	for !g.Quiet() {
		g.Start(-1)
		finishAll(g)
		g.Collect(nil, nil)
	}
	for i, b := range boxes {
		require.Equal(t, b.Owner.begun+b.Owner.messages, b.Owner.done.Load(), "owner %d", i)
	}
	require.NotZero(t, split)
	requireQuiet(t, g)
}
