package actor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

// TestTask checks that a worker calls Handle only inside Options.Task, which gets the worker's
// number.
func TestTask(t *testing.T) {
	within, tasks := -1, 0
	g := actor.NewGroup(actor.Options[*note, int]{
		Pool: inline{}, Workers: 1, Limit: 1000,
		Task: func(worker int, work func()) {
			tasks++
			within = worker
			work()
			within = -1
		},
		Handle: func(worker int, b *box) {
			for m, ok := b.Next(); ok; m, ok = b.Next() {
				require.Equal(t, worker, within)
				b.Owner.got = append(b.Owner.got, m)
			}
		},
	})
	b := newBoxes("a", "b")
	send(t, g, b[0], 1, 2)
	send(t, g, b[1], 3)
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	require.Equal(t, []int{1, 2}, b[0].Owner.got)
	require.Equal(t, []int{3}, b[1].Owner.got)
	require.Equal(t, 1, tasks)
	require.Equal(t, -1, within)
}

// TestGroup_StartOne checks that only one worker is submitted until the channel more delivers.
// After that, a mailbox whose Handle does not return must not delay others.
func TestGroup_StartOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		submitted, gate := 0, make(chan struct{})
		pool := submits(func(task func()) error { submitted++; go task(); return nil })
		g := newGroup(pool, 3, func(w int, b *box) {
			if b.Owner.name == "stuck" {
				<-gate
			}
			takeAll(w, b)
		})
		b := newBoxes("a", "b", "c")
		for _, b := range b {
			send(t, g, b, 1)
		}
		g.StartOne(-1, make(chan time.Time))
		require.True(t, g.Wait(nil, true))
		require.Equal(t, 1, submitted)
		requireBoxes(t, b, g.Collect(nil, nil))

		stuck := newBoxes("stuck")[0]
		send(t, g, stuck, 1)
		send(t, g, b[0], 2)
		more := make(chan time.Time, 1)
		more <- time.Time{}
		g.StartOne(-1, more)
		require.False(t, g.Wait(time.After(time.Second), false))
		require.Equal(t, 3, submitted)
		require.Equal(t, []int{1, 2}, b[0].Owner.got)
		close(gate)
		require.True(t, g.Wait(nil, true))
	})
}

// submits adapts a function to a Pool.
type submits func(task func()) error

func (f submits) Submit(task func()) error { return f(task) }
