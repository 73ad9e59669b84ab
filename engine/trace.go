package engine

import (
	"context"
	"fmt"
	"io"
	"runtime/trace"
	"time"
)

// Regions of an execution trace (go tool trace): one for each Tick, and in it one for each
// turn of the wheel, each wait for the workers and the end of the frame; and on the workers
// one for each turn of an owner. While nobody traces, a region is a look at a flag.
const (
	regionTick    = "bufftick.Tick"
	regionAdvance = "bufftick.advance"
	regionWork    = "bufftick.work"
	regionMerge   = "bufftick.merge"
	regionTurn    = "bufftick.turn"
)

var untold = context.Background()

// region begins a part of a trace if one is being made.
func region(name string) *trace.Region {
	if !trace.IsEnabled() {
		return nil
	}
	return trace.StartRegion(untold, name)
}

// endRegion ends it.
func endRegion(r *trace.Region) {
	if r != nil {
		r.End()
	}
}

// slowTrace is what is known of the traces of slow frames.
type slowTrace struct {
	last uint64 // the number of the frame of the last trace; 0: none
	err  error  // of the first trace that could not be written
}

// took writes a trace if the frame of the last Tick was a slow one and its time has come.
func (s *slowTrace) took(e *Engine, d time.Duration) {
	o := &e.opts
	switch {
	case o.SlowFrame <= 0 || d <= o.SlowFrame:
	case o.Flight == nil || o.SlowTrace == nil || !o.Flight.Enabled():
	case s.last != 0 && e.frame.Number-s.last < uint64(o.TraceEvery):
	default:
		s.last = e.frame.Number
		s.write(e)
	}
}

// write writes what the flight recorder has.
func (s *slowTrace) write(e *Engine) {
	var w io.WriteCloser
	if failed := e.foreign(callTrace, true, nil, func() { w = e.opts.SlowTrace(&e.frame) }); failed != nil {
		s.note(panicked(callTrace, failed))
		return
	}
	if w == nil {
		return
	}
	_, err := e.opts.Flight.WriteTo(&sink{e, callTrace, w})
	s.note(err)
	if failed := e.foreign(callTrace, true, nil, func() { err = w.Close() }); failed != nil {
		err = panicked(callTrace, failed)
	}
	s.note(err)
}

// note keeps the first error.
func (s *slowTrace) note(err error) {
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("engine: a trace: %w", err)
	}
}
