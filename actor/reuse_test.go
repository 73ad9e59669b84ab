package actor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBatch_MessagesAfter checks that Wait does not wait again for the turns of an earlier,
// complete batch.
func TestBatch_MessagesAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newBatchGroup(goroutines{}, 2)
		b := newBoxes("a", "b")
		g.Batch(b[0], 1)
		g.Batch(b[1], 2)
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		_, whole := g.EndBatch()
		require.True(t, whole)
		send(t, g, b[0], 3)
		g.Start(-1)
		require.True(t, g.Wait(time.After(time.Second), true), "nobody is busy")
		requireBoxes(t, b[:1], g.Collect(nil, nil))
		requireQuiet(t, g)
	})
}

// TestBatch_MessagesWith checks that the ready list has room for mailboxes with messages sent
// between Batch and Start, together with all batched turns, each of which may be moved there.
func TestBatch_MessagesWith(t *testing.T) {
	g := newBatchGroup(inline{}, 1)
	names := make([]string, 32)
	for i := range names {
		names[i] = string(rune('A' + i))
	}
	b := newBoxes(names...)
	for _, x := range b[:16] {
		g.Batch(x, func(x *box) { x.Defer(1, false) })
	}
	for _, x := range b[16:] {
		send(t, g, x, 2)
	}
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	g.EndBatch()
	g.Collect(nil, nil)
	for i, x := range b {
		require.Equal(t, []int{1 + i/16}, x.Owner.got, "box %d", i)
	}
	requireQuiet(t, g)
}

// TestBatch_TooLate checks that Batch panics while workers may claim turns, because the list of
// turns must not change then.
func TestBatch_TooLate(t *testing.T) {
	g := newBatchGroup(inline{}, 1)
	b := newBoxes("a", "b")
	g.Batch(b[0], 1)
	g.Start(-1)
	require.Panics(t, func() { g.Batch(b[1], 2) })
	require.True(t, g.Wait(nil, true))
	_, whole := g.EndBatch()
	require.True(t, whole)
	requireQuiet(t, g)
}
