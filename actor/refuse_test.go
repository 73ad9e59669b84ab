package actor_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var errFull = errors.New("pool is full")

// moody is a pool that calls accept to decide whether to refuse a task.
type moody struct {
	accept func() bool
	submit func(task func()) error
	asked  int
}

func (p *moody) Submit(task func()) error {
	p.asked++
	if !p.accept() {
		return errFull
	}
	return p.submit(task)
}

// TestPool_Refuses checks that mailboxes remain ready, in order, while the pool refuses, and that
// Wait neither blocks forever nor spins.
func TestPool_Refuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accepting := false
		pool := &moody{accept: func() bool { return accepting }, submit: inline{}.Submit}
		var order []string
		g := newGroup(pool, 4, func(_ int, b *box) {
			order = append(order, b.Owner.name)
			takeAll(0, b)
		})
		b := newBoxes("a", "b", "c", "d")
		send(t, g, b[1], 1, 2)
		send(t, g, b[0], 1)
		g.Start(-1)
		require.Equal(t, 1, pool.asked, "Start stops at the first refusal")

		began := time.Now()
		require.False(t, g.Wait(nil, true), "no worker runs: without a timeout Wait gives up")
		require.Zero(t, time.Since(began))
		require.False(t, g.Wait(time.After(10*time.Millisecond), true))
		require.Equal(t, 10*time.Millisecond, time.Since(began))
		require.Equal(t, 3, pool.asked, "Wait asks once and then sleeps")
		require.Empty(t, g.Collect(nil, nil))

		send(t, g, b[3], 1)
		send(t, g, b[1], 3)
		g.Start(-1)
		require.Equal(t, 2+1, g.Stats().Ready)
		require.EqualValues(t, 4, g.Stats().Refused)
		require.Zero(t, g.Stats().Workers)

		accepting = true
		send(t, g, b[2], 1)
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		require.Equal(t, []string{"b", "a", "d", "c"}, order)
		require.Equal(t, []string{"b", "a", "d", "c"}, names(g.Collect(nil, nil)))
		g.Start(-1)
		g.Collect(nil, nil)
		require.Equal(t, []int{1, 2, 3}, b[1].Owner.got)
		requireQuiet(t, g)
	})
}

// TestPool_RefusesUntilWait checks that Wait submits workers that the pool refused during Start.
func TestPool_RefusesUntilWait(t *testing.T) {
	accepting := false
	pool := &moody{accept: func() bool { return accepting }, submit: goroutines{}.Submit}
	g := newGroup(pool, 2, takeAll)
	b := newBoxes("a")
	send(t, g, b[0], 1)
	g.Start(-1)
	accepting = true
	require.True(t, g.Wait(nil, true))
	require.Equal(t, []int{1}, b[0].Owner.got)
}

// TestPool_OneWorker checks that one accepted worker handles all mailboxes if the pool refuses the
// others.
func TestPool_OneWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &moody{submit: goroutines{}.Submit}
		pool.accept = func() bool { return pool.asked == 1 }
		g := newGroup(pool, 4, func(_ int, b *box) { time.Sleep(time.Second); takeAll(0, b) })
		b := newBoxes("a", "b", "c")
		for _, x := range b {
			send(t, g, x, 1)
		}
		g.Start(-1)
		require.True(t, g.Wait(nil, true), "refused, but one worker runs: it serves all")
		requireBoxes(t, b, g.Collect(nil, nil))
		require.Equal(t, 3, pool.asked)
		requireQuiet(t, g)
	})
}

// TestPool_RefusesAfterLastWorker checks that Wait returns false if the last worker has ended and
// the pool refuses a new one.
func TestPool_RefusesAfterLastWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &moody{submit: goroutines{}.Submit}
		pool.accept = func() bool { return pool.asked == 1 }
		g := newGroup(pool, 2, func(_ int, b *box) {
			m, _ := b.Next()
			b.Owner.got = append(b.Owner.got, m)
			time.Sleep(time.Second)
			runtime.Goexit()
		})
		b := newBoxes("a")
		send(t, g, b[0], 1, 2)
		g.Start(-1)
		began := time.Now()
		require.False(t, g.Wait(nil, true), "neither a hang nor a spin")
		require.Equal(t, time.Second, time.Since(began))
		require.Equal(t, 2, pool.asked)
		require.Zero(t, g.Stats().Workers)

		pool.accept = func() bool { return true }
		require.True(t, g.Wait(nil, true))
		require.Equal(t, []int{1, 2}, b[0].Owner.got)
	})
}

