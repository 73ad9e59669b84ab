package load

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
)

// see compares an event of the frame with the expected events.
func (b *books) see(e *buff.Event) {
	b.hash(e)
	b.counts[e.Kind]++
	owner := placeOf(e.Owner)
	p := &b.players[owner]
	if len(p.waiting) > 0 {
		b.catchUp(owner, int64(e.At))
	}
	switch {
	case e.Kind == buff.Pulsed:
		b.pulse(owner, e)
	case e.Kind == buff.Removed && e.Why == reason.Expired:
		b.end(owner, e)
	case e.Spec != nil && e.Spec.Index() == scarKind && (e.Kind == buff.Applied || e.Kind == buff.Refreshed):
		b.crossing(owner, e)
	default:
		b.answer(owner, e)
	}
}

// catchUp enters the waiting commands that were sent before the given instant. The engine runs
// these commands before the events that are due at the instant.
func (b *books) catchUp(owner int32, before int64) {
	p := &b.players[owner]
	n := 0
	for n < len(p.waiting) && p.waiting[n].at < before {
		b.enterLate(&p.waiting[n])
		n++
	}
	p.waiting = append(p.waiting[:0], p.waiting[n:]...)
}

// enterLate enters a command that has waited. The target of the command may have ended meanwhile.
func (b *books) enterLate(c *command) {
	if kind, _ := b.enter(c); kind == 0 && c.verb != dispel {
		b.stale++
	}
}

// due returns the buff's record for a due event, and checks that the event is in order.
func (b *books) due(owner int32, e *buff.Event, rank int8) *record {
	i := b.byHandle[e.Handle]
	if i == 0 {
		b.blame(&b.faults.Doubled, e, "and there is no such buff")
		return nil
	}
	r, p, at := &b.records[i], &b.players[owner], int64(e.At)
	if at < p.at || at == p.at && (rank < p.rank || rank == p.rank && r.age < p.age) {
		b.blame(&b.faults.Wrong, e, "out of order")
	}
	p.at, p.rank, p.age = at, rank, r.age
	switch {
	case at > b.now:
		b.blame(&b.faults.Early, e, "in the frame of %d", b.now)
	case at <= b.before && !b.loose:
		b.blame(&b.faults.Late, e, "in the frame of %d", b.now)
	}
	if b.slow == nil || !b.slow(owner) {
		b.late.add(b.now - at)
	}
	return r
}

func (b *books) pulse(owner int32, e *buff.Event) {
	r := b.due(owner, e, 0)
	if r == nil {
		return
	}
	switch at := int64(e.At); {
	case at > r.next:
		b.blame(&b.faults.Lost, e, "and the pulse of %d has not been seen", r.next)
	case at < r.next:
		b.blame(&b.faults.Doubled, e, "and the next one is due at %d", r.next)
	case at > r.end || e.Stacks != r.stacks || int16(e.Spec.Index()) != r.kind:
		b.blame(&b.faults.Wrong, e, "of %s x%d until %d", kinds[r.kind].id, r.stacks, r.end)
	default:
		b.pulses++
	}
	r.next = int64(e.At) + r.period
	if r.kind == plagueKind {
		if to := target(owner, int64(e.At), b.raid, len(b.players)); to != owner {
			b.crossed = append(b.crossed, crossing{at: b.now, source: e.Owner, to: to})
		}
	}
}

func (b *books) end(owner int32, e *buff.Event) {
	r := b.due(owner, e, 2)
	if r == nil {
		return
	}
	switch {
	case int64(e.At) != r.end:
		b.blame(&b.faults.Wrong, e, "and its end is %d", r.end)
	case r.next <= r.end:
		b.blame(&b.faults.Lost, e, "and the pulse of %d has not been seen", r.next)
	default:
		b.ends++
	}
	b.drop(b.byHandle[e.Handle])
}

