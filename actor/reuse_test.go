package actor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A round of messages after a whole round of visits: the visits that are over are not waited
// for again.
func TestMessagesAfterVisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := visitors(goroutines{}, 2)
		b := newBoxes("a", "b")
		g.Visit(b[0], 1)
		g.Visit(b[1], 2)
		g.Start()
		require.True(t, g.Wait(nil))
		_, whole := g.EndVisits()
		require.True(t, whole)
		send(t, g, b[0], 3)
		g.Start()
		require.True(t, g.Wait(time.After(time.Second)), "nobody is busy")
		requireBoxes(t, b[:1], g.Collect(nil))
		requireQuiet(t, g)
	})
}

// What is sent after Visit, and before Start, has its place in the ready list beside all the
// visits, each of which may be moved there.
func TestMessagesBesideVisits(t *testing.T) {
	g := visitors(inline{}, 1)
	names := make([]string, 32)
	for i := range names {
		names[i] = string(rune('A' + i))
	}
	b := newBoxes(names...)
	for _, x := range b[:16] {
		g.Visit(x, func(x *box) { x.Keep(1, false) })
	}
	for _, x := range b[16:] {
		send(t, g, x, 2)
	}
	g.Start()
	require.True(t, g.Wait(nil))
	g.EndVisits()
	g.Collect(nil)
	for i, x := range b {
		require.Equal(t, []int{1 + i/16}, x.Owner.got, "box %d", i)
	}
	requireQuiet(t, g)
}

// While pumps may claim visits, their list must not change.
func TestVisitTooLate(t *testing.T) {
	g := visitors(inline{}, 1)
	b := newBoxes("a", "b")
	g.Visit(b[0], 1)
	g.Start()
	require.Panics(t, func() { g.Visit(b[1], 2) })
	require.True(t, g.Wait(nil))
	_, whole := g.EndVisits()
	require.True(t, whole)
	requireQuiet(t, g)
}
