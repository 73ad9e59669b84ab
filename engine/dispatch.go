package engine

import (
	"math"

	"github.com/bufftick/bufftick/wheel"
)

// waitList holds the idle owners that have due events or deferred handlers, in the order of their
// turns. Their marks have the flag markWaiting. If a Tick reaches Limits.Tick, the rest of the list
// waits for the next Tick, and game time does not advance until the list is empty.
type waitList struct {
	list  []dueOwner // owners that no longer have the flag are skipped
	head  int        // index in `list` of the first entry
	n     int        // number of waiting owners
	left  bool       // some owners were already waiting before the last collectDue
	spare []dueOwner // scratch for sorting
}

// wait adds an owner to the end of the list.
func (e *Engine) wait(number uint32) {
	w, c := &e.waiting, &e.owners.marks[number]
	if !c.has(markWaiting) {
		w.list = append(w.list, dueOwner(number))
		w.n++
	}
	c.set(markWaiting | manyPlaces)
}

// isWaiting reports whether an owner is in the list.
func (e *Engine) isWaiting(number uint32) bool {
	return e.waiting.n > 0 && int(number) < e.owners.len() && e.owners.marks[number].has(markWaiting)
}

// removed updates the list after an owner has lost the flag.
func (w *waitList) removed(s *highWaters) {
	if w.n == 0 {
		s.waiting.used(len(w.list))
		w.list, w.head = w.list[:0], 0
	} else if w.head > len(w.list)/2 && w.head > minCapacity {
		w.list, w.head = w.list[:copy(w.list, w.list[w.head:])], 0
	}
}

// startWaiting starts the turn of an owner in the list. It is called before a message is sent to
// the owner, because the owner's due events must run before the message.
func (e *Engine) startWaiting(o *owner) {
	if e.isWaiting(o.number) {
		e.owners.marks[o.number].clear(markWaiting)
		e.waiting.n--
		e.waiting.removed(&e.high)
		e.run(o)
	}
}

// dispatch starts the turns of the owners at the head of the list, each with an allowance: the
// number of events that it may process. The sum of the allowances is at most `left`, the remaining
// quota. The allowances depend only on the waiting owners, their messages and their order, not on
// the number or the speed of the workers.
//
// If some owners are busy or have messages, each turn is started by a message to its owner. Owners
// that already have messages come first.
func (e *Engine) dispatch(left int) {
	e.starts = 0
	batched, n := e.group.Quiet(), e.waiting.n
	for _, box := range e.group.Staged() {
		n += box.Len()
	}
	each, least := min(left/max(n, 1), maxShare), 1
	if batched {
		least = minShare
	}
	if e.waiting.left || n > left {
		each = max(each, least)
	}
	for _, box := range e.group.Staged() {
		if left <= 0 {
			return
		}
		left -= e.grantAllowance(box.Owner, min(each*box.Len(), left))
	}
	w := &e.waiting
	for each = min(each, int(e.share)); left > 0 && w.n > 0; w.head++ {
		number := w.list[w.head].number()
		c := &e.owners.marks[number]
		if !c.has(markWaiting) {
			continue
		}
		c.clear(markWaiting)
		w.n--
		given := min(each, left)
		left -= given
		if batched {
			e.batchTurn(number, *c, int32(given))
			continue
		}
		o := e.owners.place(number)
		e.run(o)
		e.grantAllowance(o, given)
	}
	w.removed(&e.high)
}

// grantAllowance gives an allowance to an owner that has messages, and returns the allowance, which
// is at most `most`.
func (e *Engine) grantAllowance(o *owner, most int) int {
	t := o.needTurns()
	t.given = min(int32(most), e.share)
	t.used, t.executed = 0, 0
	e.reserveQuota(o, t.given)
	e.starts++
	return int(t.given)
}

// reserveQuota reserves quota for a running owner.
func (e *Engine) reserveQuota(o *owner, given int32) {
	b := o.needRare()
	b.reserved, b.since = given, e.frame.Number
	e.reserved += int(given)
}

// releaseQuota releases the quota that is reserved for an owner.
func (e *Engine) releaseQuota(o *owner) {
	if b := o.rare.Load(); b != nil {
		e.reserved -= int(b.reserved)
		b.reserved = 0
	}
}

