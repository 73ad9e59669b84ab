package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
)

// errNotYet: a sender comes again.
var errNotYet = errors.New("cluster: not yet")

// depart lets an owner go to another zone.
func (h *host) depart(id buff.OwnerID, to string) error {
	if h.eng.Busy(id) {
		return errNotYet
	}
	if _, err := h.eng.Buffs(id); err != nil {
		return err
	}
	switch {
	case to == h.zone:
		return nil // it is there
	case !h.n.knows(to):
		return fmt.Errorf("%w: %q", ErrZone, to)
	case h.spec.Depart != nil:
		if err := h.spec.Depart(h.saver, id, to); err != nil {
			return err
		}
	}
	_, err := h.saver.Move(id, to)
	switch {
	case errors.Is(err, engine.ErrBusy), errors.Is(err, engine.ErrOverloaded), errors.Is(err, store.ErrTooLarge):
		return errNotYet
	case err == nil:
		h.n.count(func(s *Stats) { s.Departed++ })
	}
	return err
}

// away answers a command whose owner is not here, or asks the database first where it is.
func (h *host) away(e envelope, a answer) {
	owner, err := h.ownerOf(&e.m)
	if err != nil {
		return // it was read before
	}
	code, ask := policy.Away(h.zone, h.saver.Leaving(owner), e.at)
	switch {
	case ask:
		if !h.n.guide.ask(question{h, owner, e}) {
			h.busy(a)
		}
		return
	case code == policy.Busy:
		if e.at != nil {
			h.n.guide.look()
		}
		h.busy(a)
		return
	}
	// It is elsewhere; or, if a copy of it has been told so before, it may be here again by now.
	if _, before := h.before(e.m.ID); before == 0 {
		h.keep(e.m.ID.AsMoved())
	}
	h.n.count(func(s *Stats) { s.Elsewhere++ })
	if a.r.Code, a.r.Body = policy.Moved, []byte(e.at.Zone); e.at.Zone == "" {
		a.r.Code, a.r.Body = policy.Refused, appendResult(nil, buff.Result{Err: fmt.Errorf("%w: %d", engine.ErrUnknownOwner, owner)})
	}
	h.applied = append(h.applied, a)
}

// ownerOf says whom a command is for.
func (h *host) ownerOf(m *policy.Message) (buff.OwnerID, error) {
	if owner, _, ok := parseTransfer(m.Body); ok {
		return owner, nil
	}
	var c buff.Command
	err := c.UnmarshalBinary(m.Body, h.eng.Catalog())
	return c.Owner, err
}

// letIn lets those in who have come from other zones.
func (h *host) letIn(list []store.Arrival) {
	failing, came := map[buff.OwnerID]uint64{}, 0
	h.saver.Arrive(list, func(a *store.Arrival, r buff.Restoration, err error) {
		id := a.Owner.ID
		if err != nil {
			if failing[id] = a.Number; h.failing[id] != a.Number && !errors.Is(err, engine.ErrBusy) {
				h.n.log(h.zone, h.epoch, fmt.Sprintf("does not let owner %d in, who stays on the way: %v", id, err))
			}
			return
		}
		came++
		if h.spec.Arrive != nil {
			h.spec.Arrive(h.saver, id, r)
		}
	})
	h.failing = failing
	h.polled.Store(false)
	if came > 0 {
		h.n.count(func(s *Stats) { s.Arrived += uint64(came) })
	}
	if came > 0 && len(list) == store.MostArrivals {
		h.n.guide.look() // there may be more
	}
}

// knows reports whether there is a zone of that name, as of the last beat.
func (n *Node) knows(zone string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.view.Zones, func(z policy.ZoneView) bool { return z.Name == zone })
}

// tellArrived tells the owners of zones that somebody is on the way to them.
func (n *Node) tellArrived(moved []store.Move) {
	var last string
	for k := range moved {
		if to := moved[k].To; to != last {
			last = to
			_ = n.publish("", 0, n.o.Prefix+".arrived", []byte(to)) // who does not hear it looks within a second
		}
	}
}

// Transfer lets an owner go to another zone, with all that it carries, wherever both are played, and returns when it has
// left its zone on disk: it is on its way then, and in the other zone as soon as that has heard of it. If it is on its
// way to that zone already, or there, Transfer returns when it is there.
//
// It fails with [ErrZone], with [ErrOwner] if no zone has the owner on disk, with [ErrRefused] if
// Zone.Depart has refused it or it has something that cannot be kept, or as [Client.Ask] does. Game code on the loop of the
// owner's zone calls store.Saver.Move, which needs no NATS.
func (n *Node) Transfer(ctx context.Context, owner buff.OwnerID, zone string) error {
	if !n.knows(zone) {
		return fmt.Errorf("%w: %q", ErrZone, zone)
	}
	asked, cancel := n.within()
	places, err := n.Where(asked, owner)
	cancel()
	if err != nil {
		return err
	}
	if len(places) == 0 {
		return fmt.Errorf("%w: %d", ErrOwner, owner)
	}
	_, err = n.client.Transfer(ctx, owner, places[0].Zone, zone)
	return err
}

// Where says where owners are, as of the last commits: in a zone, or on their way into one. Those that no zone has
// are left out. It asks the database, whose errors it returns.
func (n *Node) Where(ctx context.Context, owners ...buff.OwnerID) ([]store.Place, error) {
	return n.store.Where(ctx, owners)
}

// Transfer is that of [Node], for an owner that was last known to be in the zone from. Reply.Zone says which zone has
// done it, if it was another.
func (c *Client) Transfer(ctx context.Context, owner buff.OwnerID, from, to string) (Reply, error) {
	return c.await(ctx, from, func(done func(Reply, error)) (policy.ID, error) {
		return c.sendBody(from, appendTransfer(nil, owner, to), Durable, done)
	})
}
