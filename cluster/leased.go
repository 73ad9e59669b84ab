package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/store"
)

// leased is the store of one zone, whose epoch the lease has given.
type leased struct {
	store.Mover
	h *host
}

// Open is that of [store.Store], and takes nothing: the zone was taken when its lease was.
func (s leased) Open(ctx context.Context, zone string) (*store.Cut, error) {
	cut, err := s.Mover.Load(ctx, zone)
	if err != nil && !errors.Is(err, store.ErrEmpty) {
		return nil, err
	}
	if cut.Epoch != s.h.epoch {
		return nil, fmt.Errorf("%w: zone %q is at epoch %d, the lease was of %d", store.ErrFenced, zone, cut.Epoch, s.h.epoch)
	}
	return cut, err
}

// Commit is that of [store.Store]. Nobody waits longer for it than a lease lasts, nor longer than the zone
// is this node's; what it has not acknowledged is in the next one. A database that has gone back is not written over: players who have
// moved since may be in another zone there.
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
		h.n.tellArrived(b.Moved)
		select {
		case h.wake <- struct{}{}:
		default: // it wakes up anyway
		}
	case errors.Is(err, store.ErrLost):
		h.lost.Store(true)
		h.n.count(func(s *Stats) { s.Lost++ })
		h.n.log(h.zone, h.epoch, "is loaded again from what the database has, which has gone back: "+err.Error())
		go h.n.tell(func(p *policy.Node) { p.Lost(h.n.clock(), h.zone, h.epoch) }) // the policy may be waiting for this commit
	case errors.Is(err, store.ErrFenced):
		h.n.count(func(s *Stats) { s.Fenced++ })
		go h.n.tell(func(p *policy.Node) { p.Fenced(h.zone, h.epoch) }) // the policy may be waiting for this commit
	}
	return err
}

// Close is that of [store.Store]. The store is the node's.
func (leased) Close() error { return nil }
