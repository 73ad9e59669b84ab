package engine

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/radix"
	"github.com/bufftick/bufftick/wheel"
)

// Each owner has one timer on the wheel, however many buffs it has, and the timer is lazy: if the
// deadline becomes later, the timer does not move. It then fires early, and the loop re-arms it
// from its own table, without accessing the owner.
//
// Ten buffs therefore need only one timer, and a refresh moves no timer. The price is that the
// wheel does not preserve the order of events at one instant, which must be the order of the calls
// that set the deadlines. findDue restores this order by sorting the deadlines by the number of the
// turn or command that set them.

// deadlineRecord is the loop's record of an owner: its next deadline, the state of its timer, and
// the marks needed for a batched turn. The records of all owners form a table without pointers.
type deadlineRecord struct {
	next    wheel.Time   // the owner's next deadline; Never if there is none
	timerAt wheel.Time   // when the timer fires, at `next` or earlier; Never if it is not armed
	timer   wheel.Handle // the only timer of the owner; 0 if there is none
	order   uint32       // order of owners due at the same instant: see rules.Owner.TakeDeadline
	mark    mark
}

// mark holds flags of an owner. Its low bits are the index of the owner's turn in turnBatch.list.
// The index may be stale: it is valid only if the turn at that index has the number of this owner.
type mark uint32

const (
	markPresent   mark = 1 << 31 // the owner exists
	markPostponed mark = 1 << 30 // the owner is in the backlog

	turnMask = markPostponed - 1
)

func (c *deadlineRecord) has(m mark) bool { return c.mark&m != 0 }
func (c *deadlineRecord) set(m mark)      { c.mark |= m }
func (c *deadlineRecord) clear(m mark)    { c.mark &^= m }

func (c *deadlineRecord) turn() int      { return int(c.mark & turnMask) }
func (c *deadlineRecord) setTurn(at int) { c.mark = c.mark&^turnMask | mark(at) }

// noDeadline is the record of an owner without deadlines.
var noDeadline = deadlineRecord{next: wheel.Never, timerAt: wheel.Never}

// dueOwner identifies a due owner and is its sort key. The order is by delay, the longest overdue
// first; then by the number of the turn or command that set the deadline, the lowest first; and
// then by the owner's number.
type dueOwner uint64

const (
	numberBits   = 20 // bits of a number below buff.MaxOwners
	instantShift = 32 + numberBits
	mostLate     = 1<<12 - 1
)

// number returns the owner's number.
func (d dueOwner) number() uint32 { return uint32(d) & (buff.MaxOwners - 1) }

// dueKey returns the sort key of a due owner. A delay above mostLate counts as mostLate, because
// the key has no room for more. Such delays do not occur in a slice, unless almost no events are
// due.
func (e *Engine) dueKey(c *deadlineRecord, number uint32) dueOwner {
	late := uint64(min(e.now-c.next, mostLate))
	return dueOwner((mostLate-late)<<instantShift | uint64(^(e.loop.Order-c.order))<<numberBits | uint64(number))
}

// findDue collects the due owners of the fired timers, sorted by deadline and then by the age of
// the deadline. Timers that fired early are re-armed.
func (e *Engine) findDue() {
	e.due = e.due[:0]
	sorted, last := true, dueOwner(0)
	for _, f := range e.fired {
		if f.ID&auraTimer != 0 {
			e.index.auras.timerFired(int32(f.ID &^ auraTimer))
			continue
		}
		number := uint32(f.ID)
		c := &e.owners.records[number]
		c.timerAt = wheel.Never
		if c.next > e.now {
			e.setDeadline(number, c.next, c.order)
			continue
		}
		d := e.dueKey(c, number)
		sorted = sorted && last <= d
		e.due = append(e.due, d)
		last = d
	}
	if !sorted {
		e.dueSpare = radix.Sort(e.due, numberBits, e.dueSpare)
	}
	e.stats.Fired += uint64(len(e.fired))
}

// setDeadline records an owner's next deadline. It changes the timer only if the new deadline is
// earlier than the timer, or is Never. If the deadline has already passed, no timer is needed,
// because mergeTurn schedules a turn.
func (e *Engine) setDeadline(number uint32, next wheel.Time, order uint32) {
	c := &e.owners.records[number]
	c.next, c.order = next, order
	switch {
	case next == wheel.Never:
		e.clearDeadline(number)
	case next >= c.timerAt || next <= e.now:
	case c.timer != 0:
		c.timerAt = next
		e.wheel.Move(c.timer, next)
	default:
		c.timerAt = next
		c.timer = e.wheel.Add(next, uint64(number))
	}
}

// clearDeadline removes an owner's timer from the wheel.
func (e *Engine) clearDeadline(number uint32) {
	c := &e.owners.records[number]
	if c.timer != 0 {
		e.wheel.Remove(c.timer)
	}
	c.next, c.timerAt, c.timer, c.order = noDeadline.next, noDeadline.timerAt, 0, 0
}
