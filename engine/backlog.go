package engine

import (
	"math"

	"github.com/bufftick/bufftick/wheel"
)

// backlog is a FIFO queue of idle owners that have due work but did not get an allowance because
// Limits.Tick was used up. Their marks have the flag markPostponed. Game time does not advance
// until all of them have had their turn.
type backlog struct {
	queue []uint32 // owner numbers; entries of owners that no longer wait are skipped
	head  int      // index in `queue` of the first entry
	n     int      // number of waiting owners
}

// postpone adds an owner to the backlog because it has due events or deferred handlers, or because
// its turn was cut short.
func (e *Engine) postpone(number uint32) {
	if b, c := &e.backlog, &e.owners.marks[number]; !c.has(markPostponed) {
		c.set(markPostponed)
		b.queue = append(b.queue, number)
		b.n++
	}
}

// nextPostponed removes the owner that has waited longest from the queue, and returns its number.
// If ok is true, the caller must call removePostponed for that owner.
func (e *Engine) nextPostponed() (number uint32, ok bool) {
	for b := &e.backlog; b.n > 0; {
		n := b.queue[b.head]
		if b.head++; e.isPostponed(n) {
			return n, true
		}
	}
	return 0, false
}

// isPostponed reports whether an owner is in the backlog.
func (e *Engine) isPostponed(number uint32) bool {
	return e.backlog.n > 0 && int(number) < e.owners.len() && e.owners.marks[number].has(markPostponed)
}

// removePostponed removes an owner from the backlog.
func (e *Engine) removePostponed(number uint32) {
	b := &e.backlog
	e.owners.marks[number].clear(markPostponed)
	if b.n--; b.n == 0 {
		e.high.backlog.used(len(b.queue))
		b.queue, b.head = b.queue[:0], 0
	} else if b.head > len(b.queue)/2 && b.head > minCapacity {
		b.queue, b.head = b.queue[:copy(b.queue, b.queue[b.head:])], 0
	}
}

// startPostponed starts the turn of an owner in the backlog. It is called before a message is sent
// to the owner, because the owner's due events must run before the message.
func (e *Engine) startPostponed(o *owner) {
	if e.isPostponed(o.number) {
		e.removePostponed(o.number)
		e.run(o)
	}
}

// dispatch starts the turns of due owners, each with an allowance: the number of events that it may
// process. The sum of the allowances is at most `left`, the remaining quota. The allowances depend
// only on the due owners, their due events and their order, not on the number or the speed of the
// workers.
func (e *Engine) dispatch(left int) {
	e.starts = 0
	if !e.group.Quiet() {
		e.dispatchMessages(left)
		return
	}
	n := len(e.due) + len(e.scheduled)
	if e.backlog.n == 0 && n <= left {
		e.perReason = int32(min(left/max(n, 1), maxShare))
		e.batchDue()
		return
	}
	e.postponeDue()
	times := min(max(minShare, left/max(e.backlog.n, 1)), maxShare)
	for left > 0 {
		number, ok := e.nextPostponed()
		if !ok {
			break
		}
		e.removePostponed(number)
		x := e.batchTurn(number)
		x.given = min(int32(min(times, left)), e.share)
		x.wasPostponed = true
		left -= int(x.given)
	}
}

// postponeDue adds all due owners to the backlog, except those that have messages. For owners with
// messages it schedules a turn.
func (e *Engine) postponeDue() {
	for _, d := range e.due {
		if e.group.Quiet() || e.quietOrScheduled(e.owners.at(d.number())) {
			e.postpone(d.number())
		}
	}
	for _, r := range e.scheduled {
		o := r.alive()
		if o == nil {
			continue
		}
		o.scheduled = false
		switch {
		case o.quiet():
			e.postpone(o.number)
		default:
			e.run(o)
		}
	}
	e.clearScheduled()
}

// quietOrScheduled reports whether a due owner is idle and has no messages. If the owner is busy or
// has messages, it schedules a turn for the owner.
func (e *Engine) quietOrScheduled(o *owner) (idle bool) {
	if o.leaving() {
		return false
	}
	if o.quiet() {
		return true
	}
	e.scheduleTurn(o)
	return false
}

// dispatchMessages does the work of dispatch if some owners are busy or have messages. It starts
// each turn with a message to the owner. Owners that already have messages come first.
func (e *Engine) dispatchMessages(left int) {
	n := e.backlog.n + len(e.due) + len(e.scheduled)
	for _, box := range e.group.Staged() {
		n += box.Len()
	}
	if e.backlog.n == 0 && n <= left {
		e.scheduleDue()
		e.startScheduled()
	} else {
		e.postponeDue()
	}
	times := max(1, left/max(n, 1))
	for _, box := range e.group.Staged() {
		if left <= 0 {
			return
		}
		left -= e.grantAllowance(box.Owner, min(times*box.Len(), left))
	}
	for left > 0 {
		number, ok := e.nextPostponed()
		if !ok {
			return
		}
		o := e.owners.at(number)
		e.removePostponed(number)
		e.run(o)
		left -= e.grantAllowance(o, min(times, left))
	}
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
	if quiet && e.backlog.n == 0 || !quiet && e.allWorkersStuck() {
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
	for _, number := range e.backlog.queue[e.backlog.head:] {
		if e.isPostponed(number) && !e.owners.at(number).readRare().overtaken {
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
	if b.sinceCaughtUp = int32(min(int64(b.sinceCaughtUp)+int64(used), math.MaxInt32)); int64(b.sinceCaughtUp) >= e.patience {
		b.overtaken = true
	}
}

// markCaughtUp records that an owner has no overdue events left.
func (o *owner) markCaughtUp() {
	if b := o.rare.Load(); b != nil {
		b.sinceCaughtUp, b.overtaken = 0, false
	}
}
