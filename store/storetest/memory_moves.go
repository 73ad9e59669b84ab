package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// elsewhere returns an error if an owner of a Batch is in another zone or in transit. The parameter
// "frame" is the frame of the last cut.
func (m *memory) elsewhere(b *store.Batch, frame uint64) error {
	check := func(id buff.OwnerID) error {
		other, there := m.where[id]
		if there = there && other != b.Zone; !there {
			var a store.Arrival
			a, there = m.moves[id]
			other = a.Zone
			there = there && !slices.ContainsFunc(b.Arrived, func(x store.Arrival) bool {
				return x.Owner.ID == id && x.Number == a.Number && a.Zone == b.Zone
			})
		}
		if there {
			return fmt.Errorf("%w: owner %d is in zone %q, not %q", store.ErrElsewhere, id, other, b.Zone)
		}
		return nil
	}
	for k := range b.Owners {
		if err := check(b.Owners[k].ID); err != nil {
			return err
		}
	}
	for k := range b.Moved {
		if x := &b.Moved[k].Owner; x.Frame > frame {
			if err := check(x.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// applyMoves applies the arrivals and departures of a batch that no earlier commit has applied. The
// parameter "frame" is the frame of the last cut.
func (m *memory) applyMoves(z *memoryZone, b *store.Batch, frame uint64) {
	for _, x := range b.Arrived {
		if a := m.moves[x.Owner.ID]; a.Number == x.Number && a.Zone == b.Zone {
			delete(m.moves, x.Owner.ID)
		}
	}
	for k := range b.Moved {
		x := &b.Moved[k]
		if x.Owner.Frame <= frame {
			continue
		}
		delete(z.owners, x.Owner.ID)
		delete(m.where, x.Owner.ID)
		m.moved++
		m.moves[x.Owner.ID] = store.Arrival{Owner: copyOwner(x.Owner), Zone: x.To, Number: m.moved}
	}
}

// Arrivals implements [store.Mover].
func (m *Memory) Arrivals(ctx context.Context, zones []string) (list []store.Arrival, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, zone := range zones {
		if err := m.ready(ctx, zone); err != nil {
			return nil, err
		}
		var here []store.Arrival
		for _, a := range m.moves {
			if a.Zone == zone {
				a.Owner = copyOwner(a.Owner)
				here = append(here, a)
			}
		}
		slices.SortFunc(here, func(a, b store.Arrival) int { return cmp.Compare(a.Number, b.Number) })
		list = append(list, here[:min(len(here), store.MostArrivals)]...)
	}
	return list, nil
}

// Where implements [store.Mover].
func (m *Memory) Where(ctx context.Context, owners []buff.OwnerID) (list []store.Place, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, store.ErrClosed
	}
	for _, id := range owners {
		if zone, there := m.where[id]; there {
			list = append(list, store.Place{Owner: id, Zone: zone})
		} else if a, there := m.moves[id]; there {
			list = append(list, store.Place{Owner: id, Zone: a.Zone, Arriving: true})
		}
	}
	return list, ctx.Err()
}
