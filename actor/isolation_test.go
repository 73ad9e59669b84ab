package actor_test

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

// fault is one call of the Recovered hook.
type fault struct {
	owner string
	value any
}

// faulty returns a group whose handler calls act(message) before it records the message. It also
// returns the faults that Recovered was called with. With more than one worker, the faults must
// not be read.
func faulty(pool actor.Pool, act func(m int)) (*group, *[]fault) {
	var faults []fault
	g := actor.NewGroup(actor.Options[*note, int]{
		Pool: pool, Workers: 1, Limit: 1000,
		Handle: func(_ int, b *box) {
			for m, ok := b.Next(); ok; m, ok = b.Next() {
				act(m)
				b.Owner.got = append(b.Owner.got, m)
			}
		},
		Recovered: func(_ int, owner *note, v any) { faults = append(faults, fault{owner.name, v}) },
	})
	return g, &faults
}

// TestPanic_CostsOneMessage checks that a panic consumes only the message that is being handled.
// The mailbox moves to the end of the ready list.
func TestPanic_CostsOneMessage(t *testing.T) {
	bad := errors.New("bad")
	g, faults := faulty(inline{}, func(m int) {
		if m == 2 || m == 3 {
			panic(bad)
		}
	})
	b := newBoxes("a", "b", "c")
	send(t, g, b[0], 1, 2, 3, 4)
	send(t, g, b[1], 3)
	send(t, g, b[2], 1, 4)
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	require.Equal(t, []string{"a", "b", "c"}, names(g.Collect(nil, nil)))
	require.Equal(t, []int{1, 4}, b[0].Owner.got)
	require.Empty(t, b[1].Owner.got)
	require.Equal(t, []int{1, 4}, b[2].Owner.got)
	require.Equal(t, []fault{{"a", bad}, {"b", bad}, {"a", bad}}, *faults, "a goes to the end after each message")
	require.EqualValues(t, 3, g.Stats().Panics)
	require.Zero(t, g.Stats().Workers)
	requireQuiet(t, g)
}

// TestPanic_BeforeNext checks that a handler that always panics without consuming a message is not
// called forever: each panic consumes one message.
func TestPanic_BeforeNext(t *testing.T) {
	for name, before := range map[string]func(*box){
		"before Next":   func(*box) {},
		"after Requeue": func(b *box) { b.Next(); b.Requeue(false) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGroup(inline{}, 1, func(_ int, b *box) { before(b); panic("always") })
			b := newBoxes("a")
			send(t, g, b[0], 1, 2, 3)
			g.Start(-1)
			require.True(t, g.Wait(nil, true))
			g.Collect(nil, nil)
			require.EqualValues(t, 3, g.Stats().Panics)
			requireQuiet(t, g)
		})
	}
}

// TestGoexit_BeforeNext checks that a handler that always ends its goroutine before it
// takes a message is not called forever.
func TestGoexit_BeforeNext(t *testing.T) {
	g := newGroup(goroutines{}, 1, func(_ int, b *box) {
		b.Owner.got = append(b.Owner.got, len(b.Owner.got))
		if len(b.Owner.got) <= 10 {
			runtime.Goexit()
		}
		takeAll(0, b) // otherwise the test would not end
	})
	b := newBoxes("a")
	send(t, g, b[0], 1, 2, 3)
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	g.Collect(nil, nil)
	require.Equal(t, []int{0, 1, 2}, b[0].Owner.got)
	require.EqualValues(t, 3, g.Stats().Exits)
	requireQuiet(t, g)
}

// TestPanic_AfterRequeue checks that a requeued message is kept after a panic if the turn has
// consumed another message.
func TestPanic_AfterRequeue(t *testing.T) {
	g := newGroup(inline{}, 1, func(_ int, b *box) {
		takeAll(0, b)
		if len(b.Owner.got) == 2 {
			b.Requeue(false)
			panic("once")
		}
	})
	b := newBoxes("a")
	send(t, g, b[0], 1, 2)
	g.Start(-1)
	require.Equal(t, []int{1, 2, 2}, b[0].Owner.got)
	g.Collect(nil, nil)
	requireQuiet(t, g)
}

// TestGoexit_CostsOneMessageAndOneWorker checks that a handler that ends its goroutine loses only
// the message that is being handled, and that Wait replaces the worker.
func TestGoexit_CostsOneMessageAndOneWorker(t *testing.T) {
	g, faults := faulty(goroutines{}, func(m int) {
		if m == 2 || m == 4 {
			runtime.Goexit()
		}
	})
	b := newBoxes("a", "b")
	send(t, g, b[0], 1, 2, 3, 4)
	send(t, g, b[1], 2)
	g.Start(-1)
	require.True(t, g.Wait(nil, true), "Wait sends new workers")
	g.Collect(nil, nil)
	require.Equal(t, []int{1, 3}, b[0].Owner.got)
	require.Equal(t, []fault{{"a", nil}, {"b", nil}, {"a", nil}}, *faults)
	require.EqualValues(t, 3, g.Stats().Exits)
	require.Zero(t, g.Stats().Workers)
	requireQuiet(t, g)

	send(t, g, b[1], 1, 3)
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	g.Collect(nil, nil)
	require.Equal(t, []int{1, 3}, b[1].Owner.got)
}

