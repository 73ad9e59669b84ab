package engine

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// backlog is the owners for whose turn TickLimit has left nothing yet, or not enough: first come,
// first served. They are idle and nobody looks at them: what is due for them stands here, and
// turnBatch.of says who they are. Time stands still for everybody until they have had their turn.
type backlog struct {
	queue []uint32 // numbers; one that does not wait any more is passed over
	head  int      // of queue
	n     int      // owners that wait
	rings []due
	live  int   // of rings
	free  int32 // the first free one of rings, plus one
}

// due is one reason for a turn. Those of an owner are a ring; called.last is the last one.
type due struct {
	next  int32
	ref   buff.Ref // of the timer that has fired
	timer bool     // one has; otherwise handlers were put off, or the turn before was cut short
}

// postpone puts a reason for a turn into the backlog.
func (e *Engine) postpone(number uint32, d due) {
	b, c := &e.backlog, &e.owners[number]
	if c.last != 0 && !d.timer {
		return // it has one
	}
	i := b.free - 1
	if i >= 0 {
		b.free = b.rings[i].next
	} else {
		i = int32(len(b.rings))
		b.rings = append(b.rings, due{})
	}
	if c.last == 0 {
		d.next = i
		b.queue = append(b.queue, number)
		b.n++
	} else {
		last := &b.rings[c.last-1]
		d.next, last.next = last.next, i
	}
	b.rings[i] = d
	b.live++
	c.last = uint32(i) + 1
}

// next returns the number of the owner that has waited longest, and has to be pulled.
func (e *Engine) next() (number uint32, ok bool) {
	for b := &e.backlog; b.n > 0; {
		n := b.queue[b.head]
		if b.head++; e.waits(n) {
			return n, true
		}
	}
	return 0, false
}

// waits reports whether the owner of that number is in the backlog.
func (e *Engine) waits(number uint32) bool {
	return e.backlog.n > 0 && int(number) < len(e.owners) && e.owners[number].last != 0
}

// pull takes an owner out of the backlog, and calls f for each timer that has fired. It
// returns how many reasons for a turn there were.
func (e *Engine) pull(number uint32, f func(buff.Ref)) (reasons int) {
	b, c := &e.backlog, &e.owners[number]
	last := int32(c.last) - 1
	c.last = 0
	b.n--
	for i := b.rings[last].next; ; {
		d := b.rings[i]
		if d.timer {
			f(d.ref)
		}
		reasons++
		b.rings[i].next, b.free = b.free, i+1
		if i == last {
			break
		}
		i = d.next
	}
	if b.live -= reasons; b.n == 0 {
		e.high.backlog.used(len(b.rings))
		b.queue, b.head, b.rings, b.free = b.queue[:0], 0, b.rings[:0], 0
	} else if b.head > len(b.queue)/2 && b.head > keep {
		b.queue, b.head = b.queue[:copy(b.queue, b.queue[b.head:])], 0
	}
	return reasons
}

// enlist takes an owner that is to get a message out of the backlog: what was due comes first.
func (e *Engine) enlist(o *owner) {
	if e.waits(o.number) {
		e.pull(o.number, func(ref buff.Ref) { e.send(o, message{kind: wake, ref: ref}) })
		e.run(o)
	}
}

// handOut gives turns to those that are due, each with an allowance: how much it may work off.
// Together these are no more than left. They depend on nothing but who is due, for what and in
// which order: not on the number of workers, nor on how fast they are.
func (e *Engine) handOut(left int) {
	e.starts = 0
	if !e.group.Quiet() {
		e.mailDue(left)
		return
	}
	n := len(e.fired) + len(e.wanted)
	if e.backlog.n == 0 && n <= left {
		e.times = int32(min(left/max(n, 1), maxShare))
		e.batchDue()
		return
	}
	e.postponeDue()
	times := min(max(1, left/max(e.backlog.live, 1)), maxShare)
	for left > 0 {
		number, ok := e.next()
		if !ok {
			break
		}
		x := e.turnFor(number)
		x.given = min(int32(times*e.pull(number, x.add)), e.share, int32(left))
		x.again = true
		left -= int(x.given)
	}
}

// postponeDue puts all that is due into the backlog, but for owners that have messages anyway.
func (e *Engine) postponeDue() {
	e.backlog.rings = slices.Grow(e.backlog.rings, len(e.fired))
	for _, f := range e.fired {
		switch number := uint32(f.ID >> 16); {
		case f.ID&auraTimer != 0:
			e.index.auras.fired(int32(f.ID &^ auraTimer))
		case e.group.Quiet() || e.posted(e.owners[number].owner, refOf(f)):
			e.postpone(number, due{ref: refOf(f), timer: true})
		}
	}
	e.stats.Fired += uint64(len(e.fired))
	for _, o := range e.wanted {
		o.wanted = false
		switch {
		case o.leaving:
		case o.quiet():
			e.postpone(o.number, due{})
		default:
			e.run(o)
		}
	}
	e.forgetWanted()
}

