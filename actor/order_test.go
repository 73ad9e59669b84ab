package actor_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

func TestHandle_OrderAndExclusion(t *testing.T) {
	// There are 20 owners, 3 workers, turns of random length in fake time, and a loop that sends
	// faster than the workers handle messages.
	synctest.Test(t, func(t *testing.T) {
		type owner struct {
			busy atomic.Bool
			got  []int
		}
		rnd := rand.New(rand.NewPCG(1, 2))
		waits := make([]*rand.Rand, 3)
		for i := range waits {
			waits[i] = rand.New(rand.NewPCG(3, uint64(i)))
		}
		g := actor.NewGroup(actor.Options[*owner, int]{
			Pool: goroutines{}, Workers: 3, Limit: 1000,
			Handle: func(worker int, b *actor.Mailbox[*owner, int]) {
				require.True(t, b.Owner.busy.CompareAndSwap(false, true), "two turns of one owner overlap")
				for m, ok := b.Next(); ok; m, ok = b.Next() {
					time.Sleep(time.Duration(waits[worker].IntN(5)) * time.Millisecond)
					b.Owner.got = append(b.Owner.got, m)
				}
				b.Owner.busy.Store(false)
			},
		})
		boxes := make([]actor.Mailbox[*owner, int], 20)
		sent := make([]int, len(boxes))
		for i := range boxes {
			boxes[i].Owner = &owner{}
		}
		for range 50 {
			for range 100 {
				i := rnd.IntN(len(boxes))
				require.True(t, g.Send(&boxes[i], sent[i]))
				sent[i]++
			}
			g.Start(-1)
			g.Wait(time.After(20*time.Millisecond), true)
			g.Collect(nil, nil)
		}
		for g.Stats().Sent > g.Stats().Handled {
			g.Start(-1)
			require.True(t, g.Wait(nil, true))
			g.Collect(nil, nil)
		}
		for i := range boxes {
			require.Len(t, boxes[i].Owner.got, sent[i])
			for j, m := range boxes[i].Owner.got {
				require.Equal(t, j, m)
			}
		}
		requireQuiet(t, g)
	})
}

// traceGroup returns a group with one worker, and a trace of "name message" in the order in which
// the worker took the messages.
func traceGroup(handle func(b *box, saw func(m int))) (*group, *[]string) {
	var trace []string
	g := newGroup(inline{}, 1, func(_ int, b *box) {
		handle(b, func(m int) { trace = append(trace, b.Owner.name+string(rune('0'+m))) })
	})
	return g, &trace
}

// TestHandle_StopsEarly checks that a mailbox with messages left after its turn moves to the end
// of the ready list.
func TestHandle_StopsEarly(t *testing.T) {
	g, trace := traceGroup(func(b *box, saw func(int)) {
		m, ok := b.Next()
		require.True(t, ok)
		saw(m)
	})
	b := newBoxes("a", "b", "c")
	send(t, g, b[0], 1, 2, 3)
	send(t, g, b[1], 1)
	send(t, g, b[2], 1, 2)
	g.Start(-1)
	require.Equal(t, []string{"a1", "b1", "c1", "a2", "c2", "a3"}, *trace)
	require.True(t, g.Wait(nil, true))
	require.Equal(t, []string{"a", "b", "c"}, names(g.Collect(nil, nil)))
	requireQuiet(t, g)
}

// TestRequeue_KeepsMessage checks that Requeue keeps the message and moves the mailbox to the end
// of the ready list.
func TestRequeue_KeepsMessage(t *testing.T) {
	left := 2 // a1 needs two more turns
	g, trace := traceGroup(func(b *box, saw func(int)) {
		for m, ok := b.Next(); ok; m, ok = b.Next() {
			saw(m)
			if b.Owner.name == "a" && m == 1 && left > 0 {
				left--
				b.Requeue(false) // the loop ends the turn, because Next then returns false
			}
		}
	})
	b := newBoxes("a", "b", "c")
	send(t, g, b[0], 1, 2)
	send(t, g, b[1], 1)
	send(t, g, b[2], 1)
	g.Start(-1)
	require.Equal(t, []string{"a1", "b1", "c1", "a1", "a1", "a2"}, *trace)
	g.Collect(nil, nil)
	require.EqualValues(t, 5, g.Stats().Turns)
	requireQuiet(t, g)
}

