package engine

import "github.com/bufftick/bufftick/buff/define"

// In a small frame, running the turns takes less time than waking a worker. The loop itself
// therefore runs the turns of a small slice if they call no Go handler that may block. Results do
// not depend on where a turn runs.

// smallSlice is the largest number of turns in a slice that runs on the loop.
const smallSlice = 64

// runsHere reports whether the batched turns of this slice run on the loop. In a synchronous
// engine, they always do. Otherwise they do if there are few of them and all handlers that they may
// call are quick. Turns may call the handlers that any catalog calls, and the handlers of their
// owners' timeouts.
func (d *dispatcher) runsHere() bool {
	v := &d.batch
	if v.n == 0 || d.engine.opts.Synchronous {
		return v.n > 0
	}
	if v.n > smallSlice || d.engine.edition.Load().slow {
		return false
	}
	for _, x := range v.list[:v.n] {
		if o := x.owner; o.set.Timeouts() > 0 && o.set.TimeoutsCall(d.isSlow) {
			return false
		}
	}
	return true
}

func (d *dispatcher) isSlow(h define.HandlerID) bool { return !d.engine.handler(h).quick }

// loopWorker returns the worker state of the loop.
func (d *dispatcher) loopWorker() *workerState { return &d.workers[len(d.workers)-1] }

// runHere runs the batched turns on the loop, starting with index `at`, and merges their results. If a handler ends the goroutine, a deferred function runs the remaining turns, and
// Engine.endExclusive then completes the Tick.
func (d *dispatcher) runHere(at int) {
	l, v, over := d.loopWorker(), &d.batch, false
	defer func() {
		if over {
			return
		}
		if p := recover(); p != nil {
			panic(p) // a bug of the engine
		}
		d.engine.exited = true
		l.endedBatched(false)
		d.runHere(at + 1)
		d.engine.indexFrameEvents()
	}()
	for read := at; at < v.n; at++ {
		if at == read {
			read = min(at+readAhead, v.n)
			l.readOwners(v.list[at:read])
		}
		x := v.list[at]
		l.runBatched(&x.owner.box, x)
		l.endedBatched(false)
	}
	over = true
	d.mergeBatch(nil, true)
	d.engine.ticking.Store(false)
}