// crossing handles the event of a cast that a handler has made.
func (b *books) crossing(owner int32, e *buff.Event) {
	for k, c := range b.crossed {
		if c.to != owner || c.source != e.Source {
			continue
		}
		if c.at != int64(e.At) {
			break
		}
		b.crossed = append(b.crossed[:k], b.crossed[k+1:]...)
		kind, i := b.enterCast(&command{at: c.at, source: c.source, duration: scarLength, owner: owner, kind: scarKind})
		if kind == buff.Applied {
			b.know(i, e.Handle)
		}
		if !b.pay(owner, e.Kind) {
			b.blame(&b.faults.Wrong, e, "want %v", kind)
		}
		b.crosses++
		return
	}
	b.blame(&b.faults.Doubled, e, "of %d, which nobody has cast", e.Source)
}

// answer handles an event that was caused by a command.
func (b *books) answer(owner int32, e *buff.Event) {
	p := &b.players[owner]
	for p.expected[e.Kind] == 0 && len(p.waiting) > 0 {
		b.enterLate(&p.waiting[0])
		p.waiting = append(p.waiting[:0], p.waiting[1:]...)
	}
	if !b.pay(owner, e.Kind) {
		b.blame(&b.faults.Doubled, e, "which nobody has asked for")
		return
	}
	if e.Kind == buff.Applied || e.Kind == buff.Restored {
		i := b.find(owner, int16(e.Spec.Index()), e.Source)
		if i == 0 {
			return // a later command has removed the buff
		}
		if r := &b.records[i]; r.handle == 0 {
			b.know(i, e.Handle)
		}
	}
}

// close reports the expected events that were never seen. It is called at the end of the run, when
// no owner is busy any more.
func (b *books) close(now int64) {
	for owner := range b.players {
		p := &b.players[owner]
		b.catchUp(int32(owner), never)
		if p.expectedTotal > 0 {
			b.faults.note(&b.faults.Lost, "%d: %d events of commands were never seen", ownerID(int32(owner)), p.expectedTotal)
		}
		for _, i := range p.records {
			if r := &b.records[i]; min(r.next, r.end) <= now {
				b.faults.note(&b.faults.Lost, "%d: %s was due at %d, now is %d", ownerID(int32(owner)), kinds[r.kind].id, min(r.next, r.end), now)
			}
		}
	}
	for _, c := range b.crossed {
		b.faults.note(&b.faults.Lost, "%d: the cast of %d at %d was never seen", ownerID(c.to), c.source, c.at)
	}
	b.checkCalls()
}

// checkCalls compares the number of pulses with the number of calls that the handlers have counted.
func (b *books) checkCalls() {
	var calls uint64
	for i := range b.players {
		calls += b.players[i].seat.calls
	}
	switch {
	case calls < b.pulses:
		b.faults.note(&b.faults.Lost, "%d pulses were seen, and handlers were called %d times", b.pulses, calls)
	case calls > b.pulses:
		b.faults.note(&b.faults.Doubled, "%d pulses were seen, and handlers were called %d times", b.pulses, calls)
	}
}

// hash adds an event to the digest.
func (b *books) hash(e *buff.Event) {
	d := b.digest
	spec := uint64(0)
	if e.Spec != nil {
		spec = uint64(e.Spec.Index()) + 1
	}
	for _, v := range [...]uint64{uint64(e.At), uint64(e.Owner), uint64(e.Handle), uint64(e.Source), spec<<32 | uint64(e.Kind)<<16 | uint64(e.Why), uint64(e.Stacks)} {
		d = (d ^ v) * 1099511628211
		d ^= d >> 29
	}
	b.digest = d
}

// target returns the player to whom a plague spreads: another player in the owner's raid, who
// depends only on the given time. If the raid has no other player, "target" returns the owner.
func target(owner int32, at int64, raid, players int) int32 {
	first := int(owner) / raid * raid
	size := min(raid, players-first)
	if size < 2 {
		return owner
	}
	step := 1 + int((uint64(at)*2654435761>>8+uint64(owner))%uint64(size-1))
	return int32(first + (int(owner)-first+step)%size)
}

// blame records an error about an event.
func (b *books) blame(count *uint64, e *buff.Event, format string, args ...any) {
	event := *e // copy the event, so that *e stays on the stack
	b.faults.note(count, "%d: %v, %s", event.Owner, &event, fmt.Sprintf(format, args...))
}