// TestRequeue_LastMessage checks that Requeue after Next has returned false keeps the last
// message.
func TestRequeue_LastMessage(t *testing.T) {
	turns := 0
	g := newGroup(inline{}, 1, func(_ int, b *box) {
		turns++
		takeAll(0, b)
		if turns == 1 {
			// Next has returned false, so this requeues the last message that it returned before
			b.Requeue(false)
		}
	})
	b := newBoxes("a")
	send(t, g, b[0], 1, 2)
	g.Start(-1)
	require.Equal(t, []int{1, 2, 2}, b[0].Owner.got)
	g.Collect(nil, nil)
	requireQuiet(t, g)
}

// TestCollect_StartOrder checks that Collect returns mailboxes in the order in which they were
// started.
func TestCollect_StartOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(goroutines{}, 4, func(_ int, b *box) {
			m, _ := b.Next()
			time.Sleep(time.Duration(m) * time.Second)
		})
		b := newBoxes("a", "b", "c", "d", "e")
		send(t, g, b[0], 40)
		send(t, g, b[1], 30)
		send(t, g, b[2], 1)
		send(t, g, b[3], 20)
		g.Start(-1)
		began := time.Now()
		require.False(t, g.Wait(time.After(25*time.Second), true))
		require.Equal(t, 25*time.Second, time.Since(began))
		require.Equal(t, []string{"c", "d"}, names(g.Collect(nil, nil)), "c was done long before d, a and b are running")
		require.False(t, b[0].Idle())
		require.True(t, b[2].Idle())

		send(t, g, b[4], 1)
		send(t, g, b[2], 1)
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		require.Equal(t, []string{"a", "b", "e", "c"}, names(g.Collect(nil, nil)))
		require.Empty(t, g.Collect(nil, nil))
		requireQuiet(t, g)
	})
}

// TestSend_WhileRunning checks that messages sent to a running mailbox are staged until the next
// Start.
func TestSend_WhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(goroutines{}, 2, func(_ int, b *box) {
			time.Sleep(time.Second)
			takeAll(0, b)
		})
		b := newBoxes("a", "b", "c")
		send(t, g, b[0], 1, 2)
		send(t, g, b[1], 1)
		g.Start(-1)
		send(t, g, b[1], 2)
		send(t, g, b[0], 3)
		send(t, g, b[2], 1)
		require.Equal(t, 3, b[0].Len(), "the batch counts until it is idle")
		require.True(t, g.Wait(nil, true))
		require.False(t, b[0].Idle(), "done, but not collected")

		require.Equal(t, []string{"a", "b"}, names(g.Collect(nil, nil)))
		require.True(t, b[0].Idle())
		require.Equal(t, []int{1, 2}, b[0].Owner.got)
		require.Equal(t, 1, b[0].Len())
		require.Equal(t, 3, g.Stats().Staged)

		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		require.Equal(t, []string{"c", "a", "b"}, names(g.Collect(nil, nil)), "c was staged first")
		require.Equal(t, []int{1, 2, 3}, b[0].Owner.got)
		requireQuiet(t, g)
	})
}

// TestWait_ChecksFirst checks that Wait returns true without blocking if no mailbox is running,
// even if its timeout has passed.
func TestWait_ChecksFirst(t *testing.T) {
	g := newGroup(inline{}, 1, takeAll)
	require.True(t, g.Wait(nil, true), "nothing was handed over")
	b := newBoxes("a")
	send(t, g, b[0], 1)
	require.True(t, g.Wait(nil, true), "staged is not running")
	g.Start(-1)
	require.True(t, g.Wait(passed(), true), "done, although the timeout has passed")
}

