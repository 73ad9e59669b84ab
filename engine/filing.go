package engine

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/radix"
	"github.com/bufftick/bufftick/wheel"
)

// Each owner has one timer on the wheel, however many buffs it carries, and that one is lazy: when its next turn moves to a later
// instant the timer stays where it is. It fires too early then, and is filed anew without a look at the owner: when that wants
// its next turn stands in a table of the loop's.
//
// So ten buffs take one timer, and a refresh, which moves the end of a buff, moves none. What is lost is the order in which
// the wheel fires what is due at one instant, that of the calls which set the timers: it is
// restored by sorting, from the number of the turn or command that set each deadline.

// filing is when an owner wants its next turn, what its timer knows of it, and what else is to be known to give it a batched turn. The filings of
// all owners are a table without a pointer.
type filing struct {
	next  wheel.Time   // Never: not by itself
	filed wheel.Time   // what its timer was told: next, or an instant before it; Never: the timer does not wait
	timer wheel.Handle // its one timer; 0: it has none
	order uint32       // which of the owners that are due at one instant comes first: see buff.Set.TakeDeadline
	mark  mark
}

// mark is what is true of an owner, and in the bits below the place in turnBatch.list, if the turn there is this owner's.
type mark uint32

const (
	here      mark = 1 << 31 // there is one
	postponed mark = 1 << 30 // it is in the backlog

	turnMask = postponed - 1
)

func (c *filing) is(m mark) bool { return c.mark&m != 0 }
func (c *filing) note(m mark)    { c.mark |= m }
func (c *filing) forget(m mark)  { c.mark &^= m }

func (c *filing) turn() int      { return int(c.mark & turnMask) }
func (c *filing) setTurn(at int) { c.mark = c.mark&^turnMask | mark(at) }

// notFiled is the filing of an owner to whom nothing is to come.
var notFiled = filing{next: wheel.Never, filed: wheel.Never}

// dueOwner is an owner that is due, in a form that sorts itself: how long ago it was due, the longest first; how many turns and
// commands ago that deadline was set, likewise; and its number.
type dueOwner uint64

const (
	numberBits   = 20 // of buff.MaxOwners
	instantShift = 32 + numberBits
	mostLate     = 1<<12 - 1
)

// number returns whose it is.
func (d dueOwner) number() uint32 { return uint32(d) & (buff.MaxOwners - 1) }

// isDue returns what stands for an owner in a list of those due now. Whoever is late by more than mostLate comes with those who are
// late by that: pieces of a Tick are shorter, unless next to nobody is due.
func (e *Engine) isDue(c *filing, number uint32) dueOwner {
	late := uint64(min(e.now-c.next, mostLate))
	return dueOwner((mostLate-late)<<instantShift | uint64(^(e.loop.Order-c.order))<<numberBits | uint64(number))
}

// findDue finds out, of the timers that have fired, which owners are due, and sorts them: by instant, and what is due at one
// instant by who had that deadline first.
func (e *Engine) findDue() {
	e.due = e.due[:0]
	sorted, last := true, dueOwner(0)
	for _, f := range e.fired {
		if f.ID&auraTimer != 0 {
			e.index.auras.fired(int32(f.ID &^ auraTimer))
			continue
		}
		number := uint32(f.ID)
		c := &e.owners.filings[number]
		c.filed = wheel.Never
		if c.next > e.now {
			e.file(number, c.next, c.order)
			continue
		}
		d := e.isDue(c, number)
		sorted = sorted && last <= d
		e.due = append(e.due, d)
		last = d
	}
	if !sorted {
		e.dueSpare = radix.Sort(e.due, numberBits, e.dueSpare)
	}
	e.stats.Fired += uint64(len(e.fired))
}

// file notes when an owner wants its next turn. The wheel is told only if that is earlier than its timer fires, or if
// there is nothing to come. What is past already waits for nothing: see takeBack.
func (e *Engine) file(number uint32, next wheel.Time, order uint32) {
	c := &e.owners.filings[number]
	c.next, c.order = next, order
	switch {
	case next == wheel.Never:
		e.unfile(number)
	case next >= c.filed || next <= e.now:
	case c.timer != 0:
		c.filed = next
		e.wheel.Move(c.timer, next)
	default:
		c.filed = next
		c.timer = e.wheel.Add(next, uint64(number))
	}
}

// unfile takes the timer of an owner off the wheel.
func (e *Engine) unfile(number uint32) {
	c := &e.owners.filings[number]
	if c.timer != 0 {
		e.wheel.Remove(c.timer)
	}
	c.next, c.filed, c.timer, c.order = notFiled.next, notFiled.filed, 0, 0
}
