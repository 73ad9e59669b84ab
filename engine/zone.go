package engine

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

// MaxZones is how many zones there may be: those in which somebody is, and those whose time
// is not the world's.
const MaxZones = buff.MaxOwners

// zone is an area whose time may stand still or pass at another rate. Every owner is in one:
// in zone 0 from its Spawn on.
type zone struct {
	pace   zonePace
	owners []*owner
}

// zonePace is what a zone does to the time of its owners. The zero one does nothing.
type zonePace struct {
	rate buff.Ratio // the zero Ratio for 1
	held bool
}

// SetZone moves an owner into a zone. From now on its time passes as the zone's does, beside
// what it has of its own; it leaves what its zone was until now. Whoever spawns is in zone
// 0, and a zone is not saved with its owner. Buffs whose OnZone wants it go, for the reason
// Interrupt and the act "zone". It fails with [ErrUnknownOwner], [ErrTooManyZones],
// [ErrClosed] or, if the owner is busy and has buffs that may go, [ErrOverloaded].
//
// Only the loop goroutine may call it. It costs O(buffs of that owner) if the time of the
// two zones differs.
func (e *Engine) SetZone(id buff.OwnerID, to uint32) error {
	e.enter("SetZone")
	e.record.begin(opSetZone, uint64(to), uint64(id))
	o, err := e.present(id)
	if err != nil || o.zone == to {
		return err
	}
	z, err := e.needZone(to)
	if err != nil {
		return err
	}
	if e.zonal {
		if r := e.deliver(o, &buff.Command{Verb: buff.ZoneLeft}); r.Err != nil {
			e.tidyZone(to, z)
			return r.Err
		}
	}
	e.leaveZone(o)
	e.joinZone(o, to, z)
	e.tellZone(o)
	return nil
}

// PauseZone lets the time of all owners of a zone stand still, until [Engine.ResumeZone]:
// ends, pulses and timeouts alike. It fails with [ErrTooManyZones] or [ErrClosed]. Whoever
// is busy is paused from this instant on too; without room in its mailbox, from the Tick in
// which there is some.
//
// Only the loop goroutine may call it. It costs O(owners of the zone and their buffs).
func (e *Engine) PauseZone(id uint32) error {
	e.enter("PauseZone")
	e.record.begin(opHoldZone, uint64(id), 1)
	return e.changeZone(id, func(p *zonePace) { p.held = true })
}

// ResumeZone ends a [Engine.PauseZone].
//
// Only the loop goroutine may call it. It costs O(owners of the zone and their buffs).
func (e *Engine) ResumeZone(id uint32) error {
	e.enter("ResumeZone")
	e.record.begin(opHoldZone, uint64(id), 0)
	return e.changeZone(id, func(p *zonePace) { p.held = false })
}

// SetZoneRate lets the time of all owners of a zone pass at a rate: 1/2 is half as fast, the
// zero Ratio is 1. It fails as PauseZone does, and with buff.ErrRate unless both parts are
// from 1 to buff.MaxRate.
//
// Only the loop goroutine may call it. It costs O(owners of the zone and their buffs).
func (e *Engine) SetZoneRate(id uint32, rate buff.Ratio) error {
	e.enter("SetZoneRate")
	e.record.begin(opRateZone, uint64(id), uint64(rate.Num)<<32|uint64(rate.Den))
	switch {
	case rate == buff.Ratio{}:
	case rate.Num < 1 || rate.Num > buff.MaxRate || rate.Den < 1 || rate.Den > buff.MaxRate:
		return fmt.Errorf("%w: %d/%d for zone %d, want parts from 1 to %d", buff.ErrRate, rate.Num, rate.Den, id, buff.MaxRate)
	case rate.Num == rate.Den:
		rate = buff.Ratio{}
	}
	return e.changeZone(id, func(p *zonePace) { p.rate = rate })
}

// changeZone changes the time of a zone.
func (e *Engine) changeZone(id uint32, change func(*zonePace)) error {
	if e.closed {
		return ErrClosed
	}
	z, err := e.needZone(id)
	if err != nil {
		return err
	}
	change(&z.pace)
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
	if len(z.owners) == 0 && z.pace == (zonePace{}) && id != 0 {
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
	want := e.zones[o.zone].pace
	if o.pace == want || o.leaving {
		return
	}
	if !e.idle(o) && int(o.handed+o.late)+2 > e.opts.MailboxLimit {
		if !o.behind {
			o.behind = true
			e.behind = append(e.behind, o)
		}
		return
	}
	if o.pace.held != want.held {
		verb := buff.Resume
		if want.held {
			verb = buff.Hold
		}
		e.deliver(o, &buff.Command{Verb: verb, Whose: buff.OfZone})
	}
	if o.pace.rate != want.rate {
		e.deliver(o, &buff.Command{Verb: buff.SetRate, Whose: buff.OfZone, Rate: want.rate})
	}
	o.pace = want
}

// catchUpZones tells those for whom there was no room.
func (e *Engine) catchUpZones() {
	behind := e.behind
	e.behind = e.behind[:0]
	for _, o := range behind {
		o.behind = false
		if e.at(o.number) == o {
			e.tellZone(o)
		}
	}
	clear(behind[len(e.behind):])
}
