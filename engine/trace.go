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

	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/rules"
)

// Regions of an execution trace (go tool trace). Each Tick is a region. It contains regions for
// each advance of the wheel, for each wait for the workers, and for the end of the frame. On the
// workers, each turn of an owner is a region. While no trace is running, a region costs one check
// of a flag.
const (
	regionTick    = "bufftick.Tick"
	regionAdvance = "bufftick.advance"
	regionWork    = "bufftick.work"
	regionMerge   = "bufftick.merge"
	regionTurn    = "bufftick.turn"
)

// noTask is the context of all regions, because they belong to no trace task.
var noTask = context.Background()

// region starts a region if a trace is running.
func region(name string) *trace.Region {
	if !trace.IsEnabled() {
		return nil
	}
	return trace.StartRegion(noTask, name)
}

// endRegion ends a region, if there is one.
func endRegion(r *trace.Region) {
	if r != nil {
		r.End()
	}
}

// slowTrace holds the state for writing traces of slow frames.
type slowTrace struct {
	last uint64 // number of the last traced frame; 0 if there is none
	err  error  // error of the first trace that could not be written
}

// took writes a trace if the last frame, with the duration d, was slow, and enough frames have
// passed since the last trace.
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

// write writes the content of the flight recorder to the game's writer.
func (s *slowTrace) write(e *Engine) {
	var w io.WriteCloser
	if failed := e.callGame(callTrace, true, nil, func() { w = e.opts.Trace.Writer(&e.frame) }); failed != nil {
		s.note(panicked(callTrace, failed))
		return
	}
	if w == nil {
		return
	}
	_, err := e.opts.Trace.Flight.WriteTo(&sink{e, callTrace, w})
	s.note(err)
	if failed := e.callGame(callTrace, true, nil, func() { err = w.Close() }); failed != nil {
		err = panicked(callTrace, failed)
	}
	s.note(err)
}

func (s *slowTrace) note(err error) {
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("engine: trace: %w", err)
	}
}

// Profiler labels of goroutines that run handlers. Workers always have labelWorker; the other
// labels are only set with Options.Trace.Labels.
const (
	labelWorker = "bufftick_worker"
	labelBuff   = "buff"
	labelOwner  = "owner"
)

// regionCall is the prefix of the name of a handler's region in an execution trace. The ID of the
// definition follows.
const regionCall = "bufftick.call "

// task returns a function that labels the goroutine of a worker while the worker is active, so
// that the stack of a handler that does not return can be found. It returns nil for a synchronous
// engine, because its turns run on the loop's goroutine, whose labels belong to the game.
func (e *Engine) task() func(worker int, work func()) {
	if e.opts.Synchronous {
		return nil
	}
	for i := range e.turns.workers {
		e.turns.workers[i].labels = pprof.WithLabels(context.Background(), pprof.Labels(labelWorker, e.labelOf(i)))
	}
	return func(worker int, work func()) {
		pprof.SetGoroutineLabels(e.turns.workers[worker].labels)
		defer pprof.SetGoroutineLabels(context.Background())
		work()
	}
}

// labelOf returns the label of a worker, which is unique among the engines of the process.
func (e *Engine) labelOf(worker int) string { return fmt.Sprintf("%p/%d", e, worker) }

// startTracing starts the region and sets the labels of a handler that is about to run.
func (l *workerState) startTracing(c *rules.Call) {
	id := "a timeout"
	if c.Event.Spec != nil {
		id = c.Event.Spec.ID
	}
	if l.engine.opts.Trace.Labels && l.labels != nil {
		owner := strconv.FormatUint(uint64(l.owner.id()), 10)
		pprof.SetGoroutineLabels(pprof.WithLabels(l.labels, pprof.Labels(labelBuff, id, labelOwner, owner)))
	}
	if trace.IsEnabled() {
		l.callRegion = trace.StartRegion(noTask, regionCall+id)
		trace.Logf(noTask, labelOwner, "%d", l.owner.id())
	}
}

// endTracing ends the region and resets the labels. It must also be called if the handler has
// panicked or ended its goroutine.
func (l *workerState) endTracing() {
	endRegion(l.callRegion)
	l.callRegion = nil
	if l.engine.opts.Trace.Labels && l.labels != nil {
		pprof.SetGoroutineLabels(l.labels)
	}
}

// Stack implements [view.Watch].
func (w *watcher) Stack(s view.Stuck) string {
	turn := s.Turn
	if turn.Mark == 0 || turn.Worker < 0 || turn.Worker >= len(w.engine.turns.workers) {
		return ""
	}
	l := &w.engine.turns.workers[turn.Worker]
	holds := func() bool { return l.current.Load() == turn.Mark && int64(turn.Since) == l.since.Load() }
	if !holds() {
		return ""
	}
	var out strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&out, 1); err != nil || !holds() {
		return "" // the profile cannot be written, or another turn has started
	}
	return stackOf(out.String(), strconv.Quote(labelWorker)+":"+strconv.Quote(w.engine.labelOf(turn.Worker)))
}

// stackOf returns the stack of the goroutine with the given label, from a goroutine profile in the
// format debug=1. If there is none, it returns "".
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
				break // this frame and all frames after it belong to the engine
			}
			fmt.Fprintf(&out, "%s\n\t%s\n", name, strings.TrimSpace(parts[len(parts)-1]))
		}
		return out.String()
	}
	return ""
}
