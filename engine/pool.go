package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/panjf2000/ants/v2"

	"github.com/bufftick/bufftick/actor"
)

// inline is the pool of a synchronous engine: a task has run when Submit returns.
type inline struct{}

func (inline) Submit(task func()) error {
	task()
	return nil
}

// newPool returns a pool for the pumps of workers workers, and what gives its
// goroutines back.
//
// It never blocks, so that the loop never waits in Submit; it never purges, so that
// bursts find their workers; and it has room for more workers than there are pumps,
// so that those that are about to end are not in the way of new ones. It makes only
// as many as are needed.
func newPool(workers int) (actor.Pool, func(context.Context) error, error) {
	pool, err := ants.NewPool(4*workers+16, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	if err != nil {
		return nil, nil, fmt.Errorf("engine: a pool for %d workers: %w", workers, err)
	}
	release := func(ctx context.Context) error {
		if err := pool.ReleaseContext(ctx); !errors.Is(err, ants.ErrPoolClosed) {
			return err
		}
		return nil // a second Close
	}
	return pool, release, nil
}
