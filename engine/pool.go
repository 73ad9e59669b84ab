package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/panjf2000/ants/v2"
)

// inline is the pool of a synchronous engine: a task has run when Submit returns.
type inline struct{}

func (inline) Submit(task func()) error {
	task()
	return nil
}

// Pool has the goroutines that run workers: of one engine, or of several, each on a loop of its
// own. Make one with [NewPool].
type Pool struct{ pool *ants.Pool }

// NewPool returns a pool for so many workers, from 1 to 65,536: the sum of Options.Workers of all
// engines that get it. It makes only as many goroutines as are needed at once, and keeps them.
//
// Has it no room for all of them, an engine for which there is none leaves what is due to a later
// frame. Nothing is lost, but what happens then depends on which engine was faster. Any goroutine may
// call it.
func NewPool(workers int) (*Pool, error) {
	if workers < 1 || workers > 1<<16 {
		return nil, fmt.Errorf("engine: a pool for %d workers, want 1 to %d", workers, 1<<16)
	}
	// It never blocks, so that the loop never waits in Submit; it never purges, so that
	// bursts find their goroutines; and it has room for more of them than there are workers,
	// so that those that are about to end are not in the way of new ones.
	pool, err := ants.NewPool(4*workers+16, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	if err != nil {
		return nil, fmt.Errorf("engine: a pool for %d workers: %w", workers, err)
	}
	return &Pool{pool}, nil
}

// Submit runs a task on a goroutine of the pool, or fails: it never waits. Any goroutine may call it.
func (p *Pool) Submit(task func()) error { return p.pool.Submit(task) }

// Close gives the goroutines back, when what they run has come to its end or ctx has: then it
// returns its error. The engines that have the pool are closed before. A second Close does nothing.
// Any goroutine may call it.
func (p *Pool) Close(ctx context.Context) error {
	if err := p.pool.ReleaseContext(ctx); !errors.Is(err, ants.ErrPoolClosed) {
		return err
	}
	return nil
}
