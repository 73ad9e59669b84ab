package actor

import (
	"errors"
	"math"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
)

// TestLimit_Greatest checks that the largest and smallest Options.Limit are allowed.
func TestLimit_Greatest(t *testing.T) {
	for _, limit := range []int{1, math.MaxInt32} {
		g := NewGroup(Options[int, int]{Pool: onLoop{}, Workers: 1, Limit: limit, Handle: drain[int, int]})
		require.True(t, g.Send(&Mailbox[int, int]{}, 1))
	}
}

// TestQuiet_CountsAll checks that a group is not quiet with equal numbers of running and staged
// mailboxes.
func TestQuiet_CountsAll(t *testing.T) {
	var worker func()
	g := NewGroup(Options[int, int]{Pool: poolFunc(func(task func()) { worker = task }), Workers: 1, Limit: 10, Handle: drain[int, int]})
	require.True(t, g.Quiet())
	var one, other Mailbox[int, int]
	require.True(t, g.Send(&one, 1))
	require.False(t, g.Quiet(), "one is staged")
	g.Start(-1)
	require.False(t, g.Quiet(), "one is away")
	require.True(t, g.Send(&other, 1))
	require.False(t, g.Quiet(), "one is staged and one is running")
	worker()
	require.Len(t, g.Collect(nil, nil), 1)
	require.False(t, g.Quiet())
	g.Start(-1)
	worker()
	require.Len(t, g.Collect(nil, nil), 1)
	require.True(t, g.Quiet())
}

// TestPark_ReleasesMessages sends messages to a running mailbox that then parks. Once the
// messages have been handled, they must not be kept alive.
func TestPark_ReleasesMessages(t *testing.T) {
	type thing struct{ _ [64]byte }
	var worker func()
	parks := true
	g := NewGroup(Options[int, *thing]{
		Pool: poolFunc(func(task func()) { worker = task }), Workers: 1, Limit: 100, Handle: func(_ int, b *Mailbox[int, *thing]) {
			for _, ok := b.Next(); ok; _, ok = b.Next() {
				if parks {
					b.Requeue(true)
				}
			}
		},
	})
	box := &Mailbox[int, *thing]{}
	var kept []weak.Pointer[thing]
	send := func() {
		m := new(thing)
		kept = append(kept, weak.Make(m))
		require.True(t, g.Send(box, m))
	}
	for range 10 {
		send()
	}
	g.Start(-1)
	for range 10 {
		send() // the mailbox is running
	}
	worker()
	require.Len(t, g.Collect(nil, nil), 1)
	require.Equal(t, 20, box.Len())
	parks = false
	g.Start(-1)
	worker()
	require.Len(t, g.Collect(nil, nil), 1)
	require.Zero(t, box.Len())
	runtime.GC()
	for k, m := range kept {
		require.True(t, m.Value() == nil, "message %d", k)
	}
	runtime.KeepAlive(box)
	runtime.KeepAlive(g)
}

// TestShrink_LeavesRoom checks that a list that was shrunk to n can hold n entries without
// growing, and that lists below the bound are not changed.
func TestShrink_LeavesRoom(t *testing.T) {
	const n = 16
	g := NewGroup(Options[int, int]{Pool: onLoop{}, Workers: 1, Limit: 1, Handle: drain[int, int]})
	boxes := make([]Mailbox[int, int], 100*n)
	var home []*Mailbox[int, int]
	frame := func(many int) {
		for k := range many {
			if !g.Send(&boxes[k], 0) {
				panic("a mailbox is full")
			}
		}
		g.Start(-1)
		home = g.Collect(home[:0], nil)
	}
	frame(len(boxes)) // all boxes have their buffers
	g.Shrink(n)
	require.Less(t, len(g.ready.ring), 4*n)
	require.GreaterOrEqual(t, len(g.ready.ring), n)
	require.GreaterOrEqual(t, cap(g.running), n)
	require.GreaterOrEqual(t, cap(g.staged), n)

	// The ring has a power-of-two size, so 4 n entries do not exceed the bound.
	frame(4 * n)
	require.Len(t, g.ready.ring, 4*n)
	g.Shrink(n)
	require.Len(t, g.ready.ring, 4*n)
	g.Shrink(n - 1)
	require.Len(t, g.ready.ring, n)
}

type poolOr func(task func()) error

func (f poolOr) Submit(task func()) error { return f(task) }

// TestBatch_SingleTurn checks that a worker without work checks once more for work before it
// ends, and runs a single batched turn that the loop has added in the meantime. The pool has
// refused, so there is no other worker.
func TestBatch_SingleTurn(t *testing.T) {
	var tasks []func()
	full, did := false, 0
	g := NewGroup(Options[int, int]{
		Pool: poolOr(func(task func()) error {
			if full {
				return errors.New("full")
			}
			tasks = append(tasks, task)
			return nil
		}),
		Workers: 2, Limit: 10, Handle: drain[int, int], Batched: func(int, *Mailbox[int, int], any) { did++ },
	})
	var one, other Mailbox[int, int]
	require.True(t, g.Send(&one, 1))
	require.True(t, g.Send(&other, 1))
	g.Start(-1)
	require.Len(t, tasks, 2)
	tasks[0]() // the worker handles both
	require.Len(t, g.Collect(nil, nil), 2)

	const late = 1 // the worker whose task the pool has not started
	require.True(t, g.enter(late))
	g.runBatch(late)
	full = true
	g.Batch(&one, nil)
	g.Start(-1)
	box, more := g.next(late, nil)
	require.Nil(t, box)
	require.True(t, more)
	g.runBatch(late)
	require.Equal(t, 1, did)
	_, more = g.next(late, nil)
	require.False(t, more)
	require.True(t, g.Wait(nil, true))
	_, whole := g.EndBatch()
	require.True(t, whole)
}
