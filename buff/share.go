package buff

import "github.com/bufftick/bufftick/buff/define"

// share is how much of a whole pulse something counts that the pulse has set off: which part of a
// period, how many pulses, and how many stacks. A pulse has it from its event. An application that an
// action of the pulse makes carries it, and so does what the events of that application make, to the
// end of the chain. So a buff that pays by way of an instant pays as one that pays by itself.
//
// The zero share is that of one whole pulse of one stack, and of what no pulse has set off.
//
// Story: testdata/stat/share.txt.
type share struct {
	elapsed, period int64 // as in an Event
	count           int32 // as in an Event
	stacks          int32 // those that pulsed; 0: one. Only an instant counts them: it has none of its own
}

// shareOf returns the share of what an event sets off. A removal, a death and an act have none: those are done
// as a whole or not at all, and an act has an amount of its own.
func (t *Turn) shareOf(e *Event) share {
	switch e.Kind {
	case Pulsed:
		p := share{elapsed: e.Elapsed, period: e.Period, count: e.Count, stacks: e.Stacks}
		if p.stacks == 1 {
			p.stacks = 0
		}
		return p
	case Removed, StackEnded, Reacted, Died:
		return share{}
	}
	return t.share
}

// scale returns the share of a number.
func (p *share) scale(v float64) float64 {
	if p.period != 0 {
		v = float64(v*float64(p.elapsed)) / float64(p.period)
	}
	if p.count > 1 {
		v = float64(v * float64(p.count))
	}
	return v
}

// instantStacks returns how many stacks an instant of that share counts.
func (p *share) instantStacks() int32 { return max(p.stacks, 1) }

// share codes the share of an application, all of it or nothing.
func (f *form) share(v *share) {
	if !f.next(*v != share{}) {
		return
	}
	count, stacks := int64(v.count), int64(v.stacks)
	f.signed(&v.elapsed)
	f.signed(&v.period)
	f.signed(&count)
	f.signed(&stacks)
	if f.mode == reading && f.err == nil &&
		(v.period < 0 || v.period > define.MaxDuration.Milliseconds() || v.elapsed < 0 || v.elapsed > v.period || count < 0 || count > 1<<31-1 || stacks < 0 || stacks > define.MaxStacks) {
		f.failf(ErrCommand, "a share of %d/%d of %d pulses of %d stacks", v.elapsed, v.period, count, stacks)
		return
	}
	v.count, v.stacks = int32(count), int32(stacks)
}
