package buff

import "github.com/bufftick/bufftick/buff/define"

// share scales the effects of events that a pulse causes, by the part of a period, the number of
// pulses and the stacks of the pulse. The actions of the pulse pass the share to the applications
// that they issue, and these pass it on to the end of the chain. So a pulse that applies an instant
// buff which does damage does the same damage as a pulse that does the damage itself.
//
// The zero share means one whole pulse of one stack, or no pulse.
//
// Example: testdata/stat/share.txt.
type share struct {
	elapsed, period int64 // as in an Event
	count           int32 // as in an Event
	stacks          int32 // stacks of the pulse, 0 for one; used only by instant buffs, which do not stack
}

// shareOf returns the share for actions that an event causes. Removals, deaths and acts are never
// partial and have none; the amount of an act is separate. Events of an application have the share
// of that application.
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

// scale multiplies a number by the share, without the stacks.
func (p *share) scale(v float64) float64 {
	if p.period != 0 {
		v = float64(v*float64(p.elapsed)) / float64(p.period)
	}
	if p.count > 1 {
		v = float64(v * float64(p.count))
	}
	return v
}

// instantStacks returns the number of stacks for an instant.
func (p *share) instantStacks() int32 { return max(p.stacks, 1) }

// share encodes or decodes the share of an application: one flag, and the fields if it is not zero.
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
		f.failf(ErrCommand, "invalid share: %d/%d of a period, %d pulses, %d stacks", v.elapsed, v.period, count, stacks)
		return
	}
	v.count, v.stacks = int32(count), int32(stacks)
}
