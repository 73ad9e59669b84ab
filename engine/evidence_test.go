package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime/trace"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// TestObserve: the times of frames are those that the game has said, to three digits.
func TestObserve(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true, SlowFrame: 50 * time.Millisecond})
	require.Equal(t, engine.FrameTimes{}, e.FrameTimes())
	for i := range 1000 {
		e.Tick(time.Millisecond)
		e.Observe(time.Duration(i+1) * 100 * time.Microsecond)
	}
	f := e.FrameTimes()
	require.EqualValues(t, 1000, f.Count)
	require.EqualValues(t, 500, f.Slow)
	for _, row := range []struct{ got, want time.Duration }{
		{f.P50, 50 * time.Millisecond},
		{f.P99, 99 * time.Millisecond},
		{f.P999, 99900 * time.Microsecond},
		{f.Max, 100 * time.Millisecond},
		{f.Mean, 50050 * time.Microsecond},
	} {
		require.InEpsilon(t, row.want, row.got, 0.001)
	}
	e.Observe(-time.Second)
	e.Observe(time.Hour)
	require.InEpsilon(t, time.Minute, e.FrameTimes().Max, 0.001, "the longest that is told apart")
	require.EqualValues(t, 1002, e.FrameTimes().Count)
	require.Zero(t, testing.AllocsPerRun(100, func() { e.Observe(time.Millisecond) }))
	before := e.Stats()
	e.Tick(time.Millisecond)
	require.Equal(t, before.Ticks+1, e.Stats().Ticks)
	require.NotEqual(t, before, e.Stats(), "what Stats returns does not change")
}

// file is where a trace goes.
type file struct {
	bytes.Buffer
	closed bool
	fails  error
}

func (f *file) Close() error {
	f.closed = true
	return f.fails
}

// TestSlowTrace: of a slow frame there is a trace, with the regions of the engine in it, and
// not of the next one at once; an error comes back from Close.
func TestSlowTrace(t *testing.T) {
	flight := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Second})
	require.NoError(t, flight.Start())
	defer flight.Stop()
	var files []*file
	full := errors.New("no space left")
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: buff.Infinite, Period: 100 * time.Millisecond})
	e, err := engine.New(engine.Options{
		Catalog: cat, Workers: 1, Budget: patient, SlowFrame: time.Second, Flight: flight, TraceEvery: 10,
		SlowTrace: func(f *engine.Frame) io.WriteCloser {
			if f.Number == 25 {
				return nil
			}
			files = append(files, &file{fails: full})
			return files[len(files)-1]
		},
	})
	require.NoError(t, err)
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("beat"))
	traces := []int{}
	for n := range 40 {
		e.Tick(100 * time.Millisecond)
		d := time.Duration(0)
		if n >= 4 {
			d = 2 * time.Second
		}
		before := len(files)
		e.Observe(d)
		if len(files) > before {
			traces = append(traces, n+1)
		}
	}
	require.Equal(t, []int{5, 15, 35}, traces, "at most one in ten frames, and one was not wanted")
	require.EqualValues(t, 36, e.FrameTimes().Slow)
	for _, f := range files {
		require.True(t, f.closed)
		for _, name := range []string{"Tick", "advance", "work", "merge", "turn"} {
			require.True(t, bytes.Contains(f.Bytes(), []byte("bufftick."+name)), name)
		}
	}
	require.ErrorIs(t, e.Close(context.Background()), full)
}
