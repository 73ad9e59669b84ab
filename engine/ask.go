package engine

import (
	"context"
	"sync/atomic"

	"github.com/bufftick/bufftick/buff"
)

// Ask executes a command in the next Tick that has room for it, like [Engine.Do] on the loop, and
// returns its Result. If the owner is busy, Result.Queued is set: the command waits in the owner's
// mailbox, and an event will report its outcome. If the rules or the engine refused the command,
// Result.Failure is the reason.
//
// Ask fails in the same cases as [Inbox.Do]; the command is then not executed. If ctx ends while
// the command is still waiting, Ask returns ctx.Err(), and the command is never executed. If ctx
// ends while the loop is executing the command, Ask still waits for the Result. [Engine.Close]
// answers the commands that it delivers; all other waiting commands fail with [ErrClosed] when the
// context of Close ends. If the loop calls neither Tick nor Close, Ask waits until ctx ends.
//
// Each waiting caller counts as one waiting command of the Inbox (see Options.Limits.Inbox). Ask
// must not be called from a handler, or from a function of Run, because the loop waits for
// handlers and for such functions. In a replay.Run, Ask fails with ErrClosed.
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

// Run calls f on the loop, when the loop executes the commands of the Inbox, and waits until f has
// returned. f may call every method of the Engine that the loop may call between two Ticks, except
// Tick and Close, and most methods of a store.Saver: see there. For example, f may query, spawn and
// despawn owners, or execute several commands with no other command in between. Calls that f makes
// are recorded as calls of the loop: a replay repeats them at the same point without calling f.
// Like the commands of the Inbox, they count toward the Inbox's share of the work of a Tick.
//
// If f panics, the panic is reported like a fault of any other function of the game, with "Run" as
// Fault.Call, and Run returns an error for it; what f did before the panic remains in effect.
// Otherwise Run fails in the same cases as [Inbox.Ask]. Run also fails with [ErrClosed] if f is
// still waiting when Close is called, because Close does not call such functions.
//
// Run must not be called from a handler, or from a function of Run. It panics if f is nil.
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

// question is a pending call to Ask or Run.
type question struct {
	state  atomic.Int32
	done   chan struct{}
	result buff.Result // written before `done` is closed; valid after that
	err    error
}

// The states of a question.
const (
	waiting   int32 = iota
	taken           // the loop is executing it
	withdrawn       // the caller's context has ended
)

func newQuestion() *question { return &question{done: make(chan struct{})} }

// take claims a question for execution. It reports false if the caller no longer waits for the
// answer. If q is nil, no caller waits for the command, and take reports true.
func (q *question) take() bool { return q == nil || q.state.CompareAndSwap(waiting, taken) }

// answer passes the result to the waiting caller, if any.
func (q *question) answer(r buff.Result, err error) {
	if q != nil {
		q.result, q.err = r, err
		close(q.done)
	}
}

func (in *Inbox) ask(ctx context.Context, l *envelope) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if in.engine.producers.replaying.Load() {
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

// deliverEnvelope executes a command or function of the Inbox and answers its caller.
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

func (e *Engine) runOnLoop(l *envelope) {
	calls := e.record.beginRun()
	err := errExit // the error if the function does not return
	defer func() {
		e.onLoop = false
		e.record.endRun(calls)
		l.question.answer(buff.Result{}, err)
	}()
	e.onLoop = true
	v := e.callGame(callRun, true, nil, func() { l.run(e) })
	if err = nil; v != nil {
		err = panicked("engine: Run", v)
	}
}

// failPending fails all questions that are still waiting with ErrClosed.
func (p *producers) failPending() {
	p.gather()
	for _, in := range *p.all.Load() {
		for l := in.first; l != nil; l = l.next {
			if l.question != nil && l.question.take() {
				l.question.answer(buff.Result{}, ErrClosed)
			}
		}
	}
}
