package engine

import (
	"math"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/wheel"
)

// dispatcher gives owners their turns. It knows which owners need one, starts turns within the quota
// of the Tick, on workers or on the loop, and merges their results. It belongs to the loop.
type dispatcher struct {
	engine *Engine

	scheduled []ref // owners that need a turn in the next Tick
	waiting   waitList
	batch     turnBatch
	starts    int    // number of mailboxes that get a turn in this slice
	round     uint64 // number of slices so far, in all Ticks

	share     int32 // upper limit of one allowance: see maxShare
	patience  int64 // events after which game time no longer waits for a late owner
	processed int   // events processed in this Tick
	reserved  int   // quota reserved for running owners
	claimed   int   // events of finished turns that could not be merged yet: see canMerge

	group     *actor.Group[*owner, message]
	workers   []workerState // by worker; the last one is the loop's
	used      bool          // the workers' lists have been used since they were last emptied
	spare     spareChunks
	merging   mergedCount
	collected []*mailbox // scratch
	stuckNow  []*mailbox // scratch
}

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
func (d *dispatcher) wait(number uint32) {
	w, c := &d.waiting, &d.engine.owners.marks[number]
	if !c.has(markWaiting) {
		w.list = append(w.list, dueOwner(number))
		w.n++
	}
	c.set(markWaiting | manyPlaces)
}

