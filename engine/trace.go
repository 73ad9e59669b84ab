package engine

import (
	"context"
	"fmt"
	"io"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
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
	case o.Trace.SlowFrame <= 0 || d <= o.Trace.SlowFrame:
	case o.Trace.Flight == nil || o.Trace.Writer == nil || !o.Trace.Flight.Enabled():
	case s.last != 0 && e.frame.Number-s.last < uint64(o.Trace.Every):
	default:
		s.last = e.frame.Number
		s.write(e)
	}
}

// write writes what the flight recorder has.
func (s *slowTrace) write(e *Engine) {
	var w io.WriteCloser
	if failed := e.foreign(callTrace, true, nil, func() { w = e.opts.Trace.Writer(&e.frame) }); failed != nil {
		s.note(panicked(callTrace, failed))
		return
	}
	if w == nil {
		return
	}
	_, err := e.opts.Trace.Flight.WriteTo(&sink{e, callTrace, w})
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

// The labels of goroutines that run handlers, as a profile has them: the first always, the others
// with Options.Trace.Labels.
const (
	labelWorker = "bufftick_worker"
	labelBuff   = "buff"
	labelOwner  = "owner"
)

// regionCall begins the name of the region of a handler in an execution trace; the ID of the
// definition follows.
const regionCall = "bufftick.call "

// task labels the goroutine of a worker for as long as it is one, so that the stack of a handler
// that does not return can be found; nil where the loop itself is the worker, whose labels are the game's.
func (e *Engine) task() func(worker int, work func()) {
	if e.opts.Synchronous {
		return nil
	}
	for i := range e.workers {
		e.workers[i].labels = pprof.WithLabels(context.Background(), pprof.Labels(labelWorker, e.labelOf(i)))
	}
	return func(worker int, work func()) {
		pprof.SetGoroutineLabels(e.workers[worker].labels)
		defer pprof.SetGoroutineLabels(context.Background())
		work()
	}
}

// labelOf names a worker, unlike that of any other engine in the process.
func (e *Engine) labelOf(worker int) string { return fmt.Sprintf("%p/%d", e, worker) }

// announced is what the profiler and a trace were told of the handler that runs.
type announced struct {
	region  *trace.Region
	labeled bool
}

// announce tells them of a handler that is about to run.
func (l *workerState) announce(c *buff.Call) (a announced) {
	if !l.engine.opts.Trace.Labels && !trace.IsEnabled() {
		return a
	}
	id := "a timeout"
	if c.Event.Spec != nil {
		id = c.Event.Spec.ID
	}
	if l.engine.opts.Trace.Labels && l.labels != nil {
		owner := strconv.FormatUint(uint64(l.owner.id()), 10)
		pprof.SetGoroutineLabels(pprof.WithLabels(l.labels, pprof.Labels(labelBuff, id, labelOwner, owner)))
		a.labeled = true
	}
	if trace.IsEnabled() {
		a.region = trace.StartRegion(untold, regionCall+id)
		trace.Logf(untold, labelOwner, "%d", l.owner.id())
	}
	return a
}

// end tells them that the handler has returned, or has ended in another way.
func (a announced) end(l *workerState) {
	endRegion(a.region)
	if a.labeled {
		pprof.SetGoroutineLabels(l.labels)
	}
}

// Stack is that of [view.Watch].
func (w *watcher) Stack(s view.Stuck) string {
	turn := s.Turn
	if turn.Mark == 0 || turn.Worker < 0 || turn.Worker >= len(w.engine.workers) {
		return ""
	}
	l := &w.engine.workers[turn.Worker]
	holds := func() bool { return l.current.Load() == turn.Mark && int64(turn.Since) == l.since.Load() }
	if !holds() {
		return ""
	}
	var out strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&out, 1); err != nil || !holds() {
		return "" // it cannot be written; or it was of the next one
	}
	return stackOf(out.String(), strconv.Quote(labelWorker)+":"+strconv.Quote(w.engine.labelOf(turn.Worker)))
}

// stackOf finds the goroutine with a label in a profile of all of them, as debug=1 writes it.
func stackOf(profile, label string) string {
	for group := range strings.SplitSeq(profile, "\n\n") {
		head, frames, _ := strings.Cut(group, "\n#\t")
		if !strings.Contains(head, "\n# labels: ") || !strings.Contains(head, label) {
			continue
		}
		var out strings.Builder
		for line := range strings.SplitSeq(frames, "\n#\t") {
			// 0x4d2a10	package.function+0x30	/path/file.go:12
			parts := strings.Split(line, "\t")
			if len(parts) < 3 {
				continue
			}
			name := parts[1]
			if at := strings.LastIndex(name, "+0x"); at > 0 {
				name = name[:at]
			}
			if strings.HasSuffix(name, ".(*workerState).call") {
				break // what follows is the engine's
			}
			fmt.Fprintf(&out, "%s\n\t%s\n", name, strings.TrimSpace(parts[len(parts)-1]))
		}
		return out.String()
	}
	return ""
}
