package actor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

// What a worker does, it does within Options.Task, which is told which worker it is.
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
