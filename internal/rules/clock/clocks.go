package clock

import "github.com/bufftick/bufftick/buff"

// Clocks are the two scales between world time and the time of one buff. Each may be nil.
type Clocks struct {
	Owner *Owner
	Buff  *Buff
}

// ToWorld returns the first world instant at which an instant of buff time has been reached. It is
// Never while the buff or its owner is paused.
func (c Clocks) ToWorld(at BuffTime) WorldTime { return c.Owner.ToOuter(c.Buff.ToOuter(at)) }

// End does the same as ToWorld, for the end of a buff, which may be before the last change of the
// owner's scale if the buff ended while its owner was away. Then the result is computed as if the
// owner had always had its present rate.
func (c Clocks) End(at BuffTime) WorldTime {
	if c.Owner == nil && c.Buff == nil {
		return WorldTime(at) // the usual case, so that End can be inlined
	}
	return c.end(at)
}

func (c Clocks) end(at BuffTime) WorldTime {
	own := c.Buff.ToOuter(at)
	if p := c.Owner; p != nil && own < p.inner && p.num != 0 {
		return p.toOuterBefore(own)
	}
	return c.Owner.ToOuter(own)
}

// Left returns the ms of buff time from the instant of a pause of the buff or its owner until `end`,
// at least 0.
func (c Clocks) Left(end BuffTime) int64 {
	var now BuffTime
	switch {
	case c.Buff == nil:
		now = BuffTime(c.Owner.ToInner(c.Owner.at)) // only the owner's time is paused
	case !c.Owner.Paused():
		now = c.Buff.ToInner(c.Buff.at)
	default:
		now = c.Buff.ToInner(c.Owner.ToInner(c.Owner.at))
	}
	return Until(now, end)
}

// Until returns the ms from `now` until `at`, at least zero. With two rates, each rounded up, `now`
// can be later than an instant that is due in the same millisecond.
func Until(now, at BuffTime) int64 { return max(int64(at-now), 0) }

// State returns the causes that pause the buff, and the rate of its time; the zero Ratio means 1.
func (c Clocks) State() (held buff.Held, rate buff.Ratio) {
	num, den := uint64(1), uint64(1)
	take := func(causes *[3]Cause, by ...buff.Held) {
		for k := range causes {
			if causes[k].Held {
				held |= by[k]
			}
			num, den = product(num, den, causes[k].Rate)
		}
	}
	if c.Owner != nil {
		take(&c.Owner.causes, 0, buff.HeldByOwner, buff.HeldByArea)
	}
	if c.Buff != nil {
		take(&c.Buff.causes, buff.HeldByBuff, 0, buff.HeldByDeath)
	}
	if num == den {
		return held, buff.Ratio{}
	}
	for num > buff.MaxRatio || den > buff.MaxRatio { // only an approximation fits
		num, den = max(num/2, 1), max(den/2, 1)
	}
	return held, buff.Ratio{Num: uint32(num), Den: uint32(den)}
}
