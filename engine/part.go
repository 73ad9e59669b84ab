package engine

import (
	"cmp"
	"slices"
)

// What the loop does at the end of a frame is bounded by count, as what is due is: the times of
// zones, the commands across owners, the looks of auras and the commands of the Inbox have a part
// of the Tick each, so that neither of them, nor what is due, keeps another waiting. What is left
// waits, in order, and comes before what is new. A command is not divided: the last one of a part
// may cost more than is left of it.

// parts is how many such parts TickLimit is the sum of.
const parts = 4

// looksOfUnit is how many looks, as buff.Set.Looked counts them, are as dear as an event.
const looksOfUnit = 16

// work is what the loop has done, by count.
type work struct {
	commands int    // given to an owner
	looked   uint64 // at buffs, for them
}

// part returns what one part of a Tick may cost.
func (e *Engine) part() int { return max(1, e.opts.TickLimit/parts) }

// spent returns what the commands have cost so far that the loop has carried out: one for each,
// one for each event of theirs, and one for so many buffs that they have looked at. It is good
// within one frame.
func (e *Engine) spent() int {
	return e.did.commands + len(e.loop.Events) + int(e.did.looked/looksOfUnit)
}

// deliverCross carries out the commands for other owners, sorted by the time of
// their cause, then by the causing owner; those of one owner are in the order of
// issue. Those that were left of earlier frames come first.
func (e *Engine) deliverCross() {
	slices.SortStableFunc(e.outbox[e.carried:], func(a, b outgoing) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from))
	})
	e.high.outbox.used(len(e.outbox))
	k := 0
	for most := e.spent() + e.part(); k < len(e.outbox) && e.spent() < most; k++ {
		c := &e.outbox[k]
		if c.own {
			e.evict(c)
			continue
		}
		e.forward(&c.cmd)
	}
	e.keepOutbox(k)
}

// keepOutbox keeps the commands across owners from the k-th on for the next frame. As many may
// wait as in the Inbox; of those that are too many, which are the last, the ones that somebody has
// asked for are refused.
func (e *Engine) keepOutbox(k int) {
	n, was := 0, e.carried
	for ; k < len(e.outbox); k++ {
		c := e.outbox[k]
		if n >= e.opts.InboxLimit && !c.own {
			e.stats.Undelivered++
			continue
		}
		if k >= was {
			borrow(&c.cmd) // what it points to is the worker's
		}
		e.outbox[n] = c
		n++
	}
	clear(e.outbox[n:])
	e.outbox, e.carried = e.outbox[:n], n
}
