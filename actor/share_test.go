package actor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

// TestBatch_Share checks that other workers run the rest of a share if an owner in it hangs.
func TestBatch_Share(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		g := newBatchGroup(goroutines{}, 2)
		gate := make(chan struct{})
		boxes := make([]*box, n)
		for k := range boxes {
			boxes[k] = newBoxes("x")[0]
			if k == 0 {
				g.Batch(boxes[k], func(*box) { <-gate })
				continue
			}
			g.Batch(boxes[k], k)
		}
		g.Start(-1)
		synctest.Wait()
		for k, b := range boxes[1:] {
			require.Equal(t, []int{k + 1}, b.Owner.got)
		}
		require.False(t, g.Wait(time.After(time.Second), false))
		left, whole := g.EndBatch()
		require.Empty(t, left)
		require.False(t, whole)
		requireHeld(t, g, boxes[0])
		close(gate)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, boxes[:1], g.Collect(nil, nil))
		requireQuiet(t, g)
	})
}

// TestBatch_ShareLeft checks that if the only worker hangs, EndBatch returns the rest of its share
// and the unclaimed turns.
func TestBatch_ShareLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, hangs = 100, 5
		g := newBatchGroup(goroutines{}, 1)
		gate := make(chan struct{})
		boxes := make([]*box, n)
		var want []int
		for k := range boxes {
			boxes[k] = newBoxes("x")[0]
			if k == hangs {
				g.Batch(boxes[k], func(*box) { <-gate })
				continue
			}
			g.Batch(boxes[k], k)
			if k > hangs {
				want = append(want, k)
			}
		}
		g.Start(-1)
		require.False(t, g.Wait(time.After(time.Second), false))
		left, whole := g.EndBatch()
		require.Equal(t, want, left)
		require.False(t, whole)
		requireHeld(t, g, boxes[hangs])
		close(gate)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, boxes[hangs:hangs+1], g.Collect(nil, nil))
		for k, b := range boxes {
			require.Equal(t, k < hangs, len(b.Owner.got) == 1, "turn %d", k)
		}
		requireQuiet(t, g)
	})
}

// TestBatch_SharesHang checks that if every worker hangs in the first turn of its share, each held
// mailbox is attributed to the right worker.
func TestBatch_SharesHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, workers = 100, 3
		for range 16 {
			g := newBatchGroup(goroutines{}, workers)
			gate := make(chan struct{})
			begun := make(chan *box, n)
			for range n {
				b := newBoxes("x")[0]
				g.Batch(b, func(*box) {
					begun <- b
					<-gate
				})
			}
			g.Start(-1)
			require.False(t, g.Wait(time.After(time.Second), false))
			left, whole := g.EndBatch()
			require.Len(t, left, n-workers)
			require.False(t, whole)
			var hang []*box
			for range workers {
				hang = append(hang, <-begun)
			}
			require.ElementsMatch(t, hang, g.Held(nil, true))
			require.ElementsMatch(t, hang, g.Held(nil, false))
			close(gate)
			require.True(t, g.Wait(nil, true))
			g.Collect(nil, nil)
			requireQuiet(t, g)
		}
	})
}

// TestBatch_ClosedDuringPrefetch ends batches while workers prefetch or run their shares. When
// EndBatch has returned, the loop may write to the owners of turns that were not started: no worker
// reads them any more, which the race detector checks.
func TestBatch_ClosedDuringPrefetch(t *testing.T) {
	const n = 100
	read := [2]int{}
	g := actor.NewGroup(actor.Options[*note, int]{
		Pool: goroutines{}, Workers: 2, Limit: 10, Handle: takeAll,
		Ahead: func(worker int, next []actor.Turn[*note, int]) {
			for i := range next {
				read[worker] += len(next[i].Arg.(*note).got)
			}
		},
		Batched: func(_ int, b *box, _ any) { b.Owner.got = append(b.Owner.got, 1) },
	})
	boxes := make([]*box, n)
	for k := range boxes {
		boxes[k] = newBoxes("x")[0]
	}
	expired := make(chan time.Time)
	close(expired)
	for range 50 {
		for _, b := range boxes {
			b.Owner.got = b.Owner.got[:0]
			g.Batch(b, b.Owner)
		}
		g.Start(-1)
		g.Wait(expired, false)
		left, _ := g.EndBatch()
		for _, k := range left {
			require.Empty(t, boxes[k].Owner.got)
			boxes[k].Owner.got = append(boxes[k].Owner.got, 2)
		}
		finishAll(g)
		g.Collect(nil, nil)
		for k, b := range boxes {
			require.Len(t, b.Owner.got, 1, "turn %d", k)
		}
		requireQuiet(t, g)
	}
}

// TestBatch_Ahead checks that Ahead is called only for turns that have not started, and at most
// once for each.
func TestBatch_Ahead(t *testing.T) {
	const n = 1000
	var seen [n]int
	var begun [n]bool
	g := actor.NewGroup(actor.Options[*note, int]{
		Pool: inline{}, Workers: 1, Limit: 1, Handle: takeAll,
		Ahead: func(_ int, next []actor.Turn[*note, int]) {
			for i := range next {
				k := next[i].Arg.(int)
				require.False(t, begun[k])
				seen[k]++
			}
		},
		Batched: func(_ int, _ *box, arg any) { begun[arg.(int)] = true },
	})
	for k := range n {
		g.Batch(newBoxes("x")[0], k)
	}
	g.Start(-1)
	finishAll(g)
	_, whole := g.EndBatch()
	require.True(t, whole)
	all := 0
	for k := range n {
		require.LessOrEqual(t, seen[k], 1)
		require.True(t, begun[k])
		all += seen[k]
	}
	require.Greater(t, all, n*9/10)
}
