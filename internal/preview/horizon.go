package preview

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Where a timeline ends that is not told: when nothing runs any more. What never ends is
// shown for a while; what ends and begins anew for ever is cut, too.

// pulsesShown is how many pulses of a buff without end are shown.
const pulsesShown = 5

// leastShown is how much is shown of what neither ends nor pulses.
const leastShown = 10 * time.Second

// lifetime is how long an application of what ends may reasonably be alive, in ms.
func lifetime(s *buff.Spec, stacks int) int64 {
	times := int64(1)
	if s.Stack.Expire != define.ExpireAll { // each stack may last as long
		times = int64(min(max(stacks, s.Stack.Initial, 1), max(s.Stack.Limit, 1), 20))
	}
	return s.Duration.Milliseconds() * times // 0 of what is instant or infinite
}

// endless is how much is shown of a buff without end, in ms.
func endless(s *buff.Spec) int64 {
	if s.Period > 0 {
		return pulsesShown * s.Period.Milliseconds()
	}
	return leastShown.Milliseconds()
}

// toTheEnd runs on until nothing runs any more, or enough has been seen.
func (p *player) toTheEnd() error {
	start := p.now
	bound := start // of what is carried now, whatever its definition says
	for i := range p.set.All() {
		if i.End != wheel.Never {
			bound = max(bound, i.End)
		}
	}
	limit := wheel.Never // once only endless buffs are left
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

// settled returns, if nothing that is carried ends by itself, how far it is shown;
// otherwise Never.
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

// finish ends the timeline; one of a single instant is given a second.
func (p *player) finish(at wheel.Time) {
	p.now = at
	if at == 0 {
		at = wheel.Time(second)
	}
	p.rec.finish(at)
}
