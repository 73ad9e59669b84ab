package actor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestGroup_State checks which mailboxes are staged, running, held and overdue after each step of
// two workers.
func TestGroup_State(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := map[string]chan struct{}{"slow": make(chan struct{}), "late": make(chan struct{})}
		g := newGroup(goroutines{}, 2, func(_ int, b *box) {
			b.Next()
			if c := gate[b.Owner.name]; c != nil {
				<-c
			}
		})
		b := newBoxes("slow", "quick", "late", "last")
		slow, quick, late, last := b[0], b[1], b[2], b[3]
		tells := func(staged, running, overdue []*box, waiting int) {
			t.Helper()
			synctest.Wait()
			requireBoxes(t, staged, g.Staged())
			requireBoxes(t, running, g.Running())
			require.Equal(t, waiting, g.Stats().Pending-g.Stats().Overdue)
			require.Equal(t, len(staged)+len(running) == 0, g.Quiet())
			require.ElementsMatch(t, names(overdue), names(g.Held(nil, true)))
			requireBoxes(t, append([]*box{last}, g.Held(nil, true)...), g.Held([]*box{last}, true))
		}
		tells(nil, nil, nil, 0)
		send(t, g, slow, 1)
		send(t, g, quick, 1)
		tells([]*box{slow, quick}, nil, nil, 0)
		g.Start(-1)
		tells(nil, []*box{slow, quick}, nil, 1)
		require.False(t, g.Wait(time.After(time.Second), false))
		tells(nil, []*box{slow, quick}, []*box{slow}, 0)
		requireBoxes(t, []*box{quick}, g.Collect(nil, nil))
		tells(nil, []*box{slow}, []*box{slow}, 0)
		send(t, g, late, 1)
		send(t, g, last, 1)
		g.Start(1)
		tells([]*box{last}, []*box{slow, late}, []*box{slow}, 1)
		require.False(t, g.Wait(time.After(time.Second), false))
		tells([]*box{last}, []*box{slow, late}, []*box{slow, late}, 0)
		g.Start(-1)
		tells(nil, []*box{slow, late, last}, []*box{slow, late}, 1)
		close(gate["slow"])
		tells(nil, []*box{slow, late, last}, []*box{late}, 0)
		requireBoxes(t, []*box{slow, last}, g.Collect(nil, nil))
		tells(nil, []*box{late}, []*box{late}, 0)
		close(gate["late"])
		require.True(t, g.Wait(nil, true))
		tells(nil, []*box{late}, nil, 0)
		requireBoxes(t, []*box{late}, g.Collect(nil, nil))
		tells(nil, nil, nil, 0)
		requireQuiet(t, g)
	})
}

// TestShrink_KeepsStaged checks that staged mailboxes stay staged, in order, when the list
// shrinks.
func TestShrink_KeepsStaged(t *testing.T) {
	g := newGroup(inline{}, 1, takeAll)
	many := newBoxes(make([]string, 500)...)
	for _, b := range many {
		send(t, g, b, 1)
	}
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	requireBoxes(t, many, g.Collect(nil, nil))
	send(t, g, many[7], 2)
	send(t, g, many[3], 2)
	g.Shrink(1)
	requireBoxes(t, []*box{many[7], many[3]}, g.Staged())
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	require.Equal(t, []int{1, 2}, many[7].Owner.got)
}
