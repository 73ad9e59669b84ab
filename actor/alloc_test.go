package actor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

func TestGroup_NoAllocation(t *testing.T) {
	for _, c := range []struct {
		name string
		pool actor.Pool
	}{
		{"inline", inline{}},
		{"ants", newAnts(t, 4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			sum := [4]int{}
			g := actor.NewGroup(actor.Options[int, *int]{
				Pool: c.pool, Workers: 4, Limit: 200,
				Handle: func(worker int, b *actor.Mailbox[int, *int]) {
					for m, ok := b.Next(); ok; m, ok = b.Next() {
						sum[worker] += *m
						if *m%16 == 0 {
							return // handle the rest in a second turn
						}
					}
				},
			})
			boxes := make([]actor.Mailbox[int, *int], 300)
			values := make([]int, 150)
			for i := range values {
				values[i] = i
			}
			var idle []*actor.Mailbox[int, *int]
			full := 0
			frame := func() {
				for i := range boxes {
					// Send from 2 to 150 messages, which is sometimes more than the capacity that
					// a mailbox keeps.
					for m := range 2 + i%149 {
						if !g.Send(&boxes[i], &values[m]) {
							full++
						}
					}
				}
				g.Start(-1)
				finishAll(g)
				idle = g.Collect(idle[:0], nil)
			}
			for range 3 {
				frame()
			}
			require.Zero(t, testing.AllocsPerRun(50, frame))
			require.Len(t, idle, len(boxes))
			require.Zero(t, full)
		})
	}
}

// TestSend_Full_NoAllocation checks that a Send that a full mailbox rejects does not allocate.
func TestSend_Full_NoAllocation(t *testing.T) {
	g := actor.NewGroup(actor.Options[*note, int]{Pool: inline{}, Workers: 1, Limit: 1, Handle: takeAll})
	b := newBoxes("a")[0]
	send(t, g, b, 1)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if g.Send(b, 2) {
			panic("accepted")
		}
	}))
}
