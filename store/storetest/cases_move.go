package storetest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// mover is a test of moves between two zones, a and b. Each zone has one cut.
type mover struct {
	*play
	store.Mover
	a, b uint64 // epochs of the zones a and b
}

// mover opens two zones, the first of which has an owner with the given id. It returns nil without
// an error if the store reports that it is not a Mover.
func (p *play) mover(id buff.OwnerID) (*mover, error) {
	epoch, want, err := p.started("a", id)
	if err != nil {
		return nil, err
	}
	m, ok := p.s.(store.Mover)
	if !ok {
		err := fails("a move in a store that is no Mover", p.s.Commit(p.ctx, leaves(batch("a", epoch, 1, 2), id, "b", 2)), store.ErrNoMoves)
		return nil, errors.Join(err, p.same(want))
	}
	other, err := p.begin("b")
	if err != nil {
		return nil, err
	}
	return &mover{p, m, epoch, other}, p.s.Commit(p.ctx, batch("b", other, 0, 1))
}

// leaves adds a departure in the given frame to a batch.
func leaves(b *store.Batch, id buff.OwnerID, to string, frame uint64) *store.Batch {
	o := owner(id, fmt.Sprintf("of %s in frame %d", b.Zone, frame))
	o.Frame = frame
	b.Moved = append(b.Moved, store.Move{Owner: o, To: to})
	return b
}

// arrives adds an arrival to a batch.
func arrives(b *store.Batch, a store.Arrival) *store.Batch {
	b.Arrived = append(b.Arrived, store.Arrival{Owner: store.Owner{ID: a.Owner.ID}, Zone: a.Zone, Number: a.Number})
	return b
}

// at checks that an owner is in a zone or in transit to it, and in no other zone. The zone ""
// means that the owner is in no zone.
func (m *mover) at(id buff.OwnerID, zone string, arriving bool) error {
	places, err := m.Where(m.ctx, []buff.OwnerID{id})
	if err != nil {
		return fmt.Errorf("Where: %w", err)
	}
	if zone == "" && len(places) == 0 || len(places) == 1 && places[0] == (store.Place{Owner: id, Zone: zone, Arriving: arriving}) {
		return m.inCut(id, zone, arriving)
	}
	return fmt.Errorf("owner %d is at %+v, want zone %q, arriving: %v", id, places, zone, arriving)
}

// inCut checks that the owner is in the cut of the given zone (unless it is still arriving) and in
// no other cut.
func (m *mover) inCut(id buff.OwnerID, zone string, arriving bool) error {
	for _, name := range []string{"a", "b"} {
		cut, err := m.s.Load(m.ctx, name)
		if err != nil {
			return fmt.Errorf("Load of zone %q: %w", name, err)
		}
		has := false
		for _, o := range cut.Owners {
			has = has || o.ID == id
		}
		if want := name == zone && !arriving; has != want {
			return fmt.Errorf("zone %q has owner %d: %v, want %v", name, id, has, want)
		}
	}
	return nil
}

// arrival checks that only the given owner, with the given data, is in transit to a zone. It
// returns that arrival.
func (m *mover) arrival(id buff.OwnerID, zone, text string) (store.Arrival, error) {
	list, err := m.Arrivals(m.ctx, []string{"nobody's", zone})
	if err != nil {
		return store.Arrival{}, fmt.Errorf("Arrivals: %w", err)
	}
	if len(list) != 1 || list[0].Owner.ID != id || list[0].Zone != zone || list[0].Number == 0 || string(list[0].Owner.Data) != text {
		return store.Arrival{}, fmt.Errorf("the arrivals of zone %q are %+v, want owner %d, as it was %s", zone, list, id, text)
	}
	return list[0], nil
}

