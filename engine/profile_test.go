package engine_test

import (
	"bytes"
	"context"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// hanging returns an engine with two owners. The function "caught" makes owner 7 stuck in a
// handler until "release" is called. It returns Frame.Stuck of a Tick in which the handler was
// already running. This may take several Ticks: a worker that gets no processor during a Tick has
// taken the owner but not yet called the handler.
func hanging(t *testing.T, o engine.Options) (e *engine.Engine, release func(), caught func() []view.Stuck) {
	t.Helper()
	cat, err := buff.NewCatalog(buff.Spec{ID: "trap", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoCall, Name: "hang"}}}})
	require.NoError(t, err)
	gate, entered := make(chan struct{}), make(chan struct{}, 1)
	o.Catalog, o.Workers, o.Budget = cat, 2, time.Millisecond
	o.Handlers = engine.Handlers{"hang": func(*engine.Context, buff.Event) { waitAtTheGate(entered, gate) }}
	e, err = engine.New(o)
	require.NoError(t, err)
	require.NoError(t, e.Spawn(7, nil))
	require.NoError(t, e.Spawn(8, nil))
	release = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(func() {
		release()
		require.NoError(t, e.Close(context.Background()))
	})
	caught = func() []view.Stuck {
		e.AddBuff(7, buff.Application{Spec: cat.Spec("trap")})
		for {
			e.Tick(time.Millisecond)
			select {
			case <-entered:
				return slices.Clone(e.Tick(time.Millisecond).Stuck)
			default:
			}
		}
	}
	return e, release, caught
}

//go:noinline
func waitAtTheGate(entered chan<- struct{}, gate <-chan struct{}) {
	select {
	case entered <- struct{}{}:
	default:
	}
	<-gate
}

// TestEngine_Stack_StuckHandler checks that Stack returns the functions and lines of a stuck
// handler, the innermost first, without those of the engine, and nothing after the handler has
// returned.
func TestEngine_Stack_StuckHandler(t *testing.T) {
	for _, labels := range []bool{false, true} {
		e, release, caught := hanging(t, engine.Options{Trace: engine.Trace{Labels: labels}})
		_, free, caughtToo := hanging(t, engine.Options{}) // its workers have other labels
		stuck := caught()
		caughtToo()
		require.Len(t, stuck, 1)
		where := e.Watch().Stack(stuck[0])
		require.Regexp(t, `(?s)engine_test\.waitAtTheGate\n\t.*engine/profile_test\.go:\d+\n.*hanging\.func1\n\t.*profile_test\.go:\d+\n$`, where)
		require.NotContains(t, where, "workerState")
		require.Empty(t, e.Watch().Stack(view.Stuck{Owner: 7}), "one that nobody has told of")
		release()
		free()
		for len(e.Tick(time.Millisecond).Stuck) > 0 {
		}
		require.Empty(t, e.Watch().Stack(stuck[0]))
	}
}

// TestLabels checks that with Options.Trace.Labels a profile has the definition and the owner of a
// handler.
func TestLabels(t *testing.T) {
	e, release, caught := hanging(t, engine.Options{Trace: engine.Trace{Labels: true}})
	caught()
	var out bytes.Buffer
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&out, 1))
	require.Regexp(t, `"buff":"trap", "bufftick_worker":"[^"]+", "owner":"7"`, out.String())
	release()
	for len(e.Tick(time.Millisecond).Stuck) > 0 {
	}
	out.Reset()
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&out, 1))
	require.NotContains(t, out.String(), `"buff":"trap"`)
}

// TestTrace_RegionPerCall checks that a trace has a region for each call of a handler, with the
// definition and the owner.
func TestTrace_RegionPerCall(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("somebody traces already")
	}
	_, release, caught := hanging(t, engine.Options{})
	release()
	var out bytes.Buffer
	require.NoError(t, trace.Start(&out))
	caught() // may take several Ticks, if the workers get no processor
	trace.Stop()
	require.True(t, strings.Contains(out.String(), "bufftick.call trap"))
}

// BenchmarkLabels measures a frame with 4,096 handlers, with and without profiler labels.
func BenchmarkLabels(b *testing.B) {
	for _, labels := range []bool{false, true} {
		b.Run(map[bool]string{false: "off", true: "on"}[labels], func(b *testing.B) {
			cat, err := buff.NewCatalog(buff.Spec{ID: "beat", Kind: define.Infinite, Period: 50 * time.Millisecond, On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "work"}}}})
			require.NoError(b, err)
			e, err := engine.New(engine.Options{Catalog: cat, Workers: 1, Trace: engine.Trace{Labels: labels}, Handlers: engine.Handlers{"work": func(*engine.Context, buff.Event) {}}})
			require.NoError(b, err)
			defer func() { require.NoError(b, e.Close(context.Background())) }()
			for id := range buff.OwnerID(4096) {
				require.NoError(b, e.Spawn(id, nil))
				e.AddBuff(id, buff.Application{Spec: cat.Spec("beat")})
			}
			b.ReportAllocs()
			for b.Loop() {
				e.Tick(50 * time.Millisecond)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/handler")
		})
	}
}
