package rules_test

import (
	"fmt"
	"strconv"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// nextPulse returns the instant of the next pulse, in buff time.
func (b *carried) nextPulse() int64 {
	switch {
	case b.next <= b.end:
		return b.next
	case b.spec.Tail == define.TailPartial && b.end > b.next-b.length && !b.goesOn():
		return b.end
	}
	return never
}

// goesOn reports whether the buff continues after the end of the duration, with the same phase.
func (b *carried) goesOn() bool {
	if b.running != nil {
		return len(b.async) > 0
	}
	return b.spec.Stack.Timers == define.TimersShared && !b.leaving && b.stacks > b.expiring()
}

// due returns the instant of the next event of the buff in buff time, its rank, and the age that
// orders it.
func (b *carried) due() (int64, int, int) {
	end, rank, age := b.end, 2, b.age
	switch {
	case b.spec.Stack.Timers == define.TimersEach:
		if len(b.async) > 1 {
			l := b.firstToEnd()
			end, rank, age = l.end, 1, l.age
		}
	case b.running != nil:
		if len(b.async) > 0 {
			rank = 1
		}
	case !b.leaving && b.stacks > b.expiring():
		rank = 1
	}
	if h := b.goesFirst(); h != nil {
		end, rank, age = h.end, 1, h.age
	}
	if next := b.nextPulse(); next != never && next <= end {
		return next, 0, b.age
	}
	return end, rank, age
}

// expiring returns how many stacks the end of the duration removes.
func (b *carried) expiring() int {
	switch b.spec.Stack.Expire {
	case define.ExpireOne:
		return 1
	case define.ExpireHalf:
		return max(b.stacks/2, 1)
	case define.ExpireCount:
		return b.spec.Stack.ExpireN
	}
	return b.stacks
}

// expireSome ends a part of a buff: an async stack, the running application of a queue, or some
// stacks. The rest continues from that end, not from now, so that there is no drift.
func (m *model) expireSome(b *carried) {
	switch {
	case b.spec.Stack.Timers == define.TimersEach:
		m.endAsync(b, b.firstToEnd(), reason.Expired)
	case b.running != nil:
		m.nextInQueue(b)
	case b.goesFirst() != nil:
		m.dropHolder(b, b.goesFirst())
	default:
		b.stacks -= b.expiring()
		if b.spec.Stack.Decay > 0 {
			b.end += ms(b.spec.Stack.Decay)
		} else {
			b.end = from(b.end, b.duration)
		}
		m.about(b, "stackend", times(b.stacks)+because(reason.Expired)+field("end", m.endTold(b, b.end)))
	}
}

// after returns the first boundary after an instant, for a period that starts at that instant.
func (b *carried) after(now int64) int64 {
	switch {
	case b.period == 0:
		return never
	case b.spec.Align == define.AlignOwner:
		zero := b.clock.zero()
		return (now-zero)/b.period*b.period + b.period + zero
	}
	return now + b.period
}

// newBeat restarts the period.
func (b *carried) newBeat(now int64) { b.next, b.length = b.after(now), b.period }

// beat executes the pulse that is due at a boundary of the period, or at the end of a partial tail.
func (m *model) beat(b *carried) {
	at, part, share, length := b.nextPulse(), int64(0), "", b.length
	if at != b.next {
		part = at - (b.next - b.length)
		share = fmt.Sprintf(" fraction=%d/%d", part, b.length)
	}
	if b.newBeat(at); part != 0 || b.nextPulse() == at {
		b.next = at + b.period // a partial tail starts a period, aligned or not, and a whole pulse leaves no tail
	}
	if b.spec.Catchup == define.CatchupAll {
		m.pulsePart(b, at, share, 0, part, length)
		return
	}
	if part != 0 {
		m.flush(b)
		m.pulsePart(b, at, share, 0, part, length)
		return
	}
	b.owed, b.owedAt = b.owed+1, at
	if next, rank, _ := b.due(); rank == 0 && m.world(b, next) <= m.frame && b.counting(next) == b.counting(at) {
		return // the next pulse is due in this frame too, and the buff does not change before it
	}
	m.flush(b)
}

// flush executes the pending pulses as one pulse, at the instant of the last of them, or earlier
// because the buff changes.
func (m *model) flush(b *carried) {
	if b.owed == 0 {
		return
	}
	done := 1
	if b.spec.Catchup == define.CatchupCoalesce {
		done = b.owed
		if most := b.spec.CatchupMax; most > 0 {
			done = min(done, most)
		}
	}
	b.owed = 0
	m.pulse(b, b.owedAt, "", done)
}

// pulse executes a pulse at an instant of buff time.
func (m *model) pulse(b *carried, at int64, share string, count int) {
	m.pulsePart(b, at, share, count, 0, 0)
}

// pulsePart executes a pulse that may stand for a part of a period.
func (m *model) pulsePart(b *carried, at int64, share string, count int, part, length int64) {
	c := told{at: m.at, kind: "pulse", spec: b.spec, source: b.source, magnitude: b.magnitude, level: b.level, about: b, count: count}
	if part != 0 {
		c.part, c.period = part, length
	}
	stacks := b.stacks
	if b.spec.Stack.Timers == define.TimersEach {
		if sum := b.counting(at); sum.stacks == 0 {
			return
		} else {
			stacks, c.magnitude = sum.stacks, sum.magnitude
		}
	}
	several := ""
	if count > 1 {
		several = " count=" + strconv.Itoa(count)
	}
	switch {
	case b.hidden():
		c.kind = "suppressed"
		m.line(c.kind, b.whyHidden()+several, c)
	default:
		m.line(c.kind, times(stacks)+share+several, c)
		m.askAgain(b)
		c.nums, c.stacks, c.each = b.nums, stacks, b.countingAt(at)
		m.follow(b.spec.On.Pulse, c)
	}
}