// moves moves an owner from a to b, and then to a zone that has never been opened.
func (p *play) moves() error {
	m, err := p.mover(7)
	if m == nil || err != nil {
		return err
	}
	if err := errors.Join(m.Commit(p.ctx, leaves(batch("a", m.a, 1, 2, owner(8, "stays")), 7, "b", 2)), m.at(7, "b", true)); err != nil {
		return err
	}
	if err := p.reopen(); err != nil {
		return err
	}
	m.Mover = p.s.(store.Mover)
	whole := batch("b", m.b, 0, 2, owner(5, "of b"))
	whole.Whole = true // owners in transit are not part of a zone
	if err := m.Commit(p.ctx, whole); err != nil {
		return err
	}
	x, err := m.arrival(7, "b", "of a in frame 2")
	if err != nil {
		return err
	}
	if err := errors.Join(m.Commit(p.ctx, arrives(batch("b", m.b, 2, 3, owner(7, "of b")), x)), m.at(7, "b", false)); err != nil {
		return err
	}
	if err := errors.Join(m.Commit(p.ctx, leaves(batch("b", m.b, 3, 4), 7, "c", 4)), m.at(7, "c", true)); err != nil {
		return err
	}
	epoch, err := p.begin("c")
	if err != nil {
		return err
	}
	if x, err = m.arrival(7, "c", "of b in frame 4"); err != nil {
		return err
	}
	gone := arrives(batch("c", epoch, 0, 1), x) // the owner arrives and logs out in the same frame
	gone.Deleted = []buff.OwnerID{7}
	return errors.Join(m.Commit(p.ctx, gone), m.at(7, "", false))
}

// movesRepeated repeats the commits of a departure and of an arrival, as if their acknowledgements
// were lost, even after the owner has moved on and returned.
func (p *play) movesRepeated() error {
	m, err := p.mover(7)
	if m == nil || err != nil {
		return err
	}
	if err := m.Commit(p.ctx, leaves(batch("a", m.a, 1, 2), 7, "b", 2)); err != nil {
		return err
	}
	x, err := m.arrival(7, "b", "of a in frame 2")
	if err != nil {
		return err
	}
	again := func(frame uint64) *store.Batch { return leaves(batch("a", m.a, 1, frame), 7, "b", 2) }
	if err := errors.Join(m.Commit(p.ctx, again(2)), m.Commit(p.ctx, again(3)), m.at(7, "b", true)); err != nil {
		return err
	}
	if same, err := m.arrival(7, "b", "of a in frame 2"); err != nil || same.Number != x.Number {
		return fmt.Errorf("the same move has number %d, and then %d: %w", x.Number, same.Number, orNil(err))
	}
	both := func(frame uint64) *store.Batch { // the owner arrives and moves on in the same frame
		return arrives(leaves(batch("b", m.b, 1, frame), 7, "a", 2), x)
	}
	if err := errors.Join(m.Commit(p.ctx, both(2)), m.at(7, "a", true), m.Commit(p.ctx, again(4)), m.at(7, "a", true)); err != nil {
		return err
	}
	y, err := m.arrival(7, "a", "of b in frame 2")
	if err != nil {
		return err
	}
	if y.Number <= x.Number {
		return fmt.Errorf("move %d of an owner comes after move %d", y.Number, x.Number)
	}
	home := arrives(batch("a", m.a, 4, 5, owner(7, "home")), y)
	late := arrives(batch("b", m.b, 1, 4), x)
	late.Deleted = []buff.OwnerID{7}
	return errors.Join(m.Commit(p.ctx, home), m.at(7, "a", false), m.Commit(p.ctx, both(3)), m.at(7, "a", false), m.Commit(p.ctx, late), m.at(7, "a", false))
}

