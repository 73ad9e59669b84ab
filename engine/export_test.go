package engine

import (
	"context"

	"github.com/bufftick/bufftick/actor"
)

// NewOn is New on a pool of the test's own.
func NewOn(o Options, pool actor.Pool) (*Engine, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	return newEngine(o, pool, func(context.Context) error { return nil }), nil
}

// Escaped returns how many panics no handler can have caused: those of the engine's
// own code on a worker, which the pump has stopped.
func Escaped(e *Engine) uint64 {
	s := e.group.Stats()
	return s.Panics + s.HookPanics
}

// Kept returns how many events the lists of the lanes have room for.
func Kept(e *Engine) (n int) {
	for i := range e.lanes {
		n = max(n, cap(e.lanes[i].turn.Events))
	}
	return n
}

// Mail returns how many messages wait for an owner.
func Mail(e *Engine, number int) int { return e.owners[number].box.Len() }
