package actor_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

// TestPark_Collected checks that a mailbox that parks is collected and waits for the next Start.
// It keeps its current message, the later messages and those sent in the meantime, in order.
func TestPark_Collected(t *testing.T) {
	var got []int
	var g *actor.Group[string, int]
	rest := true
	g = actor.NewGroup(actor.Options[string, int]{
		Pool: inline{}, Workers: 1, Limit: 100,
		Handle: func(_ int, box *actor.Mailbox[string, int]) {
			for m, ok := box.Next(); ok; m, ok = box.Next() {
				if m == 2 && rest {
					box.Requeue(true)
					_, more := box.Next()
					require.False(t, more, "no message follows a Requeue that parks")
					require.Panics(t, func() { box.Requeue(true) })
					require.Panics(t, func() { box.Requeue(false) })
					continue
				}
				got = append(got, m)
			}
		},
	})
	box := &actor.Mailbox[string, int]{Owner: "a"}
	for m := range 4 {
		require.True(t, g.Send(box, m))
	}
	g.Start(-1)
	require.True(t, g.Wait(nil, true), "nobody waits for it")
	require.True(t, g.Send(box, 4), "while it is running")
	require.Len(t, g.Collect(nil, nil), 1)
	require.True(t, box.Idle())
	require.Equal(t, 3, box.Len())
	require.Equal(t, 1, g.Stats().Staged)
	require.True(t, g.Send(box, 5), "while it is idle")
	require.Equal(t, []int{0, 1}, got)
	rest = false
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	require.Len(t, g.Collect(nil, nil), 1)
	require.Equal(t, []int{0, 1, 2, 3, 4, 5}, got)
	require.Zero(t, box.Len())
	s := g.Stats()
	require.Equal(t, s.Sent, s.Handled)
	require.Zero(t, s.Staged+s.Running)
}

// TestPark_BeforeFailure checks that an owner that parks and then fails is idle. A panic consumes a
// message if the turn has consumed none. A Goexit keeps the requeued message.
func TestPark_BeforeFailure(t *testing.T) {
	for _, fault := range []func(){func() { panic("x") }, runtime.Goexit} {
		var got []int
		rest := true
		g := actor.NewGroup(actor.Options[string, int]{
			Pool: goroutines{}, Workers: 1, Limit: 100,
			Handle: func(_ int, box *actor.Mailbox[string, int]) {
				for m, ok := box.Next(); ok; m, ok = box.Next() {
					if m == 1 && rest {
						rest = false
						box.Requeue(true)
						fault()
					}
					got = append(got, m)
				}
			},
		})
		box := &actor.Mailbox[string, int]{Owner: "a"}
		for m := range 3 {
			require.True(t, g.Send(box, m))
		}
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		require.Len(t, g.Collect(nil, nil), 1)
		require.Equal(t, 2, box.Len())
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		g.Collect(nil, nil)
		require.Equal(t, []int{0, 1, 2}, got)
		require.Equal(t, g.Stats().Sent, g.Stats().Handled)
	}
}
