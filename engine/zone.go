package engine

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// maxZones is how many zones there may be: those in which somebody is, and those whose time
// is not the world's.
const maxZones = buff.MaxOwners

// zone is an area whose time may stand still or pass at another rate. Every owner is in one:
// in zone 0 from its Spawn on.
type zone struct {
	scale  zoneScale
	owners []uint32 // their numbers
}

// zones are all of them, and what is left to tell their owners.
type zones struct {
	byID   map[uint32]*zone // zone 0 always
	sheds  bool             // some definition is, or was, left behind in its zone
	behind []ref            // who has not been told yet of its zone's time
}

func newZones() zones { return zones{byID: map[uint32]*zone{0: {}}} }

// first returns the zone that everybody begins in.
func (zs *zones) first() *zone { return zs.byID[0] }

// zoneScale is what a zone does to the time of its owners. The zero one does nothing.
type zoneScale struct {
	rate buff.Ratio // the zero Ratio for 1
	held bool
}

// changes returns the commands by which the time of an owner that has been told was follows that
// of its zone.
func (p zoneScale) changes(was zoneScale) (list [2]buff.Command, n int) {
	if was.held != p.held {
		do := verb.Resume
		if p.held {
			do = verb.Pause
		}
		list[n] = buff.Command{Verb: do, Whose: define.OfZone}
		n++
	}
	if was.rate != p.rate {
		list[n] = buff.Command{Verb: verb.SetRate, Whose: define.OfZone, Rate: p.rate}
		n++
	}
	return list, n
}

// setZone moves an owner into a zone.
func (e *Engine) setZone(id buff.OwnerID, to uint32) buff.Result {
	o, err := e.present(id)
	if err != nil || o.zone == to {
		return buff.Result{Err: err}
	}
	if err := e.roomFor("owner", uint64(id)); err != nil {
		return buff.Result{Err: err}
	}
	z, err := e.zones.need(to)
	if err != nil {
		return buff.Result{Err: err}
	}
	all := buff.Result{Kind: buff.Done}
	if e.zones.sheds {
		r := e.deliver(o, &buff.Command{Verb: verb.SetZone})
		if and(&all, r); r.Err != nil {
			e.zones.tidy(to, z)
			return buff.Result{Err: r.Err}
		}
	}
	e.alterBusy(o, func() {
		e.leaveZone(o)
		e.zones.join(o, to, z)
	})
	e.tellZone(o)
	return all
}

// leaveZone takes an owner out of its zone.
func (e *Engine) leaveZone(o *owner) {
	place := o.place
	e.owners.at(e.zones.leave(o)).place = place
}

// setZoneTime lets the time of a zone stand still, go on, or pass at a rate.
func (e *Engine) setZoneTime(c *buff.Command) buff.Result {
	rate := c.Rate
	switch {
	case c.Verb == verb.Pause, c.Verb == verb.Resume:
		return e.changeZone(c.Zone, func(p *zoneScale) { p.held = c.Verb == verb.Pause })
	case rate == buff.Ratio{}:
	case rate.Num < 1 || rate.Num > buff.MaxRate || rate.Den < 1 || rate.Den > buff.MaxRate:
		return buff.Result{Err: fmt.Errorf("%w: %d/%d for zone %d, want parts from 1 to %d", buff.ErrRate, rate.Num, rate.Den, c.Zone, buff.MaxRate)}
	case rate.Num == rate.Den:
		rate = buff.Ratio{}
	}
	return e.changeZone(c.Zone, func(p *zoneScale) { p.rate = rate })
}

// changeZone changes the time of a zone.
func (e *Engine) changeZone(id uint32, change func(*zoneScale)) (r buff.Result) {
	if e.closed {
		return buff.Result{Err: ErrClosed}
	}
	if err := e.roomFor("zone", uint64(id)); err != nil {
		return buff.Result{Err: err}
	}
	z, err := e.zones.need(id)
	if err != nil {
		return buff.Result{Err: err}
	}
	was := z.scale
	if change(&z.scale); z.scale != was {
		r.Kind = buff.Done
	}
	for _, number := range z.owners {
		e.tellZone(e.owners.at(number))
	}
	e.zones.tidy(id, z)
	return r
}

// need returns a zone, which is made if it is not there.
func (zs *zones) need(id uint32) (*zone, error) {
	if z := zs.byID[id]; z != nil {
		return z, nil
	}
	if len(zs.byID) >= maxZones {
		return nil, fmt.Errorf("%w: the limit is %d", ErrTooManyZones, maxZones)
	}
	z := &zone{}
	zs.byID[id] = z
	return z, nil
}

// tidy forgets a zone that is as if it had never been.
func (zs *zones) tidy(id uint32, z *zone) {
	if len(z.owners) == 0 && z.scale == (zoneScale{}) && id != 0 {
		delete(zs.byID, id)
	}
}

func (zs *zones) join(o *owner, id uint32, z *zone) {
	o.zone, o.place = id, int32(len(z.owners))
	z.owners = append(z.owners, o.number)
}

// leave returns the number of the owner who stands in the place of the one that leaves now: the last of
// the zone, which may be that one.
func (zs *zones) leave(o *owner) (moved uint32) {
	z := zs.byID[o.zone]
	last := len(z.owners) - 1
	moved = z.owners[last]
	z.owners[o.place] = moved
	z.owners = z.owners[:last]
	zs.tidy(o.zone, z)
	return moved
}

// wait notes an owner who could not be told of its zone's time.
func (zs *zones) wait(o *owner) {
	if b := o.note(); !b.behind {
		b.behind = true
		zs.behind = append(zs.behind, o.ref())
	}
}

// tellZone lets the time of an owner pass as its zone's does. Without room for that in the
// mailbox of a busy one, the next Tick tries again.
func (e *Engine) tellZone(o *owner) {
	want := e.zones.byID[o.zone].scale
	if o.noted().scale == want || o.leaving() {
		return
	}
	if !e.idle(o) && o.waiting()+2 > e.opts.Limits.Mailbox {
		e.zones.wait(o)
		return
	}
	list, n := want.changes(o.noted().scale)
	for k := range n {
		e.deliver(o, &list[k])
	}
	o.setScale(want)
}

// catchUpZones tells those for whom there was no room, as far as its part of the Tick goes. For
// whom there is still none comes after those whose turn it has not been.
func (e *Engine) catchUpZones() {
	k, n := 0, len(e.zones.behind)
	for most := e.spent() + e.part(); k < n && e.spent() < most; k++ {
		e.did.commands++ // also if there is nothing to tell it
		if o := e.zones.behind[k].alive(); o != nil {
			o.note().behind = false
			e.tellZone(o)
		}
	}
	e.zones.behind = slices.Delete(e.zones.behind, 0, k)
}
