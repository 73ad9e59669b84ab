package judge

import "fmt"

// Section 1.1 of the rules: in a late frame catchup runs, merges or skips the pulses of one buff.

// pulseOfFrame applies a due pulse, or counts it if it will be coalesced into a later pulse of the
// same frame.
func (o *owner) pulseOfFrame(b *instance, c counted) {
	if or(b.def.Catchup.word, "all") == "all" {
		o.pulse(b, c, "")
		return
	}
	b.late.n++
	b.late.last = c
	if !o.moreInFrame(b) {
		o.catchesUp(b)
	}
}

// moreInFrame reports whether the buff will pulse in the same way again in this frame, unless
// something changes.
func (o *owner) moreInFrame(b *instance) bool {
	inFrame := func(at int64) bool {
		at, ok := b.outer(at)
		if ok {
			at, ok = o.clock.when(at)
		}
		return ok && at <= o.frame
	}
	if at, ok := b.nextPartial(); ok && inFrame(at) {
		return true
	}
	if len(b.waiting) > 0 && b.beat > b.end {
		return false // the next application of the queue runs before
	}
	for _, h := range b.holds {
		if h.leaving && h.ends < b.beat {
			return false // stacks of the aura, or the buff, end before
		}
	}
	later := *b
	later.layers = append([]layer{}, b.layers...)
	for {
		at, ok := later.nextPulse()
		if !ok || !inFrame(at) || later.each() && !later.endless && later.layers[later.firstToEnd()].end < at {
			return false // a stack ends before
		}
		if c := later.due(); c.n > 0 {
			return c.n == b.late.last.n && c.magnitude(b) == b.late.last.magnitude(b) // only equal pulses are coalesced
		}
		o.nextBeat(&later)
	}
}

// catchesUp applies the counted pulses of a buff. Every change of a buff calls it first.
func (o *owner) catchesUp(b *instance) {
	n, last := b.late.n, b.late.last
	if b.late = (missing{}); n == 0 {
		return
	}
	if b.def.Catchup.word == "skip" {
		o.pulse(b, last, "")
		return
	}
	if most := b.def.Catchup.n; most > 0 {
		n = min(n, most)
	}
	more := ""
	if n > 1 {
		more = fmt.Sprintf(" count=%d", n)
	}
	o.pulseFor(b, last, more, share{count: n})
}
