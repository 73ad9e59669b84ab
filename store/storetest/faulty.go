package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// ErrFault is matched by each error that a [Faulty] injects.
var ErrFault = errors.New("storetest: the disk has failed")

// Faults holds the probability, from 0 to 1, of each fault of a Commit. The faults are tried in
// the order of the fields, and each Commit has at most one.
type Faults struct {
	// Fail: nothing is kept, and Commit returns an error.
	Fail float64

	// Uncertain: everything is kept, and Commit returns an error.
	Uncertain float64

	// Delay: Commit waits for Faulty.Release or its context, and then completes.
	Delay float64

	// A correct store cannot have the remaining faults. Use them to check that a test detects
	// torn or lost cuts.

	// Tear: only the head and the first half of the owners are kept; the commit is acknowledged.
	Tear float64

	// Reorder: the commit is acknowledged, but executed after the next commit of the zone, if
	// there is one.
	Reorder float64

	// PowerLoss: the commit is acknowledged but not executed.
	PowerLoss float64
}

// Faulty is a store that injects random faults into another store. It is safe for concurrent
// use.
type Faulty struct {
	store.Store
	faults Faults

	mu      sync.Mutex
	dice    *rand.Rand
	waiting chan struct{} // closed by Release
	held    map[string]*store.Batch
	counts  map[string]int
}

// NewFaulty returns a Faulty that injects the faults f into s. The same seed, faults and calls
// give the same result.
func NewFaulty(s store.Store, seed uint64, f Faults) *Faulty {
	return &Faulty{
		Store: s, faults: f, dice: rand.New(rand.NewPCG(seed, 0)),
		waiting: make(chan struct{}), held: map[string]*store.Batch{}, counts: map[string]int{},
	}
}

// SetFaults sets the faults for later commits.
func (f *Faulty) SetFaults(faults Faults) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = faults
}

// Counts returns how many times each fault was injected, by its field name in [Faults].
func (f *Faulty) Counts() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string]int{}
	for name, n := range f.counts {
		out[name] = n
	}
	return out
}

// Release releases all waiting commits.
func (f *Faulty) Release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.waiting)
	f.waiting = make(chan struct{})
}

// throw chooses the fault of a commit, or "" for none. It also returns the channel that a delayed
// commit waits for.
func (f *Faulty) throw() (fault string, wait chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range []struct {
		name string
		odds float64
	}{
		{"Fail", f.faults.Fail},
		{"Uncertain", f.faults.Uncertain},
		{"Delay", f.faults.Delay},
		{"Tear", f.faults.Tear},
		{"Reorder", f.faults.Reorder},
		{"PowerLoss", f.faults.PowerLoss},
	} {
		if hit := f.dice.Float64() < x.odds; hit && fault == "" {
			fault = x.name
		}
	}
	if fault != "" {
		f.counts[fault]++
	}
	return fault, f.waiting
}

// Commit implements [store.Store], possibly with a fault.
func (f *Faulty) Commit(ctx context.Context, b *store.Batch) error {
	fault, wait := f.throw()
	switch fault {
	case "Fail":
		return fmt.Errorf("%w: zone %q, frame %d", ErrFault, b.Zone, b.Frame)
	case "Uncertain":
		if err := f.commit(ctx, b); err != nil {
			return err
		}
		return fmt.Errorf("%w: zone %q, frame %d: but the commit was kept", ErrFault, b.Zone, b.Frame)
	case "Delay":
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	case "Tear":
		torn := *b
		torn.Owners = torn.Owners[:len(torn.Owners)/2]
		return f.commit(ctx, &torn)
	case "Reorder":
		f.mu.Lock()
		defer f.mu.Unlock()
		f.held[b.Zone] = copyBatch(b)
		return nil
	case "PowerLoss":
		return nil
	}
	return f.commit(ctx, b)
}

// commit executes one commit and then a commit that was held back by the Reorder fault, as a store
// that does not check frames would do.
func (f *Faulty) commit(ctx context.Context, b *store.Batch) error {
	f.mu.Lock()
	late := f.held[b.Zone]
	delete(f.held, b.Zone)
	f.mu.Unlock()
	if late == nil {
		return f.Store.Commit(ctx, b)
	}
	now := *b
	now.Since = min(now.Since, late.Since)
	if err := f.Store.Commit(ctx, &now); err != nil {
		return err
	}
	late.Since, late.Frame = b.Frame, b.Frame+1
	return f.Store.Commit(ctx, late)
}

// Arrivals implements [store.Mover] if the wrapped store does.
func (f *Faulty) Arrivals(ctx context.Context, zones []string) ([]store.Arrival, error) {
	if m, ok := f.Store.(store.Mover); ok {
		return m.Arrivals(ctx, zones)
	}
	return nil, store.ErrNoMoves
}

// Where implements [store.Mover] if the wrapped store does.
func (f *Faulty) Where(ctx context.Context, owners []buff.OwnerID) ([]store.Place, error) {
	if m, ok := f.Store.(store.Mover); ok {
		return m.Where(ctx, owners)
	}
	return nil, store.ErrNoMoves
}

func copyBatch(b *store.Batch) *store.Batch {
	c := *b
	c.Head = copyHead(&b.Head)
	c.Owners = nil
	for _, o := range b.Owners {
		c.Owners = append(c.Owners, copyOwner(o))
	}
	c.Deleted = append(c.Deleted[:0:0], b.Deleted...)
	c.Commands = append(c.Commands[:0:0], b.Commands...)
	c.Moved = append(c.Moved[:0:0], b.Moved...)
	c.Arrived = append(c.Arrived[:0:0], b.Arrived...)
	return &c
}
