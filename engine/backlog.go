package engine

import (
	"math"

	"github.com/bufftick/bufftick/wheel"
)

// backlog is the owners for whose turn Limits.Tick has left nothing yet, or not enough: first come,
// first served. They are idle and nobody looks at them: entrance.waits says who they are. Time stands still for everybody
// until they have had their turn.
type backlog struct {
	queue []uint32 // numbers; one that does not wait any more is passed over
	head  int      // of queue
	n     int      // owners that wait
}

// postpone puts an owner into the backlog: something is due for it, handlers were put off, or its turn was cut short.
func (e *Engine) postpone(number uint32) {
	if b, c := &e.backlog, &e.owners.filings[number]; !c.is(postponed) {
		c.note(postponed)
		b.queue = append(b.queue, number)
		b.n++
	}
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
	return e.backlog.n > 0 && int(number) < e.owners.len() && e.owners.filings[number].is(postponed)
}

// pull takes an owner out of the backlog.
func (e *Engine) pull(number uint32) {
	b := &e.backlog
	e.owners.filings[number].forget(postponed)
	if b.n--; b.n == 0 {
		e.high.backlog.used(len(b.queue))
		b.queue, b.head = b.queue[:0], 0
	} else if b.head > len(b.queue)/2 && b.head > keep {
		b.queue, b.head = b.queue[:copy(b.queue, b.queue[b.head:])], 0
	}
}

// enlist takes an owner that is to get a message out of the backlog: what was due comes first.
func (e *Engine) enlist(o *owner) {
	if e.waits(o.number) {
		e.pull(o.number)
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
	n := len(e.due) + len(e.wanted)
	if e.backlog.n == 0 && n <= left {
		e.times = int32(min(left/max(n, 1), maxShare))
		e.batchDue()
		return
	}
	e.postponeDue()
	times := min(max(1, left/max(e.backlog.n, 1)), maxShare)
	for left > 0 {
		number, ok := e.next()
		if !ok {
			break
		}
		e.pull(number)
		x := e.turnFor(number)
		x.given = min(int32(times), e.share)
		x.again = true
		left -= int(x.given)
	}
}

// postponeDue puts all that is due into the backlog, but for owners that have messages anyway.
func (e *Engine) postponeDue() {
	for _, d := range e.due {
		if e.group.Quiet() || e.posted(e.owners.at(d.number())) {
			e.postpone(d.number())
		}
	}
	for _, r := range e.wanted {
		o := r.alive()
		if o == nil {
			continue
		}
		o.wanted = false
		switch {
		case o.quiet():
			e.postpone(o.number)
		default:
			e.run(o)
		}
	}
	e.forgetWanted()
}

// posted notes that an owner that has messages, or is busy, wants a turn. It reports whether it is
// idle.
func (e *Engine) posted(o *owner) (idle bool) {
	if o.leaving() {
		return false
	}
	if o.quiet() {
		return true
	}
	e.want(o)
	return false
}

// mailDue is handOut where somebody is busy or has messages: then all turns are by message. Those
// who have some already come first.
func (e *Engine) mailDue(left int) {
	n := e.backlog.n + len(e.due) + len(e.wanted)
	for _, box := range e.group.Staged() {
		n += box.Len()
	}
	if e.backlog.n == 0 && n <= left {
		e.wantDue()
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
		o := e.owners.at(number)
		e.pull(number)
		e.run(o)
		left -= e.allow(o, min(times, left))
	}
}

// allow gives an owner that has messages its allowance, and returns it.
func (e *Engine) allow(o *owner, most int) int {
	t := o.needTurns()
	t.given, t.order = min(int32(most), e.share), e.nextOrder()
	t.used, t.obeyed = 0, 0
	e.owe(o, t.given)
	e.starts++
	return int(t.given)
}

// owe notes that an owner is not idle any more, and may yet bring so much.
func (e *Engine) owe(o *owner, given int32) {
	b := o.note()
	b.owed, b.since = given, e.frame.Number
	e.owed += int(given)
}

// settle notes that the allowance of an owner does not count any more.
func (e *Engine) settle(o *owner) {
	if b := o.beside.Load(); b != nil {
		e.owed -= int(b.owed)
		b.owed = 0
	}
}

// left returns what is left of Limits.Tick in this Tick: what has been worked off, and what those
// who are not idle may work off yet, is taken from it.
func (e *Engine) left() int { return e.opts.Limits.Tick - e.worked - e.owed }

// affordable reports whether an owner that was held may be taken in: it must fit into what is
// left, since it was counted in no Tick yet. Where nobody else may bring anything it fits: nobody
// works off more than Limits.Tick at once. If it does not fit, it has a claim on what others leave.
func (e *Engine) affordable(box *mailbox) bool {
	o := box.Owner
	if !o.held || e.closed {
		return true
	}
	used := int(o.used())
	if e.worked+e.owed > 0 && e.left() < used {
		e.claim += used
		return false
	}
	e.worked += used
	o.counted()
	return true
}

// hold notes the owners whose handlers were running when the budget ended: nobody knows for how long. Time
// does not wait for them, and the allowance that they have not used is given to the others.
func (e *Engine) hold() {
	e.stuckNow = e.group.Held(e.stuckNow[:0], true)
	for _, box := range e.stuckNow {
		o := box.Owner
		o.held, o.note().passed = true, true
		e.settle(o)
	}
}

// horizon returns how far time may go, and false if it stands still, because somebody waits whom
// it must not pass. It must not pass those who wait for Limits.Tick, nor, by more than undivided, those who wait
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
		if !box.Owner.noted().passed {
			return e.now, false
		}
	}
	for _, number := range e.backlog.queue[e.backlog.head:] {
		if e.waits(number) && !e.owners.at(number).noted().passed {
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
func (e *Engine) cut(o *owner, used int32) {
	b := o.note()
	if b.spree = int32(min(int64(b.spree)+int64(used), math.MaxInt32)); int64(b.spree) >= e.patience {
		b.passed = true
	}
}

// caughtUp takes in that an owner has done all that was due.
func (o *owner) caughtUp() {
	if b := o.beside.Load(); b != nil {
		b.spree, b.passed = 0, false
	}
}