// TestGoexit_AfterRequeue checks that a handler can requeue its message before it
// ends its goroutine, to keep the unfinished work.
func TestGoexit_AfterRequeue(t *testing.T) {
	ends := 0
	g := newGroup(newAnts(t, 1), 1, func(_ int, b *box) {
		m, _ := b.Next()
		if ends < 3 {
			ends++
			defer b.Requeue(false)
			runtime.Goexit()
		}
		b.Owner.got = append(b.Owner.got, m)
	})
	b := newBoxes("a")
	send(t, g, b[0], 7)
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	require.Equal(t, []int{7}, b[0].Owner.got)
	require.EqualValues(t, 3, g.Stats().Exits)
	require.EqualValues(t, 1, g.Stats().Handled)
}

// TestWait_SlowOwnerOnce checks that a slow owner costs the loop one timeout, not one timeout in
// every frame.
func TestWait_SlowOwnerOnce(t *testing.T) {
	stuck, late := make(chan struct{}), make(chan time.Time, 1)
	g := newGroup(newAnts(t, 2), 2, func(_ int, b *box) {
		m, _ := b.Next()
		if m == 0 {
			late <- time.Time{}
			<-stuck
		}
		b.Owner.got = append(b.Owner.got, m)
	})
	b := newBoxes("slow", "quick")
	send(t, g, b[0], 0)
	g.Start(-1)
	require.False(t, g.Wait(late, false))

	for m := 1; m < 4; m++ {
		send(t, g, b[0], m)
		send(t, g, b[1], m)
		g.Start(-1)
		require.True(t, g.Wait(nil, false), "no time-out: only the slow one is missing")
		requireBoxes(t, b[1:], g.Collect(nil, nil))
	}
	require.False(t, g.Wait(passed(), true), "Wait waits for all")

	close(stuck)
	require.True(t, g.Wait(nil, true))
	requireBoxes(t, b[:1], g.Collect(nil, nil))
	for range 3 { // one message per turn
		g.Start(-1)
		require.True(t, g.Wait(nil, false))
		g.Collect(nil, nil)
	}
	require.Equal(t, []int{0, 1, 2, 3}, b[0].Owner.got)
}

// TestWait_AllWorkersHeld checks that Wait returns at once if slow owners occupy every worker. When
// one of their handlers has returned, Wait waits again, whatever the worker claims next.
func TestWait_AllWorkersHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := make(chan struct{}), make(chan struct{})
		again := true
		g := newGroup(goroutines{}, 1, func(_ int, b *box) {
			m, _ := b.Next()
			if b.Owner.name == "slow" && again {
				<-slow
				again = false
				b.Requeue(false)
				return
			}
			if b.Owner.name == "quick" {
				<-quick
			}
			b.Owner.got = append(b.Owner.got, m)
		})
		b := newBoxes("slow", "quick")
		wait := func(want bool, costs time.Duration) {
			t.Helper()
			g.Start(-1)
			begin := time.Now()
			require.Equal(t, want, g.Wait(time.After(time.Second), false))
			require.Equal(t, costs, time.Since(begin))
		}
		send(t, g, b[0], 1)
		wait(false, time.Second)
		send(t, g, b[1], 2)
		wait(false, 0)
		wait(false, 0)
		close(slow)
		synctest.Wait() // the slow mailbox is queued after the quick one and is overdue
		time.AfterFunc(300*time.Millisecond, func() { close(quick) })
		wait(true, 300*time.Millisecond)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, b, g.Collect(nil, nil))
		require.Equal(t, []int{1}, b[0].Owner.got)
		require.Equal(t, []int{2}, b[1].Owner.got)
	})
}

// TestGoexit_EveryTurn ends the goroutine of the worker in every turn, and checks that all
// messages are handled.
func TestGoexit_EveryTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(goroutines{}, 4, func(_ int, b *box) {
			defer func() { b.Owner.got = append(b.Owner.got, 0) }()
			b.Next()
			runtime.Goexit()
		})
		boxes := newBoxes(make([]string, 100)...)
		for _, b := range boxes {
			send(t, g, b, 1, 2)
		}
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, boxes, g.Collect(nil, nil))
		for _, b := range boxes {
			require.Len(t, b.Owner.got, 2)
		}
		synctest.Wait() // a worker that was started too late finds no work and ends
		require.EqualValues(t, 200, g.Stats().Exits)
		require.Zero(t, g.Stats().Workers)
		requireQuiet(t, g)
	})
}

