package engine

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// maxAreas is the largest number of areas. An area counts only if it has owners, or if its time is
// paused or has a rate other than 1.
const maxAreas = buff.MaxOwners

// area is a part of the game whose time may be paused or run at another rate. Every owner is in one
// area, initially in area 0.
type area struct {
	scale  areaScale
	owners []uint32 // numbers of the owners
}

// areas holds all areas, and the owners that are still to be notified of their area's time.
type areas struct {
	byID     map[uint32]*area // includes area 0
	endBuffs bool             // a definition, or an older version of it, has `on_area: remove`
	pending  []ref            // owners not yet notified of their area's time
}

func newAreas() areas { return areas{byID: map[uint32]*area{0: {}}} }

// first returns area 0.
func (zs *areas) first() *area { return zs.byID[0] }

// areaScale is the effect of an area on the time of its owners. The zero value has no effect.
type areaScale struct {
	rate buff.Ratio // the zero Ratio means 1
	held bool       // the time is paused
}

// changes returns the commands that replace the effect `was` on an owner's time with the effect
// `p`. Only the first n elements of the list are valid.
func (p areaScale) changes(was areaScale) (list [2]buff.Command, n int) {
	if was.held != p.held {
		do := verb.Resume
		if p.held {
			do = verb.Pause
		}
		list[n] = buff.Command{Verb: do, Whose: define.OfArea}
		n++
	}
	if was.rate != p.rate {
		list[n] = buff.Command{Verb: verb.SetRate, Whose: define.OfArea, Rate: p.rate}
		n++
	}
	return list, n
}

// areaMessages is the largest number of messages that a change of area sends to a busy owner: the
// pause, the rate, and the end of its buffs that have `on_area: remove`.
const areaMessages = 3

// setArea moves an owner to an area, and then ends its buffs that have `on_area: remove`.
func (e *Engine) setArea(id buff.OwnerID, to uint32) buff.Result {
	o, err := e.present(id)
	if err != nil || o.area == to {
		return buff.Result{Failure: err}
	}
	if err := e.checkRoom("owner", uint64(id)); err != nil {
		return buff.Result{Failure: err}
	}
	if e.areas.endBuffs && !e.idle(o) && o.waiting()+areaMessages > e.opts.Limits.Mailbox {
		return e.overload(o, e.opts.Limits.Mailbox, "commands, since it is busy")
	}
	z, err := e.areas.getOrCreate(to)
	if err != nil {
		return buff.Result{Failure: err}
	}
	e.changeBusy(o, func() {
		e.leaveArea(o)
		e.areas.join(o, to, z)
	})
	e.applyAreaTime(o)
	all := buff.Result{Kind: buff.Done}
	if e.areas.endBuffs { // the buffs end after the owner has the time of the new area
		mergeResults(&all, e.deliver(o, &buff.Command{Verb: verb.SetArea}))
	}
	return all
}

// leaveArea removes an owner from its area.
func (e *Engine) leaveArea(o *owner) {
	place := o.place
	e.owners.at(e.areas.leave(o)).place = place
}

// setAreaTime pauses or resumes the time of an area, or sets its rate.
func (e *Engine) setAreaTime(c *buff.Command) buff.Result {
	rate := c.Rate
	switch {
	case c.Verb == verb.Pause, c.Verb == verb.Resume:
		return e.changeArea(c.Area, func(p *areaScale) { p.held = c.Verb == verb.Pause })
	case rate == buff.Ratio{}:
	case rate.Num < 1 || rate.Num > buff.MaxRate || rate.Den < 1 || rate.Den > buff.MaxRate:
		return buff.Result{Failure: fmt.Errorf("%w: %d/%d for area %d, want parts from 1 to %d", buff.ErrRate, rate.Num, rate.Den, c.Area, buff.MaxRate)}
	case rate.Num == rate.Den:
		rate = buff.Ratio{}
	}
	return e.changeArea(c.Area, func(p *areaScale) { p.rate = rate })
}

// changeArea applies a change to the time of an area and notifies its owners.
func (e *Engine) changeArea(id uint32, change func(*areaScale)) (r buff.Result) {
	if e.closed {
		return buff.Result{Failure: ErrClosed}
	}
	if err := e.checkRoom("area", uint64(id)); err != nil {
		return buff.Result{Failure: err}
	}
	z, err := e.areas.getOrCreate(id)
	if err != nil {
		return buff.Result{Failure: err}
	}
	was := z.scale
	if change(&z.scale); z.scale != was {
		r.Kind = buff.Done
	}
	for _, number := range z.owners {
		e.applyAreaTime(e.owners.at(number))
	}
	e.areas.removeIfUnused(id, z)
	return r
}

// getOrCreate returns the area with the given id, and creates it if needed.
func (zs *areas) getOrCreate(id uint32) (*area, error) {
	if z := zs.byID[id]; z != nil {
		return z, nil
	}
	if len(zs.byID) >= maxAreas {
		return nil, fmt.Errorf("%w: the limit is %d", ErrTooManyAreas, maxAreas)
	}
	z := &area{}
	zs.byID[id] = z
	return z, nil
}

// removeIfUnused deletes an area that has no owners and whose time is normal.
func (zs *areas) removeIfUnused(id uint32, z *area) {
	if len(z.owners) == 0 && z.scale == (areaScale{}) && id != 0 {
		delete(zs.byID, id)
	}
}

func (zs *areas) join(o *owner, id uint32, z *area) {
	o.area, o.place = id, int32(len(z.owners))
	z.owners = append(z.owners, o.number)
}

// leave removes an owner from its area's list and moves the last owner of the list to the free
// place. It returns the number of the owner that has moved, which may be the leaving owner itself.
func (zs *areas) leave(o *owner) (moved uint32) {
	z := zs.byID[o.area]
	last := len(z.owners) - 1
	moved = z.owners[last]
	z.owners[o.place] = moved
	z.owners = z.owners[:last]
	zs.removeIfUnused(o.area, z)
	return moved
}

// retryLater adds an owner to the list that retryAreas processes, because the owner could not be
// notified of its area's time.
func (zs *areas) retryLater(o *owner) {
	if b := o.needRare(); !b.areaPending {
		b.areaPending = true
		zs.pending = append(zs.pending, o.ref())
	}
}

// applyAreaTime gives an owner the time of its area. If the owner is busy and its mailbox is full,
// the next Tick tries again.
func (e *Engine) applyAreaTime(o *owner) {
	want := e.areas.byID[o.area].scale
	if o.readRare().scale == want || o.leaving() {
		return
	}
	if !e.idle(o) && o.waiting()+2 > e.opts.Limits.Mailbox {
		e.areas.retryLater(o)
		return
	}
	list, n := want.changes(o.readRare().scale)
	for k := range n {
		e.deliver(o, &list[k])
	}
	o.setScale(want)
}

// retryAreas retries to notify owners of their area's time, up to the cost limit for this work.
// Owners whose mailbox is still full go to the end of the list.
func (e *Engine) retryAreas() {
	k, n := 0, len(e.areas.pending)
	for most := e.costSoFar() + e.part(); k < n && e.costSoFar() < most; k++ {
		e.loopWork.commands++ // counted even without a change, so that the work is limited
		if o := e.areas.pending[k].alive(); o != nil {
			o.needRare().areaPending = false
			e.applyAreaTime(o)
		}
	}
	e.areas.pending = slices.Delete(e.areas.pending, 0, k)
}
