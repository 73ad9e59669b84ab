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

// speeds is a step function of time: the speed of a buff's time relative to its owner, or of an
// owner's time relative to the world. A speed of 0 means paused.
type speeds struct {
	first float64 // speed before the first change
	at    []wheel.Time
	is    []float64 // is[k] is the speed from at[k] on
}

// value returns the speed at an instant, after all changes at that instant.
func (s *speeds) value(at wheel.Time) float64 {
	speed := s.first
	for k, t := range s.at {
		if t > at {
			break
		}
		speed = s.is[k]
	}
	return speed
}

// forEnd returns the speed from which an event at the given instant computed the end of its buff.
// If a pause starts at that instant, it started after the event, so the speed before the pause is
// returned.
func (s *speeds) forEnd(at wheel.Time) float64 {
	if speed := s.value(at); speed > 0 {
		return speed
	}
	return s.value(at - 1)
}

// passed returns how much time passes at these speeds between two instants, in ms.
func (s *speeds) passed(from, to wheel.Time) float64 {
	ms, speed := 0., s.value(from)
	for k, t := range s.at {
		if t > from && t <= to {
			ms += speed * float64(t-from)
			from, speed = t, s.is[k]
		}
	}
	return ms + speed*float64(max(to-from, 0))
}

// times returns the product of the speeds s and the speeds inner, which are relative to s.
func (s *speeds) times(inner *speeds) *speeds {
	if inner == nil {
		return s
	}
	both := &speeds{first: s.first * inner.first, at: append(slices.Clone(s.at), inner.at...)}
	slices.Sort(both.at)
	both.at = slices.Compact(both.at)
	for _, t := range both.at {
		both.is = append(both.is, s.value(t)*inner.value(t))
	}
	return both
}

// clocks holds the speeds of an owner and its buffs over the last minute.
type clocks struct {
	changes []buff.TimeChange
	owner   speeds
	buffs   map[buff.Handle]*speeds
}

// clocksOf derives the speeds from the flight recorder. The speed before the first recorded change
// is the old speed in that change. If there was no change, it is the present speed.
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
			c.buffs[b.Handle] = &speeds{first: ownSpeed(b, c.owner.value(o.Now))}
		}
	}
	return c
}

// ownSpeed returns the present speed of a buff relative to its owner.
func ownSpeed(b buff.Instance, owner float64) float64 {
	switch {
	case b.Held&(buff.HeldByBuff|buff.HeldByDeath) != 0:
		return 0
	case b.Paused || b.Rate == buff.Ratio{} || owner == 0:
		return 1
	}
	return float64(b.Rate.Num) / float64(b.Rate.Den) / owner
}

// speedsOf returns the speeds of a buff or, for handle 0, of the owner, relative to the world.
func (c *clocks) speedsOf(h buff.Handle) *speeds { return c.owner.times(c.buffs[h]) }

// speedJSON is an interval in which time did not pass at normal speed. Times are in ms.
type speedJSON struct {
	From  int64   `json:"from"`
	To    int64   `json:"to"`
	Speed float64 `json:"speed"` // 1 is normal; 0 means paused
}

// unusual returns the intervals between two instants in which the speed is not 1.
func (s *speeds) unusual(from, to wheel.Time) (list []speedJSON) {
	for from < to {
		next, speed := to, s.value(from)
		for _, t := range s.at {
			if t > from && s.value(t) != speed {
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

// addSpeeds adds to the lanes the changes of speed as events, and the intervals in which the
// speed was not 1.
func (l *lanes) addSpeeds(c *clocks, from, now int64) {
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
		begin, end := from, now+1 // the interval includes the present instant
		if lane.Begin != nil {
			begin = max(begin, *lane.Begin)
		}
		if lane.End != nil {
			end = *lane.End
		}
		lane.Times = c.speedsOf(key.handle).unusual(wheel.Time(begin), wheel.Time(end))
	}
}

// timeText describes a change of speed: whose time has changed, and the new rate.
func timeText(x *buff.TimeChange) string {
	text := map[define.Whose]string{define.OfOwner: "the player", define.OfArea: "its area", define.OfBuff: "the buff"}[x.Whose]
	if x.Handle != 0 && x.Whose == define.OfArea {
		text = "by death"
	}
	if x.Verb == verb.SetRate {
		text += " at " + x.Rate.String()
	}
	return text
}