// TestPanic_DuringGoexit checks that a panic in a deferred call during Goexit is reported as a
// panic.
func TestPanic_DuringGoexit(t *testing.T) {
	g, faults := faulty(goroutines{}, func(m int) {
		if m == 1 {
			defer panic("in a deferred call")
			runtime.Goexit()
		}
	})
	b := newBoxes("a")
	send(t, g, b[0], 1, 2)
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	g.Collect(nil, nil)
	require.Equal(t, []int{2}, b[0].Owner.got)
	require.Equal(t, []fault{{"a", "in a deferred call"}}, *faults)
	require.Zero(t, g.Stats().Workers)
	requireQuiet(t, g)
}

// TestRecovered_Fails checks that the group continues if Options.Recovered panics or ends the
// goroutine.
func TestRecovered_Fails(t *testing.T) {
	for _, c := range []struct {
		name string
		hook func()
		want uint64
	}{
		{"panic", func() { panic("hook") }, 4},
		{"Goexit", runtime.Goexit, 0},
	} {
		t.Run(c.name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { testFailingHook(t, c.hook, c.want) }) })
	}
}

func testFailingHook(t *testing.T, hook func(), hookPanics uint64) {
	g := actor.NewGroup(actor.Options[*note, int]{
		Pool: goroutines{}, Workers: 2, Limit: 10,
		Handle: func(_ int, b *box) {
			m, _ := b.Next()
			b.Owner.got = append(b.Owner.got, m)
			if m == 1 {
				panic("handler")
			}
			runtime.Goexit()
		},
		Recovered: func(int, *note, any) { hook() },
	})
	b := newBoxes("a", "b")
	send(t, g, b[0], 1, 2)
	send(t, g, b[1], 2, 1)
	g.Start(-1)
	require.True(t, g.Wait(nil, true))
	requireBoxes(t, b, g.Collect(nil, nil))
	require.Equal(t, []int{1, 2}, b[0].Owner.got)
	require.Equal(t, []int{2, 1}, b[1].Owner.got)
	synctest.Wait()
	s := g.Stats()
	require.EqualValues(t, 2, s.Panics)
	require.EqualValues(t, 2, s.Exits)
	require.Equal(t, hookPanics, s.HookPanics)
	require.Zero(t, s.Workers)
	requireQuiet(t, g)
}

// stuckGroup returns a group in which owners named "stuck" block until release is closed.
func stuckGroup(workers int) (g *group, release chan struct{}) {
	release = make(chan struct{})
	return newGroup(goroutines{}, workers, func(_ int, b *box) {
		if b.Owner.name == "stuck" {
			<-release
		}
		takeAll(0, b)
	}), release
}

// TestWait_SomeWorkersStuck checks that in every frame the other owners are handled if two of
// three workers are stuck.
func TestWait_SomeWorkersStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, release := stuckGroup(3)
		stuck := newBoxes("stuck", "stuck")
		others := newBoxes(make([]string, 100)...)
		send(t, g, stuck[0], 1)
		send(t, g, stuck[1], 1)
		for frame := range 5 {
			for _, b := range others {
				send(t, g, b, frame)
			}
			g.Start(-1)
			began := time.Now()
			require.False(t, g.Wait(time.After(10*time.Millisecond), true))
			require.Equal(t, 10*time.Millisecond, time.Since(began))
			requireBoxes(t, others, g.Collect(nil, nil)) // all others, every frame, in order
			requireHeld(t, g, stuck...)
		}
		send(t, g, stuck[1], 2)
		close(release)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, stuck, g.Collect(nil, nil))
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, stuck[1:], g.Collect(nil, nil))
		require.Equal(t, []int{1, 2}, stuck[1].Owner.got)
		for _, b := range others {
			require.Equal(t, []int{0, 1, 2, 3, 4}, b.Owner.got)
		}
		requireQuiet(t, g)
	})
}

// TestWait_AllWorkersStuck checks that Wait returns at its timeout in every frame if all workers
// are stuck, and that no message is lost.
func TestWait_AllWorkersStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, release := stuckGroup(2)
		stuck := newBoxes("stuck", "stuck")
		others := newBoxes(make([]string, 50)...)
		all := append(stuck, others...)
		for frame := range 10 {
			for _, b := range all {
				send(t, g, b, frame)
			}
			g.Start(-1)
			began := time.Now()
			require.False(t, g.Wait(time.After(10*time.Millisecond), true))
			require.Equal(t, 10*time.Millisecond, time.Since(began))
			require.Empty(t, g.Collect(nil, nil))
		}
		requireHeld(t, g, stuck...)
		s := g.Stats()
		require.Equal(t, actor.Stats{Running: 52, Pending: 52, Ready: 50, Workers: 2, Sent: 520, Turns: 2}, s)

		close(release)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, all, g.Collect(nil, nil))
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		requireBoxes(t, all, g.Collect(nil, nil))
		for _, b := range all {
			require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, b.Owner.got)
		}
		requireQuiet(t, g)
	})
}
