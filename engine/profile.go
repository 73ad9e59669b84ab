package engine

import (
	"context"
	"fmt"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"

	"github.com/bufftick/bufftick/buff"
)

// The labels of goroutines that run handlers, as a profile has them: the first always, the others
// with Options.Labels.
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
	if !l.engine.opts.Labels && !trace.IsEnabled() {
		return a
	}
	id := "a timeout"
	if c.Event.Spec != nil {
		id = c.Event.Spec.ID
	}
	if l.engine.opts.Labels && l.labels != nil {
		owner := strconv.FormatUint(uint64(l.owner.id), 10)
		pprof.SetGoroutineLabels(pprof.WithLabels(l.labels, pprof.Labels(labelBuff, id, labelOwner, owner)))
		a.labeled = true
	}
	if trace.IsEnabled() {
		a.region = trace.StartRegion(untold, regionCall+id)
		trace.Logf(untold, labelOwner, "%d", l.owner.id)
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

// Stack returns where the handler of a stuck owner is at this moment: a function and its place in
// each two lines, the innermost first. It is "" if the owner is not stuck any more, or if its handler
// has given its goroutine other labels (runtime/pprof.Do). It costs a look at all goroutines of the
// process, without stopping them for longer than a profile does.
//
// Any goroutine may call it.
func (w *Watch) Stack(s Stuck) string {
	l := &w.engine.workers[s.worker]
	holds := func() bool { return s.mark != 0 && l.current.Load() == s.mark && int64(s.since) == l.since.Load() }
	if !holds() {
		return ""
	}
	var out strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&out, 1); err != nil || !holds() {
		return "" // it cannot be written; or it was of the next one
	}
	return stackOf(out.String(), strconv.Quote(labelWorker)+":"+strconv.Quote(w.engine.labelOf(s.worker)))
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