// TestLimit checks that a mailbox rejects messages above Options.Limit, whether it is staged or
// running.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := actor.NewGroup(actor.Options[*note, int]{
			Pool: goroutines{}, Workers: 1, Limit: 3,
			Handle: func(_ int, b *box) { time.Sleep(time.Second); takeAll(0, b) },
		})
		b := newBoxes("a", "b")
		send(t, g, b[0], 1, 2)
		g.Start(-1)
		send(t, g, b[0], 3)
		require.False(t, g.Send(b[0], 4))
		send(t, g, b[1], 1, 2, 3)
		require.False(t, g.Send(b[1], 4))

		require.True(t, g.Wait(nil, true))
		g.Collect(nil, nil)
		send(t, g, b[0], 5, 6)
		require.False(t, g.Send(b[0], 7))
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		g.Collect(nil, nil)
		require.Equal(t, []int{1, 2, 3, 5, 6}, b[0].Owner.got)
		require.Equal(t, []int{1, 2, 3}, b[1].Owner.got)
		require.EqualValues(t, 3, g.Stats().Rejected)
		requireQuiet(t, g)
	})
}

// TestStart_FewMailboxes checks that Start starts only as many workers as there are ready
// mailboxes.
func TestStart_FewMailboxes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(goroutines{}, 8, func(_ int, b *box) { time.Sleep(time.Second); takeAll(0, b) })
		b := newBoxes("a", "b", "c")
		send(t, g, b[0], 1)
		send(t, g, b[1], 1)
		g.Start(-1)
		require.Equal(t, 2, g.Stats().Workers)
		synctest.Wait()
		requireHeld(t, g, b[:2]...)

		send(t, g, b[2], 1)
		g.Start(-1)
		require.Equal(t, 3, g.Stats().Workers, "two workers are busy: c must not wait for them")
		require.True(t, g.Wait(nil, true))
		g.Collect(nil, nil)
		require.Zero(t, g.Stats().Workers)
		requireQuiet(t, g)
	})
}

// TestMisuse checks the messages of panics.
func TestMisuse(t *testing.T) {
	ok := actor.Options[*note, int]{Pool: inline{}, Workers: 1, Limit: 1, Handle: takeAll}
	for want, spoil := range map[string]func(*actor.Options[*note, int]){
		"actor: Options.Pool is nil":                                       func(o *actor.Options[*note, int]) { o.Pool = nil },
		"actor: Options.Handle is nil":                                     func(o *actor.Options[*note, int]) { o.Handle = nil },
		"actor: Options.Workers is 0, must be at least 1":                  func(o *actor.Options[*note, int]) { o.Workers = 0 },
		"actor: Options.Limit is -1, must be from 1 to 2147483647":         func(o *actor.Options[*note, int]) { o.Limit = -1 },
		"actor: Options.Limit is 2147483648, must be from 1 to 2147483647": func(o *actor.Options[*note, int]) { o.Limit = 1 << 31 },
	} {
		o := ok
		spoil(&o)
		require.PanicsWithValue(t, want, func() { actor.NewGroup(o) })
	}

	b := newBoxes("a")[0]
	require.PanicsWithValue(t, "actor: Next called outside Handle", func() { b.Next() })
	require.PanicsWithValue(t, "actor: Requeue called without a message from Next", func() { b.Requeue(false) })

	g := newGroup(inline{}, 1, func(_ int, b *box) {
		require.PanicsWithValue(t, "actor: Requeue called without a message from Next", func() { b.Requeue(false) })
		takeAll(0, b)
		if len(b.Owner.got) == 1 {
			b.Requeue(false)
			require.PanicsWithValue(t, "actor: Requeue called without a message from Next", func() { b.Requeue(false) })
		}
	})
	send(t, g, b, 1)
	g.Start(-1)
	require.Equal(t, []int{1, 1}, b.Owner.got)
	require.PanicsWithValue(t, "actor: Next called outside Handle", func() { b.Next() })
}
