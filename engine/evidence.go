package engine

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// FrameTimes says how long the frames have taken that [Engine.Observe] was told of. The
// zero value stands for none.
type FrameTimes struct {
	Count          uint64
	Mean, Max      time.Duration
	P50, P99, P999 time.Duration // of the frames, so many took no longer
	Slow           uint64        // took longer than Options.SlowFrame
}

// The histogram of frame times is exact to three digits from a microsecond to a minute.
const (
	shortestFrame = int64(time.Microsecond)
	longestFrame  = int64(time.Minute)
)

// evidence is what is known of the frames beside their events.
type evidence struct {
	times  *hdrhistogram.Histogram // nil: nothing was observed
	slow   uint64
	traced uint64 // the frame of the last trace; 0: none
	err    error  // of the first trace that could not be written
}

// Observe says how long the frame of the last Tick has taken: the game's whole frame, or
// what it wants to know of it. The engine reads no clock, and what a frame is to the game,
// only the game knows; so it measures, with what it has at hand anyway:
//
//	began := time.Now()
//	frame := eng.Tick(dt)
//	…
//	eng.Observe(time.Since(began))
//
// The times stand in [Engine.FrameTimes]. Nothing that happens depends on them. If d is
// above Options.SlowFrame, and Options.Flight records, its trace is written to
// Options.SlowTrace: that takes some ten milliseconds, so it happens at most once in
// Options.TraceEvery frames. A negative d counts as none.
//
// Only the loop goroutine may call it. It costs some ten ns.
func (e *Engine) Observe(d time.Duration) {
	e.enter("Observe")
	v := &e.evidence
	if v.times == nil {
		v.times = hdrhistogram.New(shortestFrame, longestFrame, 3)
	}
	_ = v.times.RecordValue(min(max(int64(d), 0), longestFrame)) // within its range: it cannot fail
	if e.opts.SlowFrame <= 0 || d <= e.opts.SlowFrame {
		return
	}
	v.slow++
	if e.opts.Flight != nil && e.opts.SlowTrace != nil && e.opts.Flight.Enabled() {
		e.writeTrace()
	}
}

// writeTrace writes what the flight recorder has.
func (e *Engine) writeTrace() {
	v := &e.evidence
	if v.traced != 0 && e.frame.Number-v.traced < uint64(e.opts.TraceEvery) {
		return
	}
	v.traced = e.frame.Number
	w := e.opts.SlowTrace(&e.frame)
	if w == nil {
		return
	}
	_, err := e.opts.Flight.WriteTo(w)
	if closed := w.Close(); err == nil {
		err = closed
	}
	if v.err == nil {
		v.err = err
	}
}

// FrameTimes returns what [Engine.Observe] was told of so far.
//
// Only the loop goroutine may call it. It costs some microseconds.
func (e *Engine) FrameTimes() FrameTimes {
	e.enter("FrameTimes")
	h := e.evidence.times
	if h == nil {
		return FrameTimes{}
	}
	at := func(percent float64) time.Duration { return time.Duration(h.ValueAtQuantile(percent)) }
	return FrameTimes{
		Count: uint64(h.TotalCount()), Mean: time.Duration(h.Mean()), Max: time.Duration(h.Max()),
		P50: at(50), P99: at(99), P999: at(99.9), Slow: e.evidence.slow,
	}
}