// quotaLeft returns how many more events this Tick may process. Events that were processed and the
// quota reserved for running owners are subtracted from Limits.Tick.
func (e *Engine) quotaLeft() int { return e.opts.Limits.Tick - e.processed - e.reserved }

// canMerge reports whether the finished turn of an owner may be merged now. It reports false only
// for an owner that was held in an earlier Tick: the events of its turn are not counted yet, and
// must fit into the remaining quota of this Tick. If they do not fit, the owner waits, and its cost
// is reserved ahead of new work. If no other owner uses quota, the events always fit, because the
// events of one turn are at most Limits.Tick.
func (e *Engine) canMerge(box *mailbox) bool {
	o := box.Owner
	if !o.held || e.closed {
		return true
	}
	used := int(o.used())
	if e.processed+e.reserved > 0 && e.quotaLeft() < used {
		e.claimed += used
		return false
	}
	e.processed += used
	o.resetUsed()
	return true
}

// markHeld records the owners whose handlers were still running when the budget ran out. Game time
// no longer waits for these owners, and their unused allowance becomes available to others.
func (e *Engine) markHeld() {
	e.stuckNow = e.group.Held(e.stuckNow[:0], true)
	for _, box := range e.stuckNow {
		o := box.Owner
		o.held, o.needRare().overtaken = true, true
		e.releaseQuota(o)
	}
}

// horizon returns the latest instant to which game time may advance, and false if it must not
// advance. Game time does not pass an owner that waits for quota. It passes an owner that waits for
// a worker by at most 50 ms (the constant `undivided`): the worker may be held by a handler that
// sleeps for longer than the Budget, and such a handler must not delay all other owners by a frame.
// An owner that holds a worker does not limit game time; it limits game time again after it has
// caught up. If all workers are held, game time waits for no owner.
//
// Whether all workers are held is checked only once, because a handler may return at any moment.
// Game time may then already have passed waiting owners by more than 50 ms; it is never set back.
func (e *Engine) horizon() (until wheel.Time, ok bool) {
	quiet := e.group.Quiet()
	if quiet || e.allDoneOrOverdue() {
		e.waitingSince = wheel.Never
	} else if e.waitingSince == wheel.Never {
		e.waitingSince = e.now
	}
	if quiet && e.waiting.n == 0 || !quiet && e.allWorkersStuck() {
		return e.target, true
	}
	until = e.target
	if e.waitingSince != wheel.Never {
		until = min(until, e.waitingSince+undivided)
		if until <= e.now {
			return e.now, false
		}
	}
	for _, box := range e.group.Staged() {
		if !box.Owner.readRare().overtaken {
			return e.now, false
		}
	}
	for _, d := range e.waiting.list[e.waiting.head:] {
		if e.isWaiting(d.number()) && !e.owners.at(d.number()).readRare().overtaken {
			return e.now, false
		}
	}
	return until, true
}

// allDoneOrOverdue reports whether every dispatched owner either has finished its turn or was
// still running when a Budget ran out.
func (e *Engine) allDoneOrOverdue() bool {
	s := e.group.Stats()
	return s.Pending == s.Overdue
}

// allWorkersStuck reports whether every worker is held by a stuck handler.
func (e *Engine) allWorkersStuck() bool {
	e.stuckNow = e.group.Held(e.stuckNow[:0], true)
	return len(e.stuckNow) == e.opts.Workers
}

// noteCutShort records that an owner's turn was cut short because its allowance was used up. An
// owner that does not catch up within Engine.patience events is marked as overtaken, so that game
// time no longer waits for it.
func (e *Engine) noteCutShort(o *owner, used int32) {
	b := o.needRare()
	e.owners.marks[o.number].set(markLate)
	if b.sinceCaughtUp = int32(min(int64(b.sinceCaughtUp)+int64(used), math.MaxInt32)); int64(b.sinceCaughtUp) >= e.patience {
		b.overtaken = true
	}
}

// markCaughtUp records that an owner has no overdue events left.
func (e *Engine) markCaughtUp(o *owner) {
	e.owners.marks[o.number].clear(markLate)
	if b := o.rare.Load(); b != nil {
		b.sinceCaughtUp, b.overtaken = 0, false
	}
}
