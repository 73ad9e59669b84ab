package buff

import (
	"math"

	"github.com/bufftick/bufftick/wheel"
)

// place puts everything into the Set. From here on nothing can fail.
func (r *restorer) place() {
	s := r.set
	s.own, s.catalog = r.own, r.turn.Catalog
	if len(r.remains) > 0 || r.saved.Rolls > 0 {
		g := s.needGates()
		g.returns, g.rolls = r.remains, r.saved.Rolls
	}
	r.placeBases()
	for k := range r.backs {
		if c := &r.backs[k]; !c.gone {
			r.placeBuff(c)
		}
	}
	s.ages = r.ages
	s.timeouts, s.liveTimeouts = r.waits, int32(len(r.waits))
	for k := range s.timeouts {
		s.touchTimeout(uint16(k))
	}
	r.placeTags()
	a := r.aside
	if len(a.Buffs)+len(a.Timeouts)+len(a.Returns)+len(a.Tags)+len(a.Immune)+len(a.Bases) > 0 {
		s.aside = a
	}
}

// placeBuff takes a slot for a buff and gives the owner what it grants.
func (r *restorer) placeBuff(c *comeback) {
	s, spec := r.set, c.i.spec
	if c.young {
		r.rejuvenate(c)
	}
	r.numbers(c)
	at := s.place()
	i := &s.slots[at]
	c.i.generation, c.i.older, c.i.newer, c.i.armed = i.generation, i.older, i.newer, i.armed
	*i = c.i
	s.remark(at)
	if !c.plain {
		i.extra = s.spare()
		s.extras[i.extra] = c.x
	}
	s.touch(at)
	c.at = at
	if spec.uses&usesInterrupt != 0 {
		s.needGates().acts |= spec.interrupt | spec.consumeOn
	}
	s.modifiers += int32(len(spec.modifiers))
	if i.flags&hidden != 0 {
		return
	}
	if spec.uses&usesModifiers != 0 {
		s.putOn(at)
	}
	if spec.uses&usesGrants != 0 {
		s.needGates().tags.add(spec.grants)
	}
	if spec.uses&usesImmunity != 0 {
		s.needGates().immunities++
	}
}

// rejuvenate makes a buff the youngest of its owner.
func (r *restorer) rejuvenate(c *comeback) {
	by := r.ages + 1 - c.i.age
	c.i.age += by
	r.ages = c.i.age
	if c.i.spec.Stack.Timers == TimersQueue {
		c.x.running += by
		r.ages = max(r.ages, c.x.running)
	}
	for k := range c.x.layers {
		c.x.layers[k].age += by
		r.ages = max(r.ages, c.x.layers[k].age)
	}
}

// placeTags gives the owner its tags beside the grants of its buffs, and its immunities.
func (r *restorer) placeTags() {
	for _, b := range r.saved.Tags {
		t, ok := r.turn.Catalog.Tag(b.Name)
		if !ok {
			r.aside.Tags = append(r.aside.Tags, b)
			continue
		}
		g := r.set.needGates()
		g.given.addTimes(t, b.N)
		for _, t := range r.turn.Catalog.closure([]Tag{t}) {
			g.tags.addTimes(t, b.N)
		}
	}
	for _, b := range r.saved.Immune {
		if t, ok := r.turn.Catalog.Tag(b.Name); ok {
			r.set.needGates().immune.addTimes(t, b.N)
		} else {
			r.aside.Immune = append(r.aside.Immune, b)
		}
	}
}

// addTimes counts a tag n times more, up to the most that a count can be.
func (s *tagSet) addTimes(t Tag, n int64) {
	s.add([]Tag{t})
	k, _ := s.find(t)
	(*s)[k].n = uint16(min(int64((*s)[k].n)-1+n, maxTagCount))
}

