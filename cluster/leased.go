package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/store"
)

// leased is the store of one zone. It uses the epoch of the zone's lease.
type leased struct {
	store.Mover
	h *host
}

// Open implements [store.Store]. It only loads the zone, because claiming the lease has already
// given it a new epoch.
func (s leased) Open(ctx context.Context, zone string) (*store.Cut, error) {
	cut, err := s.Mover.Load(ctx, zone)
	if err != nil && !errors.Is(err, store.ErrEmpty) {
		return nil, err
	}
	if cut.Epoch != s.h.epoch {
		return nil, fmt.Errorf("%w: zone %q is at epoch %d, but the lease has epoch %d", store.ErrFenced, zone, cut.Epoch, s.h.epoch)
	}
	return cut, err
}

// Commit implements [store.Store]. Its timeout is one TTL, and it ends early when the zone is
// stopped; the next commit contains all changes that were not acknowledged. If the database has
// gone back to an earlier state, Commit does not overwrite that state, because a player of this
// zone may still be in another zone there.
func (s leased) Commit(ctx context.Context, b *store.Batch) error {
	h := s.h
	if h.lost.Load() {
		return fmt.Errorf("%w: zone %q is about to be loaded again", store.ErrFenced, h.zone)
	}
	ctx, cancel := context.WithTimeout(ctx, h.n.o.TTL)
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	err := s.Mover.Commit(ctx, b)
	switch {
	case err == nil:
		h.onDisk.Store(b.Frame)
		h.n.notifyArrivals(b.Moved)
		select {
		case h.wake <- struct{}{}:
		default: // already signalled
		}
	case errors.Is(err, store.ErrLost):
		h.lost.Store(true)
		h.n.count(func(s *Stats) { s.Lost++ })
		h.n.log(h.zone, h.epoch, "is loaded again from the database, which has lost acknowledged commits: "+err.Error())
		go h.n.post(func(p *policy.Node) { p.Lost(h.n.clock(), h.zone, h.epoch) }) // the policy may be waiting for this commit
	case errors.Is(err, store.ErrFenced):
		h.n.count(func(s *Stats) { s.Fenced++ })
		go h.n.post(func(p *policy.Node) { p.Fenced(h.zone, h.epoch) }) // the policy may be waiting for this commit
	}
	return err
}

// Close implements [store.Store]. It does nothing, because the store belongs to the node.
func (leased) Close() error { return nil }
