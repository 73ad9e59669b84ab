package inspect

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// Pauses and rates in the scenario of a minute. It begins with a time that passes as the world's; where
// what is known begins it becomes as it was then, and each change is a step.

// left is what an event says that its buff has left, in ms of the buff's own time; 0 if it says nothing.
func (s *story) left(e *buff.Event) int64 {
	if e.End == wheel.Never || e.End <= e.At {
		return 0
	}
	return int64(math.Round(float64(e.End-e.At) * s.times.of(e.Handle).told(e.At)))
}

// lasts is how long a buff lasts from its begin in the scenario on, in ms of its own time; 0 if that is not known.
func (s *story) lasts(x *storyBuff) int64 {
	if !x.ends {
		return 0
	}
	before := max(s.known-x.begin, 0)
	return int64(before) + int64(math.Round(s.times.of(x.handle).passed(max(x.begin, s.known), x.then))) + x.left
}

// standStill makes steps of what time did: of what it was like before the first change, and of the changes.
func (s *story) standStill(o *view.Owner) {
	s.timeBefore(o)
	for _, x := range s.times.changes {
		if x.Handle != 0 && x.Verb != verb.SetRate && (x.Was == 0) == (x.Is == 0) {
			continue // the scenario knows one reason why a buff's time stands still, not two
		}
		s.timeStep(x.At, x.Handle, x.Whose, x.Verb, x.Rate)
	}
}

// timeBefore makes steps of what held the time, or what rate it had, when what is known began: whatever ends a
// pause says that there was one, and who changes a rate what it was.
func (s *story) timeBefore(o *view.Owner) {
	type reason struct {
		handle buff.Handle
		whose  define.Whose
		rate   bool
	}
	known := map[reason]bool{}
	rest := 0. // of the owner's speed, what the rates that are known do not explain
	rates := map[define.Whose]float64{define.OfOwner: 1, define.OfZone: 1}
	for _, x := range s.times.changes {
		r := reason{x.Handle, x.Whose, x.Verb == verb.SetRate}
		switch {
		case known[r]:
		case r.rate && x.Old != buff.Ratio{Num: 1, Den: 1}:
			s.timeStep(s.known, x.Handle, x.Whose, verb.SetRate, x.Old)
		case x.Verb == verb.Resume && (x.Handle == 0 || x.Was == 0):
			s.timeStep(s.known, x.Handle, x.Whose, verb.Pause, buff.Ratio{})
		}
		known[r] = true
		if x.Handle != 0 {
			continue
		}
		if r.rate {
			rates[x.Whose] = float64(x.Rate.Num) / float64(x.Rate.Den)
		}
		if product := rates[define.OfOwner] * rates[define.OfZone]; x.Is > 0 {
			rest = x.Is / product
		}
	}
	switch own := &s.times.owner; {
	case len(own.at) == 0 && o.Paused:
		s.timeStep(s.known, 0, define.OfOwner, verb.Pause, buff.Ratio{})
	case !known[reason{0, define.OfOwner, true}]:
		s.rateBefore(0, define.OfOwner, rest)
	case !known[reason{0, define.OfZone, true}]:
		s.rateBefore(0, define.OfZone, rest)
	}
	for _, x := range s.lanes {
		if own := s.times.buffs[x.handle]; own != nil && len(own.at) == 0 && !x.begins {
			s.rateBefore(x.handle, define.OfBuff, own.first)
			if own.first == 0 {
				s.timeStep(s.known, x.handle, define.OfBuff, verb.Pause, buff.Ratio{})
			}
		}
	}
}

// rateBefore is a step for a speed that time had from the begin on, if it is another than that of the world.
func (s *story) rateBefore(h buff.Handle, whose define.Whose, speed float64) {
	if rate, ok := ratioOf(speed); ok {
		s.timeStep(s.known, h, whose, verb.SetRate, rate)
	}
}

// timeStep is a step about time.
func (s *story) timeStep(at wheel.Time, h buff.Handle, whose define.Whose, do verb.Verb, rate buff.Ratio) {
	word, whom, x := do.String(), "true", s.at[h]
	switch {
	case h != 0 && x == nil:
		return // nothing else is known of it
	case h != 0:
		word, whom = word+"_buff", quoted(x.id)
	case whose == define.OfZone:
		word, whom = word+"_zone", "0"
	}
	switch {
	case do != verb.SetRate:
		s.step(at, "%s: %s", word, whom)
	case h == 0 && whose == define.OfOwner:
		s.step(at, "%s: %s", word, quoted(rate.String()))
	default:
		s.step(at, "%s: %s, to: %s", word, whom, quoted(rate.String()))
	}
}

// ratioOf returns the rate of time that a speed is, and reports whether it is one, and another than that of the
// world.
func ratioOf(speed float64) (buff.Ratio, bool) {
	if speed == 0 || speed == 1 {
		return buff.Ratio{}, false
	}
	for den := 1.; den <= buff.MaxRate; den++ {
		if num := math.Round(speed * den); num >= 1 && num <= buff.MaxRate && math.Abs(num/den-speed) < 1e-12*speed {
			return buff.Ratio{Num: uint32(num), Den: uint32(den)}, true
		}
	}
	return buff.Ratio{}, false
}