// tell reports what has come back and what has ended, and lets follow what follows.
func (r *restorer) tell() {
	s, t := r.set, r.turn
	t.begin(r.at.Now, s.started(r.at.Now), false)
	for k := range r.backs {
		if c := &r.backs[k]; c.gone {
			r.tellGone(c)
		} else {
			r.tellBack(c)
		}
	}
	for k := range r.backs { // under other definitions there may be new enemies
		c := &r.backs[k]
		if c.gone || c.i.spec.uses&usesImmunity == 0 {
			continue
		}
		if i := &s.slots[c.at]; i.spec != nil && i.flags&hidden == 0 {
			s.purgeImmune(t, c.at)
		}
	}
	s.reconsider(t)
	for t.head < len(t.items) {
		s.step(t)
	}
	t.rest()
	s.settle(r.at.Now)
}

func (r *restorer) tellBack(c *comeback) {
	s, t := r.set, r.turn
	i := &s.slots[c.at]
	e := s.about(Restored, c.at)
	e.End, e.Next = s.endTold(t, i), s.worldOf(i, s.nextPulse(i))
	t.emit(s, &e)
	if i.spec.uses&(usesHide|usesOngoing) != 0 {
		s.unsettle()
	}
	if c.parts {
		e := s.about(StackEnded, c.at)
		e.Why, e.Offline = Expired, c.away
		switch i.spec.Stack.Timers {
		case TimersShared:
			e.End = s.endTold(t, i)
		case TimersQueue:
			e.Kind, e.Why, e.End = Queued, NoReason, s.endTold(t, i)
		}
		t.emit(s, &e)
	}
	r.tellPulses(c, s.about(Pulsed, c.at), c.at)
}

func (r *restorer) tellGone(c *comeback) {
	s, t, i := r.set, r.turn, &c.i
	e := Event{
		Kind: Removed, Why: Expired, Spec: i.spec, Source: i.source, Stacks: int32(i.stacks), Level: i.level, Magnitude: i.magnitude,
		End: wheel.Never, Offline: c.away,
	}
	told := e
	told.Kind, told.Why, told.Offline = Pulsed, NoReason, 0
	r.numbers(c)
	k := &nothingKept
	if c.x.kept != nil {
		k = c.x.kept
	}
	r.tellPulses(c, told, noSlot)
	if i.spec.uses&usesDR != 0 {
		s.lastEnd(t, i)
	}
	if i.spec.uses&(usesHide|usesOngoing) != 0 {
		s.unsettle()
	}
	switch i.spec.Save.OfflineExpire {
	case OfflineNotify:
		t.emit(s, &e)
	case OfflineRun:
		t.emit(s, &e)
		s.follow(t, i.spec.remove[Expired], k)
	}
	if i.spec.uses&usesLinks != 0 {
		s.sendOff(t, i.spec, i.source, Expired, "")
	}
}

// tellPulses does the pulses that fell into the time away; e is one of them, at where the
// buff is.
func (r *restorer) tellPulses(c *comeback, e Event, at uint16) {
	s, t, spec := r.set, r.turn, c.i.spec
	times := min(c.pulses, 1)
	switch {
	case c.pulses == 0 || spec.Save.Offline == OfflineNone:
		return
	case spec.Save.Offline == OfflineAll:
		most := int64(spec.Save.OfflineCap)
		if most == 0 {
			most = 100
		}
		times = min(c.pulses, most)
	case c.pulses > 1:
		e.Count = int32(min(c.pulses, math.MaxInt32))
	}
	e.Stacks = c.stacks
	if spec.Stack.Timers == TimersEach {
		e.Magnitude = c.sum
	}
	suppressed := true
	switch {
	case c.i.flags&hidden != 0:
		e.Kind = Suppressed
	case s.gates != nil && spec.Immune == ImmuneSuppress && s.immuneTo(spec, at):
		e.Kind, e.Why = Suppressed, Immune
	default:
		suppressed = false
	}
	for range times {
		t.emit(s, &e)
		switch {
		case suppressed:
		case at != noSlot:
			s.followPulse(t, at)
		case c.x.kept != nil:
			s.follow(t, spec.pulse, c.x.kept)
		default:
			s.follow(t, spec.pulse, &nothingKept)
		}
	}
}