// isWaiting reports whether an owner is in the list.
func (d *dispatcher) isWaiting(number uint32) bool {
	return d.waiting.n > 0 && int(number) < d.engine.owners.len() && d.engine.owners.marks[number].has(markWaiting)
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
func (d *dispatcher) startWaiting(o *owner) {
	if d.isWaiting(o.number) {
		d.engine.owners.marks[o.number].clear(markWaiting)
		d.waiting.n--
		d.waiting.removed(&d.engine.high)
		d.run(o)
	}
}

// dispatch starts the turns of the owners at the head of the list, each with an allowance: the
// number of events that it may process. The sum of the allowances is at most `left`, the remaining
// quota. The allowances depend only on the waiting owners, their messages and their order, not on
// the number or the speed of the workers.
//
// If some owners are busy or have messages, each turn is started by a message to its owner. Owners
// that already have messages come first.
func (d *dispatcher) dispatch(left int) {
	d.starts = 0
	batched, n := d.group.Quiet(), d.waiting.n
	for _, box := range d.group.Staged() {
		n += box.Len()
	}
	each, least := min(left/max(n, 1), maxShare), 1
	if batched {
		least = minShare
	}
	if d.waiting.left || n > left {
		each = max(each, least)
	}
	for _, box := range d.group.Staged() {
		if left <= 0 {
			return
		}
		left -= d.grantAllowance(box.Owner, min(each*box.Len(), left))
	}
	w := &d.waiting
	for each = min(each, int(d.share)); left > 0 && w.n > 0; w.head++ {
		number := w.list[w.head].number()
		c := &d.engine.owners.marks[number]
		if !c.has(markWaiting) {
			continue
		}
		c.clear(markWaiting)
		w.n--
		given := min(each, left)
		left -= given
		if batched {
			d.batchTurn(number, *c, int32(given))
			continue
		}
		o := d.engine.owners.place(number)
		d.run(o)
		d.grantAllowance(o, given)
	}
	w.removed(&d.engine.high)
}

// grantAllowance gives an allowance to an owner that has messages, and returns the allowance, which
// is at most `most`.
func (d *dispatcher) grantAllowance(o *owner, most int) int {
	t := o.needTurns()
	t.given = min(int32(most), d.share)
	t.used, t.executed = 0, 0
	d.reserveQuota(o, t.given)
	d.starts++
	return int(t.given)
}

// reserveQuota reserves quota for a running owner.
func (d *dispatcher) reserveQuota(o *owner, given int32) {
	b := o.needRare()
	b.reserved, b.since = given, d.engine.frame.Number
	d.reserved += int(given)
}

// releaseQuota releases the quota that is reserved for an owner.
func (d *dispatcher) releaseQuota(o *owner) {
	if b := o.rare.Load(); b != nil {
		d.reserved -= int(b.reserved)
		b.reserved = 0
	}
}

// quotaLeft returns how many more events this Tick may process. Events that were processed and the
// quota reserved for running owners are subtracted from Limits.Tick.
func (d *dispatcher) quotaLeft() int { return d.engine.opts.Limits.Tick - d.processed - d.reserved }

// canMerge reports whether the finished turn of an owner may be merged now. It reports false only
// for an owner that was held in an earlier Tick: the events of its turn are not counted yet, and
// must fit into the remaining quota of this Tick. If they do not fit, the owner waits, and its cost
// is reserved ahead of new work. If no other owner uses quota, the events always fit, because the
// events of one turn are at most Limits.Tick.
func (d *dispatcher) canMerge(box *mailbox) bool {
	o := box.Owner
	if !o.held || d.engine.closed {
		return true
	}
	used := int(o.used())
	if d.processed+d.reserved > 0 && d.quotaLeft() < used {
		d.claimed += used
		return false
	}
	d.processed += used
	o.resetUsed()
	return true
}

// markHeld records the owners whose handlers were still running when the budget ran out. Game time
// no longer waits for these owners, and their unused allowance becomes available to others.
func (d *dispatcher) markHeld() {
	d.stuckNow = d.group.Held(d.stuckNow[:0], true)
	for _, box := range d.stuckNow {
		o := box.Owner
		o.held, o.needRare().overtaken = true, true
		d.releaseQuota(o)
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
func (d *dispatcher) horizon() (until wheel.Time, ok bool) {
	quiet := d.group.Quiet()
	if quiet || d.allDoneOrOverdue() {
		d.engine.waitingSince = wheel.Never
	} else if d.engine.waitingSince == wheel.Never {
		d.engine.waitingSince = d.engine.now
	}
	if quiet && d.waiting.n == 0 || !quiet && d.allWorkersStuck() {
		return d.engine.target, true
	}
	until = d.engine.target
	if d.engine.waitingSince != wheel.Never {
		until = min(until, d.engine.waitingSince+undivided)
		if until <= d.engine.now {
			return d.engine.now, false
		}
	}
	for _, box := range d.group.Staged() {
		if !box.Owner.readRare().overtaken {
			return d.engine.now, false
		}
	}
	for _, key := range d.waiting.list[d.waiting.head:] {
		if d.isWaiting(key.number()) && !d.engine.owners.at(key.number()).readRare().overtaken {
			return d.engine.now, false
		}
	}
	return until, true
}

// allDoneOrOverdue reports whether every dispatched owner either has finished its turn or was
// still running when a Budget ran out.
func (d *dispatcher) allDoneOrOverdue() bool {
	s := d.group.Stats()
	return s.Pending == s.Overdue
}

// allWorkersStuck reports whether every worker is held by a stuck handler.
func (d *dispatcher) allWorkersStuck() bool {
	d.stuckNow = d.group.Held(d.stuckNow[:0], true)
	return len(d.stuckNow) == d.engine.opts.Workers
}

// noteCutShort records that an owner's turn was cut short because its allowance was used up. An
// owner that does not catch up within dispatcher.patience events is marked as overtaken, so that game
// time no longer waits for it.
func (d *dispatcher) noteCutShort(o *owner, used int32) {
	b := o.needRare()
	d.engine.owners.marks[o.number].set(markLate)
	if b.sinceCaughtUp = int32(min(int64(b.sinceCaughtUp)+int64(used), math.MaxInt32)); int64(b.sinceCaughtUp) >= d.patience {
		b.overtaken = true
	}
}

// markCaughtUp records that an owner has no overdue events left.
func (d *dispatcher) markCaughtUp(o *owner) {
	d.engine.owners.marks[o.number].clear(markLate)
	if b := o.rare.Load(); b != nil {
		b.sinceCaughtUp, b.overtaken = 0, false
	}
}
