package judge

import "fmt"

// Section 1.1 of the rules: if several pulses of a buff are due in one frame, the field `catchup`
// says whether they run one by one, run as one pulse, or are skipped.

// pulseOfFrame runs a due pulse. If a later pulse of the same frame will include this pulse, it
// only counts the pulse.
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

// moreInFrame reports whether the buff will pulse again in this frame with the same stacks and
// magnitude, provided that it does not change.
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
		return false // the next application of the queue starts before that pulse
	}
	for _, h := range b.holds {
		if h.leaving && h.ends < b.beat {
			// Before that pulse the buff ends, or the stacks that an aura has added end.
			return false
		}
	}
	later := *b
	later.layers = append([]layer{}, b.layers...)
	for {
		at, ok := later.nextPulse()
		if !ok || !inFrame(at) || later.each() && !later.endless && later.layers[later.firstToEnd()].end < at {
			return false // a stack ends before that pulse
		}
		if c := later.due(); c.n > 0 {
			// Only equal pulses can be combined.
			return c.n == b.late.last.n && c.magnitude(b) == b.late.last.magnitude(b)
		}
		o.nextBeat(&later)
	}
}

// catchesUp runs the pulses that pulseOfFrame has only counted. It must be called before every
// change of a buff.
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

// catchesUpWith runs the waiting pulses of the buffs that an immunity of buff b is about. It must be
// called before this immunity begins or ends, because these pulses are from before.
func (o *owner) catchesUpWith(b *instance) {
	if b.def.Immunity == nil {
		return
	}
	for _, c := range o.carried() {
		if c != b && b.def.Immunity.against(c.def) {
			o.catchesUp(c)
		}
	}
}
