package actor_test

import (
	"slices"
	"testing"
	"time"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bufftick/bufftick/actor"
)

// Ignore the two goroutines of the default pool that ants starts when it is imported.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// inline runs the task before Submit returns.
type inline struct{}

func (inline) Submit(task func()) error { task(); return nil }

// goroutines starts a goroutine for each task.
type goroutines struct{}

func (goroutines) Submit(task func()) error { go task(); return nil }

// newAnts returns a pool with the options that the engine uses. It is released at the end of the
// test.
func newAnts(tb testing.TB, workers int) *ants.Pool {
	tb.Helper()
	pool, err := ants.NewPool(2*workers, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, pool.ReleaseTimeout(time.Minute)) })
	return pool
}

// passed returns a channel that has already delivered, so that Wait does not sleep.
func passed() <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

// note is an owner that records its messages.
type note struct {
	name string
	got  []int
}

type (
	box   = actor.Mailbox[*note, int]
	group = actor.Group[*note, int]
)

func newBoxes(names ...string) []*box {
	boxes := make([]*box, len(names))
	for i, name := range names {
		boxes[i] = &box{Owner: &note{name: name}}
	}
	return boxes
}

func names(boxes []*box) []string {
	out := []string{}
	for _, b := range boxes {
		out = append(out, b.Owner.name)
	}
	return out
}

// requireBoxes checks that got equals want, in order. It compares pointers, because running
// mailboxes must not be read.
func requireBoxes(t *testing.T, want, got []*box) {
	t.Helper()
	require.True(t, slices.Equal(want, got), "want %v\ngot  %v", names(want), names(got))
}

// requireHeld checks that the workers hold exactly these mailboxes.
func requireHeld(t *testing.T, g *group, want ...*box) {
	t.Helper()
	held := map[*box]bool{}
	for _, b := range g.Held(nil, false) {
		held[b] = true
	}
	require.Len(t, held, len(want))
	for _, b := range want {
		require.True(t, held[b], "%s is not held", b.Owner.name)
	}
}

func send(t *testing.T, g *group, b *box, msgs ...int) {
	t.Helper()
	for _, m := range msgs {
		require.True(t, g.Send(b, m))
	}
}

// takeAll is a handler that records all messages.
func takeAll(_ int, b *box) {
	for m, ok := b.Next(); ok; m, ok = b.Next() {
		b.Owner.got = append(b.Owner.got, m)
	}
}

func newGroup(pool actor.Pool, workers int, handle func(int, *box)) *group {
	return actor.NewGroup(actor.Options[*note, int]{Pool: pool, Workers: workers, Limit: 1000, Handle: handle})
}

// finishAll waits until all work is done. Wait may fail, because a pool whose goroutines are
// ending may refuse for a moment.
func finishAll[O, M any](g *actor.Group[O, M]) {
	for !g.Wait(nil, true) {
		continue
	}
}

// requireQuiet checks the counters of a group in which no mailbox is running.
func requireQuiet[O, M any](t *testing.T, g *actor.Group[O, M]) {
	t.Helper()
	s := g.Stats()
	require.Zero(t, s.Staged)
	require.Zero(t, s.Running)
	require.Zero(t, s.Pending)
	require.Zero(t, s.Ready)
	require.Equal(t, s.Sent, s.Handled)
	require.Empty(t, g.Held(nil, false))
}
