package engine

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
)

// MaxZones is how many zones there may be: those in which somebody is, and those whose time
// is not the world's.
const MaxZones = buff.MaxOwners

// zone is an area whose time may stand still or pass at another rate. Every owner is in one:
// in zone 0 from its Spawn on.
type zone struct {
	scale  zoneScale
	owners []*owner
}

// zoneScale is what a zone does to the time of its owners. The zero one does nothing.
type zoneScale struct {
	rate buff.Ratio // the zero Ratio for 1
	held bool
}

// setZone moves an owner into a zone.
func (e *Engine) setZone(id buff.OwnerID, to uint32) error {
	o, err := e.present(id)
	if err != nil || o.zone == to {
		return err
	}
	if err := e.roomFor("owner", uint64(id)); err != nil {
		return err
	}
	z, err := e.needZone(to)
	if err != nil {
		return err
	}
	if e.zonal {
		if r := e.deliver(o, &buff.Command{Verb: buff.VerbSetZone}); r.Err != nil {
			e.tidyZone(to, z)
			return r.Err
		}
	}
	e.alterBusy(o, func() {
		e.leaveZone(o)
		e.joinZone(o, to, z)
	})
	e.tellZone(o)
	return nil
}

// setZoneTime lets the time of a zone stand still, go on, or pass at a rate.
func (e *Engine) setZoneTime(c *buff.Command) error {
	rate := c.Rate
	switch {
	case c.Verb == buff.VerbPause, c.Verb == buff.VerbResume:
		return e.changeZone(c.Zone, func(p *zoneScale) { p.held = c.Verb == buff.VerbPause })
	case rate == buff.Ratio{}:
	case rate.Num < 1 || rate.Num > buff.MaxRate || rate.Den < 1 || rate.Den > buff.MaxRate:
		return fmt.Errorf("%w: %d/%d for zone %d, want parts from 1 to %d", buff.ErrRate, rate.Num, rate.Den, c.Zone, buff.MaxRate)
	case rate.Num == rate.Den:
		rate = buff.Ratio{}
	}
	return e.changeZone(c.Zone, func(p *zoneScale) { p.rate = rate })
}

// changeZone changes the time of a zone.
func (e *Engine) changeZone(id uint32, change func(*zoneScale)) error {
	if e.closed {
		return ErrClosed
	}
	if err := e.roomFor("zone", uint64(id)); err != nil {
		return err
	}
	z, err := e.needZone(id)
	if err != nil {
		return err
	}
	change(&z.scale)
	for _, o := range z.owners {
		e.tellZone(o)
	}
	e.tidyZone(id, z)
	return nil
}

// needZone returns a zone, which is made if it is not there.
func (e *Engine) needZone(id uint32) (*zone, error) {
	if z := e.zones[id]; z != nil {
		return z, nil
	}
	if len(e.zones) >= MaxZones {
		return nil, fmt.Errorf("%w: the limit is %d", ErrTooManyZones, MaxZones)
	}
	z := &zone{}
	e.zones[id] = z
	return z, nil
}

// tidyZone forgets a zone that is as if it had never been.
func (e *Engine) tidyZone(id uint32, z *zone) {
	if len(z.owners) == 0 && z.scale == (zoneScale{}) && id != 0 {
		delete(e.zones, id)
	}
}

func (e *Engine) joinZone(o *owner, id uint32, z *zone) {
	o.zone, o.place = id, int32(len(z.owners))
	z.owners = append(z.owners, o)
}

func (e *Engine) leaveZone(o *owner) {
	z := e.zones[o.zone]
	last := len(z.owners) - 1
	z.owners[o.place] = z.owners[last]
	z.owners[o.place].place = o.place
	z.owners[last] = nil
	z.owners = z.owners[:last]
	e.tidyZone(o.zone, z)
}

// tellZone lets the time of an owner pass as its zone's does. Without room for that in the
// mailbox of a busy one, the next Tick tries again.
func (e *Engine) tellZone(o *owner) {
	want := e.zones[o.zone].scale
	if o.scale == want || o.leaving {
		return
	}
	if !e.idle(o) && int(o.handed+o.late)+2 > e.opts.MailboxLimit {
		if !o.behind {
			o.behind = true
			e.behind = append(e.behind, o)
		}
		return
	}
	list, n := want.changes(o.scale)
	for k := range n {
		e.deliver(o, &list[k])
	}
	o.scale = want
}

// catchUpZones tells those for whom there was no room, as far as its part of the Tick goes. For
// whom there is still none comes after those whose turn it has not been.
func (e *Engine) catchUpZones() {
	k, n := 0, len(e.behind)
	for most := e.spent() + e.part(); k < n && e.spent() < most; k++ {
		o := e.behind[k]
		o.behind = false
		e.did.commands++ // also if there is nothing to tell it
		if e.at(o.number) == o {
			e.tellZone(o)
		}
	}
	e.behind = slices.Delete(e.behind, 0, k)
}
