package rules

import "github.com/bufftick/bufftick/buff"

// shareOf returns the share for actions that an event causes. Removals, deaths and acts are never
// partial, so their actions have no share; the amount of an act is separate. Events of an
// application have the share of that application.
func (t *Turn) shareOf(e *buff.Event) buff.Share {
	switch e.Kind {
	case buff.Pulsed:
		p := buff.Share{Elapsed: e.Elapsed, Period: e.Period, Count: e.Count, Stacks: e.Stacks}
		if p.Stacks == 1 {
			p.Stacks = 0
		}
		return p
	case buff.Removed, buff.StackEnded, buff.Reacted, buff.Died:
		return buff.Share{}
	}
	return t.share
}

// scale multiplies a number by the share, without the stacks.
func scale(p *buff.Share, v float64) float64 {
	if p.Period != 0 {
		v = float64(v*float64(p.Elapsed)) / float64(p.Period)
	}
	if p.Count > 1 {
		v = float64(v * float64(p.Count))
	}
	return v
}

// instantStacks returns the number of stacks of an instant buff.
func instantStacks(p *buff.Share) int32 { return max(p.Stacks, 1) }