// TestPool_SometimesRefuses checks that no message is lost if the pool refuses at random.
func TestPool_SometimesRefuses(t *testing.T) {
	// With some seeds there is no refusal, because Submit is not called if earlier workers still
	// run when the next frame starts. With the first seed, Submit is always called.
	refused := uint64(0)
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		pool := &moody{accept: func() bool { return rnd.IntN(3) == 0 }, submit: goroutines{}.Submit}
		g := newGroup(pool, 3, takeAll)
		boxes := newBoxes(make([]string, 30)...)
		sent := make([]int, len(boxes))
		for range 50 {
			for range 20 {
				i := rnd.IntN(len(boxes))
				send(t, g, boxes[i], sent[i])
				sent[i]++
			}
			g.Start(-1)
			g.Wait(passed(), true)
			g.Collect(nil, nil)
		}
		for g.Stats().Running+g.Stats().Staged > 0 {
			g.Start(-1)
			finishAll(g)
			g.Collect(nil, nil)
		}
		refused += g.Stats().Refused
		for i, b := range boxes {
			require.Len(t, b.Owner.got, sent[i], "seed %d", seed)
			for j, m := range b.Owner.got {
				require.Equal(t, j, m, "seed %d", seed)
			}
		}
		requireQuiet(t, g)
	}
	require.NotZero(t, refused)
	require.NotZero(t, refused)
}

// TestPool_TaskWithoutSlot uses a pool that violates its contract, because it runs a task
// twice, or a task that it refused. Such a task must do nothing, because no slot is reserved for
// it.
func TestPool_TaskWithoutSlot(t *testing.T) {
	var kept []func()
	g := newGroup(&moody{accept: func() bool { return true }, submit: func(task func()) error {
		kept = append(kept, task)
		task()
		task()
		return nil
	}}, 2, takeAll)
	b := newBoxes("a")
	send(t, g, b[0], 1)
	g.Start(-1)
	kept[0]()
	require.True(t, g.Wait(nil, true))
	g.Collect(nil, nil)
	require.Equal(t, []int{1}, b[0].Owner.got)
	require.Zero(t, g.Stats().Workers)
	requireQuiet(t, g)
}

// TestPool_Panics checks that a panic of the pool counts as a refusal, whether or not the pool has
// run the task.
func TestPool_Panics(t *testing.T) {
	for _, runs := range []bool{false, true} {
		fails := true
		g := newGroup(&moody{accept: func() bool { return true }, submit: func(task func()) error {
			if runs || !fails {
				task()
			}
			if fails {
				panic(errFull)
			}
			return nil
		}}, 2, takeAll)
		b := newBoxes("a", "b")
		send(t, g, b[0], 1)
		send(t, g, b[1], 2)
		g.Start(-1)
		require.Equal(t, runs, g.Wait(nil, true))
		s := g.Stats()
		require.Positive(t, s.PoolPanics)
		require.Equal(t, s.Refused, s.PoolPanics)
		require.Zero(t, s.Workers)

		fails = false
		send(t, g, b[0], 3)
		g.Start(-1)
		require.True(t, g.Wait(nil, true))
		g.Collect(nil, nil)
		g.Start(-1)
		g.Collect(nil, nil)
		require.Equal(t, []int{1, 3}, b[0].Owner.got)
		require.Equal(t, []int{2}, b[1].Owner.got)
		requireQuiet(t, g)
	}
}

// lateRunner refuses a task and keeps it.
type lateRunner struct {
	refuses bool
	tasks   []func()
}

func (p *lateRunner) Submit(task func()) error {
	p.tasks = append(p.tasks, task)
	if p.refuses {
		return errors.New("no room")
	}
	return nil
}

// TestPool_RefusesAndRuns checks that a task that the pool refused and runs later does nothing,
// because no slot is reserved for it.
func TestPool_RefusesAndRuns(t *testing.T) {
	p := &lateRunner{refuses: true}
	g := newGroup(p, 1, takeAll)
	b := newBoxes("a")[0]
	send(t, g, b, 7)
	g.Start(-1)
	require.Len(t, p.tasks, 1)
	p.tasks[0]()
	require.Empty(t, b.Owner.got)
	p.refuses = false
	g.Start(-1)
	require.Len(t, p.tasks, 2)
	p.tasks[0]() // the slot of this task belongs to another task now
	require.Equal(t, []int{7}, b.Owner.got, "the two are interchangeable")
	p.tasks[1]()
	require.True(t, g.Wait(nil, true))
	requireBoxes(t, []*box{b}, g.Collect(nil, nil))
	requireQuiet(t, g)
}
