package engine

import (
	"context"
	"sync/atomic"

	"github.com/bufftick/bufftick/buff"
)

// Ask has a command carried out in the next Tick that has room for it, and waits for what
// [Engine.Do] answers on the loop. If the owner is busy, the Result says Queued, as it does there:
// the command waits in the owner's mailbox, and what comes of it will be an event. Result.Err says
// why the rules or the engine have refused it.
//
// Its own error is that of [Inbox.Do]; then nothing has been done. If ctx ends first it returns
// ctx.Err(), and the command has not been carried out and never will be; where the loop has it in
// hand already, Ask waits for that and returns the Result. [Engine.Close] answers what it still
// delivers; what it leaves behind when its own context ends fails with [ErrClosed]. As long as
// nobody ticks or closes, Ask waits for ctx.
//
// Those who wait have room in the Inbox, so that there are at most Options.Limits.Inbox of them. It
// must not be called from a handler, or from a function of Run: the loop waits for those. In a
// replay.Run it fails with ErrClosed.
//
// Any goroutine may call it.
func (in *Inbox) Ask(ctx context.Context, c buff.Command) (buff.Result, error) {
	q := newQuestion()
	l := &envelope{cmd: c, question: q}
	if err := in.prepare(&l.cmd); err != nil {
		return buff.Result{}, err
	}
	if err := in.ask(ctx, l); err != nil {
		return buff.Result{}, err
	}
	return q.result, q.err
}

// Run has a function called on the loop, in the part of a Tick that is the Inbox's, and waits until
// it has returned. It may do with the Engine what the loop may between two Ticks, but not Tick and
// Close: look at owners, spawn and despawn them, or give many commands of which none may come
// between. What it calls is recorded as calls of the loop, and a replay repeats them at the same
// place, without the function. It costs the Inbox's part what its commands cost.
//
// If it panics, the fault is reported as that of other functions of the game, with "Run" as its
// Call, and Run returns an error that says so; what it has done until then stays. Otherwise errors,
// the end of ctx and Close are as with [Inbox.Ask]; but a function that is still waiting when the
// engine closes is not called, and Run fails with [ErrClosed].
//
// It must not be called from a handler, or from a function of Run. It panics if f is nil.
//
// Any goroutine may call it.
func (in *Inbox) Run(ctx context.Context, f func(*Engine)) error {
	if f == nil {
		panic("engine: Run without a function")
	}
	q := newQuestion()
	if err := in.ask(ctx, &envelope{run: f, question: q}); err != nil {
		return err
	}
	return q.err
}

// question is what somebody waits for.
type question struct {
	state  atomic.Int32
	done   chan struct{}
	result buff.Result // once done is closed
	err    error
}

// The states of a question.
const (
	waiting   int32 = iota
	taken           // the loop has it in hand
	withdrawn       // who asked has gone
)

func newQuestion() *question { return &question{done: make(chan struct{})} }

// take reports whether somebody still waits, who will get an answer from here on.
func (q *question) take() bool { return q == nil || q.state.CompareAndSwap(waiting, taken) }

// answer ends the wait. Without a question nobody waits.
func (q *question) answer(r buff.Result, err error) {
	if q != nil {
		q.result, q.err = r, err
		close(q.done)
	}
}

// ask posts an envelope with a question and waits for the answer.
func (in *Inbox) ask(ctx context.Context, l *envelope) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if in.engine.producers.deaf.Load() {
		return ErrClosed
	}
	if err := in.post(l); err != nil {
		return err
	}
	select {
	case <-l.question.done:
	case <-ctx.Done():
		if l.question.state.CompareAndSwap(waiting, withdrawn) {
			return ctx.Err()
		}
		<-l.question.done
	}
	return nil
}

// deliverEnvelope does what an envelope says, and answers it.
func (e *Engine) deliverEnvelope(l *envelope) {
	switch {
	case !l.question.take():
	case l.run == nil:
		e.record.posted(&l.cmd)
		l.question.answer(e.forward(&l.cmd), nil)
	case e.closed:
		l.question.answer(buff.Result{}, ErrClosed)
	default:
		e.runOnLoop(l)
	}
}

// runOnLoop calls a function on the loop.
func (e *Engine) runOnLoop(l *envelope) {
	calls := e.record.beginRun()
	err := errExit // if it does not return
	defer func() {
		e.onLoop = false
		e.record.endRun(calls)
		l.question.answer(buff.Result{}, err)
	}()
	e.onLoop = true
	v := e.foreign(callRun, true, nil, func() { l.run(e) })
	if err = nil; v != nil {
		err = panicked("engine: Run", v)
	}
}

// abandon answers those who still wait: nobody will.
func (p *producers) abandon() {
	p.gather()
	for _, in := range *p.all.Load() {
		for l := in.first; l != nil; l = l.next {
			if l.question != nil && l.question.take() {
				l.question.answer(buff.Result{}, ErrClosed)
			}
		}
	}
}
