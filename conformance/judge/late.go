package judge

import "fmt"

// §1.1, late frame: "catchup: all / coalesce(n) / skip", of the pulses of one buff in one frame.

// pulseOfFrame is a pulse that is due. Where one is to stand for all of a frame it waits for the last of them.
func (o *owner) pulseOfFrame(b *instance, n int, sum int64) {
	if or(b.def.Catchup.word, "all") == "all" {
		o.pulse(b, n, sum, "")
		return
	}
	b.late.n++
	b.late.stacks, b.late.sum = n, sum
	if !o.moreInFrame(b) {
		o.catchesUp(b)
	}
}

// moreInFrame says whether the buff will pulse again in this frame, for a whole period or a part of one, if nothing changes.
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
		return false // another application will run
	}
	for _, h := range b.holds {
		if h.leaving && h.ends < b.beat {
			return false // a bearer's stacks will go before, or all of it
		}
	}
	later := *b
	later.layers = append([]layer{}, b.layers...)
	for {
		at, ok := later.nextPulse()
		if !ok || !inFrame(at) || later.each() && !later.endless && later.layers[later.firstToEnd()].end < at {
			return false // or a stack will end before
		}
		if n, sum := later.counting(); n > 0 {
			return n == b.late.stacks && sum == b.late.sum // one pulse stands for those that are alike
		}
		o.nextBeat(&later)
	}
}

// catchesUp has the pulses of a buff that wait for the end of the frame. What changes the buff finds them done.
func (o *owner) catchesUp(b *instance) {
	n, stacks, sum := b.late.n, b.late.stacks, b.late.sum
	if b.late = (missing{}); n == 0 {
		return
	}
	if b.def.Catchup.word == "skip" {
		o.pulse(b, stacks, sum, "")
		return
	}
	if most := b.def.Catchup.n; most > 0 {
		n = min(n, most)
	}
	more := ""
	if n > 1 {
		more = fmt.Sprintf(" count=%d", n)
	}
	o.pulse(b, stacks, sum, more, int64(n))
}
