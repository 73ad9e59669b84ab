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
func (e *Engine) runsHere() bool {
	v := &e.batch
	if v.n == 0 || e.opts.Synchronous {
		return v.n > 0
	}
	if v.n > smallSlice || e.edition.Load().slow {
		return false
	}
	for _, x := range v.list[:v.n] {
		if o := x.owner; o.set.Timeouts() > 0 && o.set.TimeoutsCall(e.isSlow) {
			return false
		}
	}
	return true
}

func (e *Engine) isSlow(h define.HandlerID) bool { return !e.handler(h).quick }

// loopWorker returns the worker state of the loop.
func (e *Engine) loopWorker() *workerState { return &e.workers[len(e.workers)-1] }

// runHere runs the batched turns on the loop, starting with index `at`, and merges their results. If a handler ends the goroutine, a deferred function runs the remaining turns, and
// Engine.endExclusive then completes the Tick.
func (e *Engine) runHere(at int) {
	l, v, over := e.loopWorker(), &e.batch, false
	defer func() {
		if over {
			return
		}
		if p := recover(); p != nil {
			panic(p) // a bug of the engine
		}
		e.exited = true
		l.endedBatched(false)
		e.runHere(at + 1)
		e.indexFrameEvents()
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
	e.mergeBatch(nil, true)
	e.ticking.Store(false)
}
