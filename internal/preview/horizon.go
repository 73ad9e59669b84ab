package preview

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// A script without Script.Until runs until no buff is active. If some buffs never end, or start
// again forever, the functions in this file choose the end of the timeline.

// pulsesShown is the number of pulses of an infinite buff that are shown.
const pulsesShown = 5

// leastShown is how long an infinite buff without pulses is shown.
const leastShown = 10 * time.Second

// lifetime estimates how long an application may stay active, in ms. It is 0 for instant and
// infinite buffs.
func lifetime(s *buff.Spec, stacks int) int64 {
	times := int64(1)
	if s.Stack.Expire != define.ExpireAll { // the stacks may end one after another
		times = int64(min(max(stacks, s.Stack.Initial, 1), max(s.Stack.Limit, 1), 20))
	}
	return s.Duration.Milliseconds() * times
}

// endless returns how long an infinite buff is shown, in ms.
func endless(s *buff.Spec) int64 {
	if s.Period > 0 {
		return pulsesShown * s.Period.Milliseconds()
	}
	return leastShown.Milliseconds()
}

// toTheEnd runs until no buff is active, or until the limits of this file are reached.
func (p *player) toTheEnd() error {
	start := p.now
	bound := start // estimated latest end of the active buffs
	for i := range p.set.All() {
		if i.End != wheel.Never {
			bound = max(bound, i.End)
		}
	}
	limit := wheel.Never // end of the timeline; set when only infinite buffs are active
	for {
		if limit == wheel.Never {
			limit = p.settled()
		}
		next := p.set.Next()
		reach := start.Add(p.reach)
		switch {
		case next == wheel.Never && p.set.Len() == 0:
			p.finish(p.now)
			return nil
		case limit != wheel.Never && next > limit:
			p.finish(limit)
			return nil
		case limit == wheel.Never && next > bound && next >= reach:
			p.finish(max(bound, reach))
			return nil
		}
		if err := p.run(next); err != nil {
			return err
		}
	}
}

// settled returns the end of the timeline if only infinite buffs are active, and otherwise Never.
func (p *player) settled() wheel.Time {
	more := int64(-1)
	for i := range p.set.All() {
		if i.End != wheel.Never {
			return wheel.Never
		}
		more = max(more, endless(i.Spec))
	}
	if more < 0 {
		return wheel.Never
	}
	return p.now.Add(more)
}

// finish ends the timeline at an instant. An empty timeline lasts one second.
func (p *player) finish(at wheel.Time) {
	p.now = at
	if at == 0 {
		at = wheel.Time(second)
	}
	p.rec.finish(at)
}
