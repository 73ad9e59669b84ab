package inspect

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// This file adds pauses and rates to the scenario. A scenario starts at normal speed. Steps at
// the start of the recorded time set the speeds at that time. Each later change of speed is a
// further step.

// left returns the remaining time of a buff after an event, in ms of the buff's own time. It
// returns 0 if the event has no end.
func (s *scenario) left(e *buff.Event) int64 {
	if e.End == wheel.Never || e.End <= e.At {
		return 0
	}
	return int64(math.Round(float64(e.End-e.At) * s.times.speedsOf(e.Handle).forEnd(e.At)))
}

// duration returns the duration of a buff from its start in the scenario, in ms of its own
// time, or 0 if it is unknown.
func (s *scenario) duration(x *scenarioBuff) int64 {
	if !x.ends {
		return 0
	}
	before := max(s.known-x.begin, 0)
	return int64(before) + int64(math.Round(s.times.speedsOf(x.handle).passed(max(x.begin, s.known), x.leftAt))) + x.left
}

// addTimeSteps adds the steps that pause, resume or change the rate of time.
func (s *scenario) addTimeSteps(o *view.Owner) {
	s.timeBefore(o)
	for _, x := range s.times.changes {
		if x.Handle != 0 && x.Verb != verb.SetRate && (x.Was == 0) == (x.Is == 0) {
			continue // the buff is also paused for another reason; a scenario can express only one
		}
		s.timeStep(x.At, x.Handle, x.Whose, x.Verb, x.Rate)
	}
}

// timeBefore adds steps for the pauses and rates at the start of the recorded time. They are
// derived from later changes: if time was resumed, it was paused before, and a change of rate
// contains the old rate.
func (s *scenario) timeBefore(o *view.Owner) {
	type reason struct {
		handle buff.Handle
		whose  define.Whose
		rate   bool
	}
	known := map[reason]bool{}
	rest := 0. // the part of the owner's speed that the known rates do not explain
	rates := map[define.Whose]float64{define.OfOwner: 1, define.OfArea: 1}
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
		if product := rates[define.OfOwner] * rates[define.OfArea]; x.Is > 0 {
			rest = x.Is / product
		}
	}
	switch own := &s.times.owner; {
	case len(own.at) == 0 && o.Paused:
		s.timeStep(s.known, 0, define.OfOwner, verb.Pause, buff.Ratio{})
	case !known[reason{0, define.OfOwner, true}]:
		s.rateBefore(0, define.OfOwner, rest)
	case !known[reason{0, define.OfArea, true}]:
		s.rateBefore(0, define.OfArea, rest)
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

// rateBefore adds a step for the speed at the start of the recorded time, unless it is normal.
func (s *scenario) rateBefore(h buff.Handle, whose define.Whose, speed float64) {
	if rate, ok := ratioOf(speed); ok {
		s.timeStep(s.known, h, whose, verb.SetRate, rate)
	}
}

// timeStep adds a step that pauses, resumes or changes the rate of time.
func (s *scenario) timeStep(at wheel.Time, h buff.Handle, whose define.Whose, do verb.Verb, rate buff.Ratio) {
	word, whom, x := do.String(), "true", s.at[h]
	switch {
	case h != 0 && x == nil:
		return // the scenario does not contain this buff
	case h != 0:
		word, whom = word+"_buff", quoted(x.id)
	case whose == define.OfArea:
		word, whom = word+"_area", "0"
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

// ratioOf converts a speed to a rate. It returns false if the speed is 0, is the normal speed, or
// is not a valid rate.
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
