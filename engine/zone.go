package engine

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// maxZones is the largest number of zones. A zone counts only if it has owners, or if its time is
// paused or has a rate other than 1.
const maxZones = buff.MaxOwners

// zone is an area whose time may be paused or run at another rate. Every owner is in one zone,
// initially in zone 0.
type zone struct {
	scale  zoneScale
	owners []uint32 // numbers of the owners
}

// zones holds all zones, and the owners that are still to be notified of their zone's time.
type zones struct {
	byID     map[uint32]*zone // includes zone 0
	endBuffs bool             // a definition, or an older version of it, has `on_zone: remove`
	pending  []ref            // owners not yet notified of their zone's time
}

func newZones() zones { return zones{byID: map[uint32]*zone{0: {}}} }

// first returns zone 0.
func (zs *zones) first() *zone { return zs.byID[0] }

// zoneScale is the effect of a zone on the time of its owners. The zero value has no effect.
type zoneScale struct {
	rate buff.Ratio // the zero Ratio means 1
	held bool       // the time is paused
}

// changes returns the commands that replace the effect `was` on an owner's time with the effect
// `p`. Only the first n elements of the list are valid.
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

// zoneMessages is the largest number of messages that a change of zone sends to a busy owner: the
// pause, the rate, and the end of its buffs that have `on_zone: remove`.
const zoneMessages = 3

// setZone moves an owner to a zone, and then ends its buffs that have `on_zone: remove`.
func (e *Engine) setZone(id buff.OwnerID, to uint32) buff.Result {
	o, err := e.present(id)
	if err != nil || o.zone == to {
		return buff.Result{Failure: err}
	}
	if err := e.checkRoom("owner", uint64(id)); err != nil {
		return buff.Result{Failure: err}
	}
	if e.zones.endBuffs && !e.idle(o) && o.waiting()+zoneMessages > e.opts.Limits.Mailbox {
		return e.overload(o, e.opts.Limits.Mailbox, "commands, since it is busy")
	}
	z, err := e.zones.getOrCreate(to)
	if err != nil {
		return buff.Result{Failure: err}
	}
	e.changeBusy(o, func() {
		e.leaveZone(o)
		e.zones.join(o, to, z)
	})
	e.applyZoneTime(o)
	all := buff.Result{Kind: buff.Done}
	if e.zones.endBuffs { // the buffs end after the owner has the time of the new zone
		mergeResults(&all, e.deliver(o, &buff.Command{Verb: verb.SetZone}))
	}
	return all
}

// leaveZone removes an owner from its zone.
func (e *Engine) leaveZone(o *owner) {
	place := o.place
	e.owners.at(e.zones.leave(o)).place = place
}

// setZoneTime pauses or resumes the time of a zone, or sets its rate.
func (e *Engine) setZoneTime(c *buff.Command) buff.Result {
	rate := c.Rate
	switch {
	case c.Verb == verb.Pause, c.Verb == verb.Resume:
		return e.changeZone(c.Zone, func(p *zoneScale) { p.held = c.Verb == verb.Pause })
	case rate == buff.Ratio{}:
	case rate.Num < 1 || rate.Num > buff.MaxRate || rate.Den < 1 || rate.Den > buff.MaxRate:
		return buff.Result{Failure: fmt.Errorf("%w: %d/%d for zone %d, want parts from 1 to %d", buff.ErrRate, rate.Num, rate.Den, c.Zone, buff.MaxRate)}
	case rate.Num == rate.Den:
		rate = buff.Ratio{}
	}
	return e.changeZone(c.Zone, func(p *zoneScale) { p.rate = rate })
}

// changeZone applies a change to the time of a zone and notifies its owners.
func (e *Engine) changeZone(id uint32, change func(*zoneScale)) (r buff.Result) {
	if e.closed {
		return buff.Result{Failure: ErrClosed}
	}
	if err := e.checkRoom("zone", uint64(id)); err != nil {
		return buff.Result{Failure: err}
	}
	z, err := e.zones.getOrCreate(id)
	if err != nil {
		return buff.Result{Failure: err}
	}
	was := z.scale
	if change(&z.scale); z.scale != was {
		r.Kind = buff.Done
	}
	for _, number := range z.owners {
		e.applyZoneTime(e.owners.at(number))
	}
	e.zones.removeIfUnused(id, z)
	return r
}

// getOrCreate returns the zone with the given id, and creates it if needed.
func (zs *zones) getOrCreate(id uint32) (*zone, error) {
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

// removeIfUnused deletes a zone that has no owners and whose time is normal.
func (zs *zones) removeIfUnused(id uint32, z *zone) {
	if len(z.owners) == 0 && z.scale == (zoneScale{}) && id != 0 {
		delete(zs.byID, id)
	}
}

func (zs *zones) join(o *owner, id uint32, z *zone) {
	o.zone, o.place = id, int32(len(z.owners))
	z.owners = append(z.owners, o.number)
}

// leave removes an owner from its zone's list and moves the last owner of the list to the free
// place. It returns the number of the owner that has moved, which may be the leaving owner itself.
func (zs *zones) leave(o *owner) (moved uint32) {
	z := zs.byID[o.zone]
	last := len(z.owners) - 1
	moved = z.owners[last]
	z.owners[o.place] = moved
	z.owners = z.owners[:last]
	zs.removeIfUnused(o.zone, z)
	return moved
}

// retryLater adds an owner to the list that retryZones processes, because the owner could not be
// notified of its zone's time.
func (zs *zones) retryLater(o *owner) {
	if b := o.needRare(); !b.zonePending {
		b.zonePending = true
		zs.pending = append(zs.pending, o.ref())
	}
}

// applyZoneTime gives an owner the time of its zone. If the owner is busy and its mailbox is full,
// the next Tick tries again.
func (e *Engine) applyZoneTime(o *owner) {
	want := e.zones.byID[o.zone].scale
	if o.readRare().scale == want || o.leaving() {
		return
	}
	if !e.idle(o) && o.waiting()+2 > e.opts.Limits.Mailbox {
		e.zones.retryLater(o)
		return
	}
	list, n := want.changes(o.readRare().scale)
	for k := range n {
		e.deliver(o, &list[k])
	}
	o.setScale(want)
}

// retryZones retries to notify owners of their zone's time, up to the cost limit for this work.
// Owners whose mailbox is still full go to the end of the list.
func (e *Engine) retryZones() {
	k, n := 0, len(e.zones.pending)
	for most := e.costSoFar() + e.part(); k < n && e.costSoFar() < most; k++ {
		e.loopWork.commands++ // counted even without a change, so that the work is limited
		if o := e.zones.pending[k].alive(); o != nil {
			o.needRare().zonePending = false
			e.applyZoneTime(o)
		}
	}
	e.zones.pending = slices.Delete(e.zones.pending, 0, k)
}