// movesRefused checks that an owner cannot be moved by a fenced writer, or from a zone that does
// not contain it.
func (p *play) movesRefused() error {
	m, err := p.mover(7)
	if m == nil || err != nil {
		return err
	}
	both := leaves(leaves(batch("a", m.a, 1, 2), 7, "b", 2), 7, "c", 2)
	deleted := leaves(batch("a", m.a, 1, 2), 7, "b", 2)
	deleted.Deleted = []buff.OwnerID{7}
	nobody := arrives(batch("a", m.a, 1, 2), store.Arrival{Owner: store.Owner{ID: 9}})
	for _, c := range []struct {
		what string
		want error
		b    *store.Batch
	}{
		{"with a wrong epoch", store.ErrFenced, leaves(batch("a", m.a+1, 1, 2), 7, "b", 2)},
		{"from a zone without the owner", store.ErrElsewhere, leaves(batch("b", m.b, 1, 2), 7, "c", 2)},
		{"to the same zone", store.ErrBatch, leaves(batch("a", m.a, 1, 2), 7, "a", 2)},
		{"to no zone", store.ErrName, leaves(batch("a", m.a, 1, 2), 7, "", 2)},
		{"with a later frame", store.ErrBatch, leaves(batch("a", m.a, 1, 2), 7, "b", 3)},
		{"without a frame", store.ErrBatch, leaves(batch("a", m.a, 1, 2), 7, "b", 0)},
		{"to two zones", store.ErrBatch, both},
		{"of a deleted owner", store.ErrBatch, deleted},
		{"of a changed owner", store.ErrBatch, leaves(batch("a", m.a, 1, 2, owner(7, "new")), 7, "b", 2)},
		{"without a number", store.ErrBatch, nobody},
	} {
		if err := errors.Join(fails("a move "+c.what, m.Commit(p.ctx, c.b), c.want), m.at(7, "a", false)); err != nil {
			return err
		}
	}
	if err := m.Commit(p.ctx, leaves(batch("a", m.a, 1, 2), 7, "b", 2)); err != nil {
		return err
	}
	spawned := fails("a change of an owner in transit", m.Commit(p.ctx, batch("a", m.a, 2, 3, owner(7, "twin"))), store.ErrElsewhere)
	stranger := fails("a change of an owner in another zone", m.Commit(p.ctx, batch("b", m.b, 1, 2, owner(7, "twin"))), store.ErrElsewhere)
	c, err := p.take("a")
	if err != nil {
		return err
	}
	late := fails("a late move", m.Commit(p.ctx, leaves(batch("a", m.a, 2, 3), 7, "c", 3)), store.ErrFenced)
	second := fails("a second move", m.Commit(p.ctx, leaves(batch("a", c.Epoch, 2, 3), 7, "c", 3)), store.ErrElsewhere)
	return errors.Join(spawned, stranger, late, second, m.at(7, "b", true))
}

// movesConcurrent lets two zones exchange owners concurrently. Each owner must be in one zone.
func (p *play) movesConcurrent() error {
	m, err := p.mover(1)
	if m == nil || err != nil {
		return err
	}
	const owners, rounds = 8, 20
	var all sync.WaitGroup
	errs := make([]error, 2)
	for k, zone := range []struct {
		name, other string
		epoch       uint64
		first       buff.OwnerID
	}{{"a", "b", m.a, 100}, {"b", "a", m.b, 200}} {
		all.Go(func() {
			for frame := uint64(2); frame < 2+rounds && errs[k] == nil; frame++ {
				list, err := m.Arrivals(p.ctx, []string{zone.name})
				b := batch(zone.name, zone.epoch, frame-1, frame)
				for n := range buff.OwnerID(owners) {
					if frame == 2 {
						leaves(b, zone.first+n, zone.other, frame)
					}
				}
				for _, x := range list {
					leaves(arrives(b, x), x.Owner.ID, zone.other, frame)
				}
				errs[k] = errors.Join(err, p.s.Commit(p.ctx, b))
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for n := range buff.OwnerID(owners) {
		for _, id := range []buff.OwnerID{100 + n, 200 + n} {
			if places, err := m.Where(p.ctx, []buff.OwnerID{id}); err != nil || len(places) != 1 || !places[0].Arriving {
				return fmt.Errorf("owner %d is at %+v: %w", id, places, orNil(err))
			}
		}
	}
	return nil
}
