package game

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// pulses keeps books on the engine: from when buffs began, were renewed and ended
// it works out how many pulses there must have been, and compares with those that
// there were. It knows of the events and the definitions, of no counter, wheel or
// queue.
//
// A buff that something other than time takes away at the very instant of a pulse
// pulses before or not at all, by the age of what took it away. There, and only
// there, the log decides what was due.
//
// Of a player whose time somebody lets stand still from outside no event tells. Buffs that it
// carries then, or gets, are left out from there on: their pulses are neither due nor run.
type pulses struct {
	due, run int
	live     map[buff.Handle]*beat
	paused   map[buff.OwnerID]bool
	leftOut  map[buff.Handle]bool
}

// beat is one buff that pulses.
type beat struct {
	owner     buff.OwnerID
	spec      *buff.Spec
	next, end wheel.Time
	last      wheel.Time // when it last pulsed
}

func newPulses() pulses {
	return pulses{live: map[buff.Handle]*beat{}, paused: map[buff.OwnerID]bool{}, leftOut: map[buff.Handle]bool{}}
}

// pause leaves a player out whose time is about to stand still.
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

// resume takes a player in again, for what it will get.
func (p *pulses) resume(owner buff.OwnerID) { delete(p.paused, owner) }

// leaves reports whether an event is about a buff that is left out.
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
	case e.Kind == buff.StackEnded && e.Why == buff.Expired:
		p.expire(b, e.At)
		b.end = e.End
	case e.Kind == buff.Removed:
		if e.Why == buff.Expired {
			p.expire(b, e.At)
		} else {
			p.interrupt(b, e.At)
		}
		delete(p.live, e.Handle)
	}
}

// pass counts the pulses up to and including until.
func (p *pulses) pass(b *beat, until wheel.Time) {
	for b.next <= min(until, b.end) && b.next != wheel.Never {
		b.next = b.next.After(b.spec.Period)
		p.due++
	}
}

// expire counts those of a duration that is over, with the part of a period that
// is left.
func (p *pulses) expire(b *beat, at wheel.Time) {
	p.pass(b, at)
	if b.spec.Tail == define.TailPartial && b.next != at.After(b.spec.Period) {
		p.due++
		b.next = at.After(b.spec.Period)
	}
}

// interrupt counts those of a duration that is cut short.
func (p *pulses) interrupt(b *beat, at wheel.Time) {
	p.pass(b, at-1)
	switch {
	case b.last != at:
	case b.next == at:
		p.pass(b, at)
	case b.end == at: // its last breath, in its last instant
		p.expire(b, at)
	}
}

// revise takes the period of another version of the definition in. The pulse that is to
// come stays where it is.
func (p *pulses) revise(b *beat, e buff.Event) {
	p.interrupt(b, e.At)
	b.spec = e.Spec
	if b.spec.Period == 0 {
		b.next = wheel.Never
	}
}

// renew takes a new end in, and what it means for the beat.
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

// close counts what was due by now of what still runs.
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
