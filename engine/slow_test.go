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
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestFrameUnwatched checks that Watch.Frame costs nothing without watchers.
func TestFrameUnwatched(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true, Trace: engine.Trace{SlowFrame: 50 * time.Millisecond}})
	e.Tick(time.Millisecond)
	before := e.Stats()
	require.Zero(t, testing.AllocsPerRun(100, func() { e.Watch().Frame(time.Minute) }))
	require.Equal(t, before, e.Stats())
}

// file is a destination of a trace.
type file struct {
	bytes.Buffer
	closed bool
	fails  error
}

func (f *file) Close() error {
	f.closed = true
	return f.fails
}

// TestSlowTrace checks that a slow frame is traced, with the regions of the engine, but not the
// next slow frame directly after it, and that Close returns an error of the writer.
func TestSlowTrace(t *testing.T) {
	flight := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Second})
	require.NoError(t, flight.Start())
	defer flight.Stop()
	var files []*file
	full := errors.New("no space left")
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: 100 * time.Millisecond})
	e, err := engine.New(engine.Options{
		Catalog: cat, Workers: 1, Budget: patient, Trace: engine.Trace{SlowFrame: time.Second, Flight: flight, Every: 10, Writer: func(f *engine.Frame) io.WriteCloser {
			if f.Number == 25 {
				return nil
			}
			files = append(files, &file{fails: full})
			return files[len(files)-1]
		}},
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
		e.Watch().Frame(d)
		if len(files) > before {
			traces = append(traces, n+1)
		}
	}
	require.Equal(t, []int{5, 15, 35}, traces, "at most one in ten frames, and one was not wanted")
	for _, f := range files {
		require.True(t, f.closed)
		for _, name := range []string{"Tick", "advance", "work", "merge", "turn"} {
			require.True(t, bytes.Contains(f.Bytes(), []byte("bufftick."+name)), name)
		}
	}
	require.ErrorIs(t, e.Close(context.Background()), full)
}
