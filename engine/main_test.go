package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// Importing ants starts its default pool, whose two goroutines are not leaks of this package.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// patient is a Budget that never runs out, so that a Tick ends when all handlers have ended.
const patient = time.Duration(-1)

// brief is a Budget that runs out while a handler blocks on a channel. No test depends on its
// length.
const brief = time.Millisecond

// mode is a way to run the same calls. All modes must have the same events.
type mode struct {
	name    string
	workers int // 0 means Synchronous
	split   int // number of Ticks into which a span of time is divided
	quick   bool
}

var modes = []mode{
	{"synchronous", 0, 1, false},
	{"synchronous, split in 7", 0, 7, false},
	{"1 worker", 1, 1, false},
	{"2 workers", 2, 1, false},
	{"8 workers", 8, 1, false},
	{"2 workers, split in 3", 2, 3, false},
	{"2 workers, quick handlers", 2, 1, true},
}

func (m mode) set(o *engine.Options) {
	o.Workers, o.Synchronous, o.Budget = m.workers, m.workers == 0, patient
	if m.quick {
		o.Handlers, o.QuickHandlers = nil, o.Handlers
	}
}

// open returns an engine that is closed at the end of the test.
func open(tb testing.TB, o engine.Options) *engine.Engine {
	tb.Helper()
	e, err := engine.New(o)
	require.NoError(tb, err)
	tb.Cleanup(func() { shut(tb, e) })
	return e
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// there is like must, but returns the zero value for an unknown owner.
func there[T any](v T, err error) T {
	if errors.Is(err, engine.ErrUnknownOwner) {
		err = nil
	}
	return must(v, err)
}

// reply is like must, for queries that also report whether the subject exists.
func reply[T any](v T, found bool, err error) (T, bool) { return must(v, err), found }

// shut closes the engine and checks for panics that no handler can have caused.
func shut(tb testing.TB, e *engine.Engine) {
	tb.Helper()
	require.NoError(tb, e.Close(context.Background()))
	require.Zero(tb, engine.Escaped(e), "a panic that is not a handler's")
}

func catalogOf(tb testing.TB, specs ...buff.Spec) *buff.Catalog {
	tb.Helper()
	c, err := buff.NewCatalog(specs...)
	require.NoError(tb, err)
	return c
}

func call(name string) []define.Action { return []define.Action{{Do: define.DoCall, Name: name}} }

func spawn(tb testing.TB, e *engine.Engine, ids ...buff.OwnerID) {
	tb.Helper()
	for _, id := range ids {
		require.NoError(tb, e.Spawn(id, nil))
	}
}

func add(tb testing.TB, e *engine.Engine, id buff.OwnerID, s *buff.Spec) buff.Handle {
	tb.Helper()
	r := e.AddBuff(id, buff.Application{Spec: s})
	h := r.Handle
	require.NoError(tb, r.Failure)
	return h
}

// lines returns the events of a frame as text, in order.
func lines(f *engine.Frame) []string {
	out := []string{}
	for e := range f.Events() {
		out = append(out, line(e))
	}
	return out
}

func line(e buff.Event) string {
	return strings.TrimSpace(string(e.AppendLog([]byte(fmt.Sprintf("%d: ", e.Owner)), false)))
}
