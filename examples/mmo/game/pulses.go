package game

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/wheel"
)

// pulses checks the engine's pulses. From the starts, refreshes and ends of buffs it computes how
// many pulses were due, and compares this number with the number of pulses that ran. It uses only
// events and definitions, and no counter, wheel or queue of the engine.
//
// If a buff is removed before its expiry, exactly at the time of a pulse, it is not known whether
// the pulse ran first. In this case, pulses counts the pulse as due if the events show that it ran.
//
// When the page pauses a player's time, no event reports the pause. Therefore pulses ignores all
// buffs that the player has or gets during the pause, until these buffs end.
type pulses struct {
	due, run int
	live     map[buff.Handle]*beat
	paused   map[buff.OwnerID]bool
	leftOut  map[buff.Handle]bool
}

// beat is one pulsing buff.
type beat struct {
	owner     buff.OwnerID
	spec      *buff.Spec
	next, end wheel.Time
	last      wheel.Time // time of the last pulse
}

func newPulses() pulses {
	return pulses{live: map[buff.Handle]*beat{}, paused: map[buff.OwnerID]bool{}, leftOut: map[buff.Handle]bool{}}
}

// pause stops the check of a player's buffs, because the page has paused the player's time. Pulses
// that were due before the pause still count.
func (p *pulses) pause(owner buff.OwnerID, now wheel.Time) {
	p.paused[owner] = true
	for h, b := range p.live {
		if b.owner == owner {
			p.pass(b, now)
			delete(p.live, h)
			p.leftOut[h] = true
		}
	}
}

// resume starts the check again for buffs that the player gets from now on.
func (p *pulses) resume(owner buff.OwnerID) { delete(p.paused, owner) }

// leaves reports whether an event is about an ignored buff, and updates the set of ignored buffs.
func (p *pulses) leaves(e buff.Event) bool {
	out := p.leftOut[e.Handle]
	switch {
	case !out && p.paused[e.Owner] && (e.Kind == buff.Applied || e.Kind == buff.Restored):
		p.leftOut[e.Handle] = true
		return true
	case out && e.Kind == buff.Removed:
		delete(p.leftOut, e.Handle)
	}
	return out
}

func (p *pulses) add(e buff.Event) {
	b := p.live[e.Handle]
	switch {
	case e.Spec == nil, p.leaves(e), e.Spec.Period == 0 && b == nil:
		return
	case b != nil && b.spec != e.Spec:
		p.revise(b, e)
	}
	if e.Kind == buff.Applied {
		b := &beat{owner: e.Owner, spec: e.Spec, next: e.At.After(e.Spec.Period), end: e.End, last: -1}
		p.live[e.Handle] = b
		if e.Spec.First != define.FirstNone {
			p.due++
		}
		return
	}
	if e.Kind == buff.Restored {
		p.live[e.Handle] = &beat{owner: e.Owner, spec: e.Spec, next: e.Next, end: e.End, last: -1}
		return
	}
	switch {
	case e.Kind == buff.Pulsed:
		p.run++
		if b != nil {
			b.last = e.At
		}
	case b == nil:
	case e.Kind == buff.Refreshed:
		p.renew(b, e)
	case e.Kind == buff.StackEnded && e.Why == reason.Expired:
		p.expire(b, e.At)
		b.end = e.End
	case e.Kind == buff.Removed:
		if e.Why == reason.Expired {
			p.expire(b, e.At)
		} else {
			p.interrupt(b, e.At)
		}
		delete(p.live, e.Handle)
	}
}

// pass counts the pulses of a buff that were due by the given time.
func (p *pulses) pass(b *beat, until wheel.Time) {
	for b.next <= min(until, b.end) && b.next != wheel.Never {
		b.next = b.next.After(b.spec.Period)
		p.due++
	}
}

// expire counts the pulses of a buff that has expired. They include the pulse for a last partial
// period.
func (p *pulses) expire(b *beat, at wheel.Time) {
	p.pass(b, at)
	if b.spec.Tail == define.TailPartial && b.next != at.After(b.spec.Period) {
		p.due++
		b.next = at.After(b.spec.Period)
	}
}

// interrupt counts the pulses of a buff that ended early.
func (p *pulses) interrupt(b *beat, at wheel.Time) {
	p.pass(b, at-1)
	switch {
	case b.last != at:
	case b.next == at:
		p.pass(b, at)
	case b.end == at: // a partial pulse at the end of the buff
		p.expire(b, at)
	}
}

// revise records that a buff has a new version of its definition, with a new period. The time of
// the next pulse does not change.
func (p *pulses) revise(b *beat, e buff.Event) {
	p.interrupt(b, e.At)
	b.spec = e.Spec
	if b.spec.Period == 0 {
		b.next = wheel.Never
	}
}

// renew records a refresh of a buff: its new end, and its effect on the pulses.
func (p *pulses) renew(b *beat, e buff.Event) {
	phase := b.spec.Stack.Phase
	if phase != define.PhaseKeep {
		p.interrupt(b, e.At)
		b.next = e.At.After(b.spec.Period)
	}
	if phase == define.PhaseExecute || b.spec.First == define.FirstEvery {
		p.due++
	}
	b.end = e.End
}

// close counts the pulses of active buffs that were due by the given time.
func (p *pulses) close(now wheel.Time) {
	for _, b := range p.live {
		p.pass(b, now)
	}
}

func (p *pulses) check() error {
	if p.due != p.run {
		return fmt.Errorf("%d pulses were due and %d run", p.due, p.run)
	}
	return nil
}
