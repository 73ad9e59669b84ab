package inspect

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// speeds are how fast a time passed against that around it: 0 where it stood still.
type speeds struct {
	first float64 // before the first change
	at    []wheel.Time
	is    []float64 // from then on
}

// of returns the speed at an instant, after what has changed it then.
func (s *speeds) of(at wheel.Time) float64 {
	speed := s.first
	for k, t := range s.at {
		if t > at {
			break
		}
		speed = s.is[k]
	}
	return speed
}

// told returns the speed by which an event of that instant worked out when something ends: a pause of the
// same instant came after it, if it says of an end at all.
func (s *speeds) told(at wheel.Time) float64 {
	if speed := s.of(at); speed > 0 {
		return speed
	}
	return s.of(at - 1)
}

// passed returns how much time has passed, in ms.
func (s *speeds) passed(from, to wheel.Time) float64 {
	ms, speed := 0., s.of(from)
	for k, t := range s.at {
		if t > from && t <= to {
			ms += speed * float64(t-from)
			from, speed = t, s.is[k]
		}
	}
	return ms + speed*float64(max(to-from, 0))
}

// within returns both, the one inside the other.
func (s *speeds) within(inner *speeds) *speeds {
	if inner == nil {
		return s
	}
	both := &speeds{first: s.first * inner.first, at: append(slices.Clone(s.at), inner.at...)}
	slices.Sort(both.at)
	both.at = slices.Compact(both.at)
	for _, t := range both.at {
		both.is = append(both.is, s.of(t)*inner.of(t))
	}
	return both
}

// clocks are the times of an owner and of its buffs over the last minute.
type clocks struct {
	changes []buff.TimeChange
	owner   speeds
	buffs   map[buff.Handle]*speeds
}

// clocksOf reads them from what the recorder knows; what was so before it is worked out from the first change,
// or from how it is now.
func clocksOf(o *view.Owner, r *history.Recorder, from wheel.Time) *clocks {
	c := &clocks{owner: speeds{first: 1}, buffs: make(map[buff.Handle]*speeds)}
	c.changes = slices.Collect(r.TimeChanges(history.Query{From: from, To: o.Now, Owners: []buff.OwnerID{o.Owner}}))
	if n := len(c.changes) - maxSteps; n > 0 {
		c.changes = c.changes[n:]
	}
	slices.SortStableFunc(c.changes, func(a, b buff.TimeChange) int { return int(a.At - b.At) })
	if o.Paused {
		c.owner.first = 0
	}
	for _, x := range c.changes {
		s := &c.owner
		if x.Handle != 0 {
			if s = c.buffs[x.Handle]; s == nil {
				s = &speeds{}
				c.buffs[x.Handle] = s
			}
		}
		if len(s.at) == 0 {
			s.first = x.Was
		}
		s.at, s.is = append(s.at, x.At), append(s.is, x.Is)
	}
	if o.Busy || o.Unseen {
		return c
	}
	for _, b := range o.Buffs {
		if c.buffs[b.Handle] == nil {
			c.buffs[b.Handle] = &speeds{first: ownSpeed(b, c.owner.of(o.Now))}
		}
	}
	return c
}

// ownSpeed is how fast the time of a buff passes against that of its owner.
func ownSpeed(b buff.Instance, owner float64) float64 {
	switch {
	case b.Held&(buff.HeldByBuff|buff.HeldByDeath) != 0:
		return 0
	case b.Paused || b.Rate == buff.Ratio{} || owner == 0:
		return 1
	}
	return float64(b.Rate.Num) / float64(b.Rate.Den) / owner
}

// of returns the time of a buff against that of the world; a handle of 0 is the owner's.
func (c *clocks) of(h buff.Handle) *speeds { return c.owner.within(c.buffs[h]) }

// speedJSON is a while in which a time did not pass as that of the world. Times are in ms.
type speedJSON struct {
	From  int64   `json:"from"`
	To    int64   `json:"to"`
	Speed float64 `json:"speed"` // 0: it stood still
}

// unusual returns those whiles from an instant to another.
func (s *speeds) unusual(from, to wheel.Time) (list []speedJSON) {
	for from < to {
		next, speed := to, s.of(from)
		for _, t := range s.at {
			if t > from && s.of(t) != speed {
				next = min(t, to)
				break
			}
		}
		if speed != 1 {
			list = append(list, speedJSON{int64(from), int64(next), speed})
		}
		from = next
	}
	return list
}

// changes puts what has changed about time on the lanes, and says of each how its time passed.
func (l *lanes) changes(c *clocks, from, now int64) {
	for _, x := range c.changes {
		if at, ok := l.at[laneKey{handle: x.Handle}]; x.Handle == 0 || ok {
			if x.Handle == 0 {
				at = l.index(&buff.Event{})
			}
			l.list[at].Steps = append(l.list[at].Steps, stepJSON{At: int64(x.At), Kind: x.Verb.String(), Text: timeText(&x)})
		}
	}
	for key, at := range l.at {
		lane := &l.list[at]
		slices.SortStableFunc(lane.Steps, func(a, b stepJSON) int { return int(a.At - b.At) })
		if key.spec != "" {
			continue
		}
		begin, end := from, now+1 // an instant belongs to the while that begins at it, and so does this one
		if lane.Begin != nil {
			begin = max(begin, *lane.Begin)
		}
		if lane.End != nil {
			end = *lane.End
		}
		lane.Times = c.of(key.handle).unusual(wheel.Time(begin), wheel.Time(end))
	}
}

// timeText says of whom a change of time was, and at what rate.
func timeText(x *buff.TimeChange) string {
	text := map[define.Whose]string{define.OfOwner: "the player", define.OfZone: "its zone", define.OfBuff: "the buff"}[x.Whose]
	if x.Handle != 0 && x.Whose == define.OfZone {
		text = "by death"
	}
	if x.Verb == verb.SetRate {
		text += " at " + x.Rate.String()
	}
	return text
}