// posted tells an owner that has messages, or is busy, of a timer. It reports whether it is
// idle, and has not been told.
func (e *Engine) posted(o *owner, ref buff.Ref) (idle bool) {
	if o.leaving {
		return false
	}
	if o.quiet() {
		return true
	}
	e.send(o, message{kind: wake, ref: ref})
	e.want(o)
	return false
}

// mailDue is handOut where somebody is busy or has messages: then all turns are by message. Those
// who have some already come first.
func (e *Engine) mailDue(left int) {
	n := e.backlog.live + len(e.fired) + len(e.wanted)
	for _, box := range e.group.Staged() {
		n += box.Len()
	}
	if e.backlog.n == 0 && n <= left {
		e.wake()
		e.runWanted()
	} else {
		e.postponeDue()
	}
	times := max(1, left/max(n, 1))
	for _, box := range e.group.Staged() {
		if left <= 0 {
			return
		}
		left -= e.allow(box.Owner, min(times*box.Len(), left))
	}
	for left > 0 {
		number, ok := e.next()
		if !ok {
			return
		}
		o := e.owners[number].owner
		reasons := e.pull(number, func(ref buff.Ref) { e.send(o, message{kind: wake, ref: ref}) })
		e.run(o)
		left -= e.allow(o, min(times*reasons, left))
	}
}

// allow gives an owner that has messages its allowance, and returns it.
func (e *Engine) allow(o *owner, most int) int {
	o.given = min(int32(most), e.share)
	o.used, o.obeyed = 0, 0
	e.owe(o, o.given)
	e.starts++
	return int(o.given)
}

// owe notes that an owner is not idle any more, and may yet bring so much.
func (e *Engine) owe(o *owner, given int32) {
	o.owed, o.since = given, e.frame.Number
	e.owed += int(given)
}

// settle notes that the allowance of an owner does not count any more.
func (e *Engine) settle(o *owner) {
	e.owed -= int(o.owed)
	o.owed = 0
}

// left returns what is left of TickLimit in this Tick: what has been worked off, and what those
// who are not idle may work off yet, is taken from it.
func (e *Engine) left() int { return e.opts.TickLimit - e.worked - e.owed }

// affordable reports whether an owner that was held may be taken in: it must fit into what is
// left, since it was counted in no Tick yet. Where nobody else may bring anything it fits: nobody
// works off more than TickLimit at once. If it does not fit, it has a claim on what others leave.
func (e *Engine) affordable(box *mailbox) bool {
	o := box.Owner
	if !o.held || e.closed {
		return true
	}
	if e.worked+e.owed > 0 && e.left() < int(o.used) {
		e.claim += int(o.used)
		return false
	}
	e.worked += int(o.used)
	o.used = 0
	return true
}

// hold notes the owners whose handlers were running when the budget ended: nobody knows for how long. Time
// does not wait for them, and the allowance that they have not used is given to the others.
func (e *Engine) hold() {
	e.stuckNow = e.group.Held(e.stuckNow[:0], true)
	for _, box := range e.stuckNow {
		o := box.Owner
		o.held, o.passed = true, true
		e.settle(o)
	}
}

// horizon returns how far time may go, and false if it stands still, because somebody waits whom
// it must not pass. It must not pass those who wait for TickLimit, nor, by more than undivided, those who wait
// for a worker: a handler that sleeps through a Budget may keep one from them, and must not make
// everybody else a frame late. It passes those who hold a worker up, until they have caught up.
// While all workers are held up, nobody can be waited for.
//
// Workers come back at any moment: whether all are held is asked once. Who waited while they were
// has been passed by more than that, and time does not go back for him.
func (e *Engine) horizon() (until wheel.Time, ok bool) {
	quiet := e.group.Quiet()
	if quiet || e.nobodyWaits() {
		e.unserved = wheel.Never
	} else if e.unserved == wheel.Never {
		e.unserved = e.now
	}
	if quiet && e.backlog.n == 0 || !quiet && e.allHeld() {
		return e.target, true
	}
	until = e.target
	if e.unserved != wheel.Never {
		until = min(until, e.unserved+undivided)
		if until <= e.now {
			return e.now, false
		}
	}
	for _, box := range e.group.Staged() {
		if !box.Owner.passed {
			return e.now, false
		}
	}
	for _, number := range e.backlog.queue[e.backlog.head:] {
		if e.waits(number) && !e.owners[number].owner.passed {
			return e.now, false
		}
	}
	return until, true
}

// nobodyWaits reports whether all who were handed over are done or overdue.
func (e *Engine) nobodyWaits() bool {
	s := e.group.Stats()
	return s.Pending == s.Overdue
}

// allHeld reports whether no worker is left, or will be before a handler returns.
func (e *Engine) allHeld() bool {
	e.stuckNow = e.group.Held(e.stuckNow[:0], true)
	return len(e.stuckNow) == e.opts.Workers
}

// cut takes in that the turn of an owner ended before it was done: its allowance is used up.
func (e *Engine) cut(o *owner) {
	if o.spree = int32(min(int64(o.spree)+int64(o.used), math.MaxInt32)); int64(o.spree) >= e.patience {
		o.passed = true
	}
}

// caughtUp takes in that an owner has done all that was due.
func (o *owner) caughtUp() { o.spree, o.passed = 0, false }
