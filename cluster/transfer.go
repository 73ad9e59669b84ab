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

// errRetry means that the sender should retry the command.
var errRetry = errors.New("cluster: retry later")

// depart moves an owner to another zone.
func (h *host) depart(id buff.OwnerID, to string) error {
	if h.eng.Busy(id) {
		return errRetry
	}
	if _, err := h.eng.Buffs(id); err != nil {
		return err
	}
	switch {
	case to == h.zone:
		return nil // the owner is already in that zone
	case !h.n.zoneExists(to):
		return fmt.Errorf("%w: %q", ErrZone, to)
	case h.spec.Depart != nil:
		if err := h.spec.Depart(h.saver, id, to); err != nil {
			return err
		}
	}
	_, err := h.saver.Move(id, to)
	switch {
	case errors.Is(err, engine.ErrBusy), errors.Is(err, engine.ErrOverloaded), errors.Is(err, store.ErrTooLarge):
		return errRetry
	case err == nil:
		h.n.count(func(s *Stats) { s.Departed++ })
	}
	return err
}

// away processes a command whose owner is not in this zone. It replies or, if necessary, first
// asks the locator for the location of the owner.
func (h *host) away(e envelope, a answer) {
	owner, err := h.ownerOf(&e.m)
	if err != nil {
		return // cannot happen, because the command was decoded before
	}
	code, ask := policy.Away(h.zone, h.saver.Leaving(owner), e.at)
	switch {
	case ask:
		if !h.n.locator.ask(question{h, owner, e}) {
			h.busy(a)
		}
		return
	case code == policy.Busy:
		if e.at != nil {
			h.n.locator.look()
		}
		h.busy(a)
		return
	}
	// The owner is elsewhere. Keep the id, so that a late copy of the command is not executed if
	// the owner comes back.
	if _, before := h.earlier(e.m.ID); before == 0 {
		h.keep(e.m.ID.AsMoved())
	}
	h.n.count(func(s *Stats) { s.Elsewhere++ })
	if a.r.Code, a.r.Body = policy.Moved, []byte(e.at.Zone); e.at.Zone == "" {
		a.r.Code, a.r.Body = policy.Refused, appendResult(nil, buff.Result{Failure: fmt.Errorf("%w: %d", engine.ErrUnknownOwner, owner)})
	}
	h.applied = append(h.applied, a)
}

// ownerOf returns the owner of a command.
func (h *host) ownerOf(m *policy.Message) (buff.OwnerID, error) {
	if owner, _, ok := parseTransfer(m.Body); ok {
		return owner, nil
	}
	var c buff.Command
	err := c.UnmarshalBinary(m.Body, h.eng.Catalog())
	return c.Owner, err
}

// admit admits owners that have arrived from other zones.
func (h *host) admit(list []store.Arrival) {
	failing, came := map[buff.OwnerID]uint64{}, 0
	h.saver.Arrive(list, func(a *store.Arrival, r buff.Restoration, err error) {
		id := a.Owner.ID
		if err != nil {
			if failing[id] = a.Number; h.failing[id] != a.Number && !errors.Is(err, engine.ErrBusy) {
				h.n.log(h.zone, h.epoch, fmt.Sprintf("cannot admit owner %d, which stays in transit: %v", id, err))
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
		h.n.locator.look() // more owners may have arrived
	}
}

// zoneExists reports whether a zone with that name exists, as of the last beat.
func (n *Node) zoneExists(zone string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.view.Zones, func(z policy.ZoneView) bool { return z.Name == zone })
}

// notifyArrivals notifies the target zones that owners are now in transit to them.
func (n *Node) notifyArrivals(moved []store.Move) {
	var last string
	for k := range moved {
		if to := moved[k].To; to != last {
			last = to
			// if the message is lost, the zone polls within a second
			_ = n.publish("", 0, n.o.Prefix+".arrived", []byte(to))
		}
	}
}

// Transfer moves an owner with all its buffs and data to another zone. The zones may run on any
// nodes. Transfer returns when the owner's departure is on disk. The owner is then in transit,
// and arrives when the other zone has been notified. If the owner is already in that zone or in
// transit to it, Transfer returns when it has arrived.
//
// Transfer returns [ErrZone] if there is no such zone; [ErrOwner] if, on disk, the owner is
// neither in a zone nor in transit to one; [ErrRefused] if Zone.Depart refused it or some of its
// state cannot be saved; or the errors of [Client.Ask]. Game code on the loop of the owner's zone
// should call store.Saver.Move, which needs no NATS.
func (n *Node) Transfer(ctx context.Context, owner buff.OwnerID, zone string) error {
	if !n.zoneExists(zone) {
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

// Where returns the locations of owners as of the last commits. Each owner is in a zone or in
// transit to a zone. Owners that are in no zone are omitted. Where queries the database and
// returns its errors.
func (n *Node) Where(ctx context.Context, owners ...buff.OwnerID) ([]store.Place, error) {
	return n.store.Where(ctx, owners)
}

// Transfer is like [Node.Transfer], but does not query the database for the zone of the owner. The
// parameter "from" is the zone in which the owner was last known to be; the parameter "to" is the
// target zone. Reply.Zone is the zone that executed the transfer.
func (c *Client) Transfer(ctx context.Context, owner buff.OwnerID, from, to string) (Reply, error) {
	return c.await(ctx, from, func(done func(Reply, error)) (policy.ID, error) {
		return c.sendBody(from, appendTransfer(nil, owner, to), Durable, done)
	})
}
