package rules_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
)

// asksFor reports whether a number of the definition reads the parameter with the given name.
func asksFor(s *buff.Spec, caller string) bool {
	found := false
	look := func(n define.Number) {
		found = found || n.From == define.FromCaller && n.Caller == caller
		if n.From == define.FromFormula {
			found = found || slices.Contains(n.Formula.Reads(), define.Read{Kind: define.ReadCaller, Name: caller})
		}
	}
	(&worked{}).each(s, func(n define.Number, _ any, _ func() float64, _ func(float64)) bool {
		look(n)
		return true
	})
	for _, n := range []*define.Number{s.DurationScale, s.Shield.By} {
		if n != nil {
			look(*n)
		}
	}
	return found
}

func (m *model) apply(o Op, member bool) string {
	s := m.catalog.Spec(o.spec)
	m.running = o.portion
	if o.with != nil && slices.ContainsFunc(m.buffs, func(b *carried) bool { return b.spec == s && b.tied(o.with) }) {
		return "" // the head has this link
	}
	if why, word := wrong(s, o); why != reason.None {
		m.line("error", because(why), told{spec: s, source: o.source})
		return "error " + why.String() + " " + word
	}
	why := reason.None
	for _, p := range o.params {
		if !asksFor(s, p.Caller) {
			return m.deny(s, o, reason.NoParam)
		}
	}
	if m.worked, why = m.work(s, o, member); why != reason.None {
		return m.deny(s, o, why)
	}
	if why := m.refusal(s, o); why != reason.None {
		return m.deny(s, o, why)
	}
	if s.Kind == define.Instant {
		c := told{
			at: m.at, kind: "exec", spec: s, source: o.source, magnitude: o.magnitude, level: o.level, nums: m.worked, stacks: 1,
		}
		m.line("exec", times(1), c)
		m.follow(s.On.Exec, c)
		return "exec"
	}
	d, why := m.lasts(s, o, member)
	if why != reason.None {
		return m.deny(s, o, why)
	}
	accepted, r := false, ""
	b, was := m.joined(s, o, member), 0
	if b != nil {
		was = b.stacks
		accepted, r = m.join(b, o, d)
	} else {
		accepted, r = m.start(s, o, d, member)
		for _, c := range m.buffs {
			if accepted && c.number == m.born {
				b = c
			}
		}
	}
	if accepted && r != "" && b != nil && o.with != nil {
		b.ties = append(b.ties, tie{o.with, max(b.stacks-was, 0)})
	}
	if accepted && s.DR.Group != "" && r != "" { // an application without an event does not count
		m.diminish(s, o)
	}
	return r
}

// wrong returns the reason for which the arguments are invalid, and the word of the error.
func wrong(s *buff.Spec, o Op) (reason.Reason, string) {
	switch {
	case o.given && (o.duration < time.Millisecond || s.Kind == define.Instant):
		return reason.BadDuration, "duration"
	case o.stacks < 0:
		return reason.BadStacks, "stacks"
	case o.level < 0 || o.level > define.MaxLevel:
		return reason.BadLevel, "level"
	case o.scale.Den == 0 && o.scale.Num != 0:
		return reason.BadDuration, "scale"
	}
	return reason.None, ""
}

// refusal runs the checks of an application before the duration.
func (m *model) refusal(s *buff.Spec, o Op) reason.Reason {
	switch {
	case m.dead && s.Dead == define.DeadDeny:
		return reason.Dead
	case !m.holds(s.Require.Apply):
		return reason.Requirement
	case m.immuneTo(s, nil):
		return reason.Immune
	case s.Chance != 0 && s.Chance != 1000 && !m.lucky(s.Chance):
		return reason.Chance
	}
	return reason.None
}

// lucky reports whether a roll succeeds. The model can compute it only in the same way as the code:
// by the finalizer of splitmix64 over the seed, the owner and the number of the roll.
func (m *model) lucky(chance int) bool {
	mix := func(x uint64) uint64 {
		x += 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	m.rolls++
	return int(mix(mix(rollSeed^uint64(ownID))+m.rolls)%1000) < chance
}

// lasts returns the duration of an application in buff time, or never if it has no end.
func (m *model) lasts(s *buff.Spec, o Op, member bool) (int64, reason.Reason) {
	d := int64(never)
	if s.Kind == define.Timed {
		d = lastsAt(s, m.levelOf(s, o, member))
	}
	if o.given {
		d = ms(o.duration)
	}
	if member {
		d = never
	}
	share := 100
	if s.DR.Group != "" {
		if share = m.share(s, o.source); share == 0 {
			return 0, reason.Diminished
		}
	}
	if d == never {
		if s.DurationScale != nil && m.worked.scale == 0 {
			return 0, reason.Resisted
		}
		return never, reason.None
	}
	if o.scale.Den != 0 {
		d = halfUp(d, int64(o.scale.Num), int64(o.scale.Den))
	}
	if s.DurationScale != nil {
		d = int64(math.Floor(float64(d)*m.worked.scale + 0.5))
	}
	if d = halfUp(d, int64(share), 100); d == 0 {
		return 0, reason.Resisted
	}
	d = max(d, ms(s.MinDuration))
	if s.MaxDuration > 0 {
		d = min(d, ms(s.MaxDuration))
	}
	if s.Tail == define.TailFit {
		period := m.periodAfter(s, o, member)
		d = max(halfUp(d, 1, period), 1) * period
	}
	return d, reason.None
}

func (m *model) deny(s *buff.Spec, o Op, why reason.Reason) string {
	m.line("deny", because(why), told{spec: s, source: o.source, magnitude: o.magnitude})
	return "deny " + why.String()
}

// joined returns the oldest instance that an application joins.
func (m *model) joined(s *buff.Spec, o Op, member bool) *carried {
	st := s.Stack
	for _, b := range m.buffs {
		if b.spec == s && b.member == member && (st.Level != define.LevelSegregate || b.level == o.level) &&
			(st.By == define.ByTarget || st.By == define.BySource && b.source == o.source || st.By == define.ByKey && b.key == o.key) {
			return b
		}
	}
	return nil
}

func limit(s *buff.Spec) int {
	if s.Stack.Timers == define.TimersQueue {
		return cmp.Or(s.Stack.Limit, define.MaxAsyncStacks)
	}
	return cmp.Or(s.Stack.Limit, 1)
}

func stacks(s *buff.Spec, o Op) int { return cmp.Or(o.stacks, s.Stack.Initial, 1) }

// start starts a new instance if there is room for it.
func (m *model) start(s *buff.Spec, o Op, d int64, member bool) (bool, string) {
	why, going := m.room(s, o)
	if why == reason.Full {
		m.deny(s, o, why)
		return false, "deny full full"
	}
	if why != reason.None {
		return false, m.deny(s, o, why)
	}
	for _, g := range going {
		m.remove(g.b, g.why)
	}
	m.immunityChanges(s) // pending pulses are from before the immunity
	m.born++
	m.ages++
	b := &carried{
		spec: s, source: o.source, magnitude: o.magnitude, number: m.born, age: m.ages, level: o.level, key: o.key,
		by: []buff.OwnerID{o.source}, duration: d, stacks: min(stacks(s, o), limit(s)), period: periodAt(s, o.level), member: member, entering: true,
	}
	b.end = from(m.now, d)
	b.newBeat(m.now)
	b.charges, b.shield, b.nums = s.Charges.N, m.worked.pool, m.worked.copied()
	m.buffs = append(m.buffs, b)
	switch s.Stack.Timers {
	case define.TimersEach:
		m.addAsync(b, o, m.now, d, b.stacks, b.age)
	case define.TimersQueue:
		b.stacks, b.running = 1, &asyncStack{magnitude: o.magnitude, source: o.source, level: o.level, age: b.age}
	}
	m.follow(s.On.Apply, m.about(b, "apply", times(b.stacks)+field("end", m.endTold(b, b.end))))
	m.bring(b)
	m.cross(b, 0, b.source)
	m.stirred(b, true)
	m.setHidden(b, m.unmet(b), false, m.weaker(b), m.ineffective(b))
	if b.entering = false; !b.hidden() {
		m.purgeImmune(b)
	}
	m.settle()
	if s.First != define.FirstNone && !b.gone {
		m.pulse(b, atOnce, "", 0)
	}
	return true, "apply"
}

// join executes a further application that joins a live instance.
func (m *model) join(b *carried, o Op, d int64) (accepted bool, r string) {
	s, st := b.spec, &b.spec.Stack
	if st.Level == define.LevelHigherWins && o.level < b.level {
		return false, m.deny(s, o, reason.LowerLevel)
	}
	m.flush(b)
	full, higher := b.stacks >= limit(s), b.outlevelled(o)
	if st.Timers == define.TimersQueue {
		full = len(b.async)+1 >= limit(s)
	}
	switch {
	case full && st.Overflow == define.OverflowDeny && !higher:
		m.deny(s, o, reason.Limit)
		m.overflow(o)
		return false, "deny limit"
	case full && st.Overflow == define.OverflowClear:
		m.remove(b, reason.Overflowed)
		m.overflow(o)
		return false, "remove overflow"
	case st.Timers == define.TimersEach:
		return true, m.joinEach(b, o, d)
	case st.Timers == define.TimersQueue:
		r = m.joinQueue(b, o, d)
		return r == "queue", r
	}
	defer func() {
		if r != "" && !slices.Contains(b.by, o.source) {
			b.by = append(b.by, o.source)
		}
	}()
	was := b.facts()
	if m.joinUses(b); higher {
		b.charges, b.shield = s.Charges.N, m.worked.pool
	}
	if !full {
		had := b.stacks
		b.stacks = min(b.stacks+stacks(s, o), limit(s))
		b.setLevel(o)
		b.magnitude = o.magnitude
		m.stirred(b, false)
		m.about(b, "stack", times(b.stacks))
		m.cross(b, had, o.source)
		r = "stack"
	}
	now := b.now(m.now)
	if st.Refresh != define.RefreshNone || higher {
		r = cmp.Or(r, "refresh")
		if full {
			b.setLevel(o)
		}
		if b.end = b.refreshed(now, d); higher && d != never {
			b.end = now + d
		}
		b.duration, b.magnitude = d, o.magnitude
		m.stirred(b, false)
		b.takeWanted()
		m.keep(b, o)
		c := m.about(b, "refresh", times(b.stacks)+field("end", m.endTold(b, b.end)))
		if st.Refresh == define.RefreshRestart || st.Phase != define.PhaseKeep || b.facts() != was {
			m.followFrom(s.On.Refresh, c, o.source)
		}
		m.bring(b)
	}
	if st.Phase != define.PhaseKeep {
		b.newBeat(now)
	}
	if b.period > 0 && (st.Phase == define.PhaseExecute || s.First == define.FirstEvery && r != "") {
		m.pulse(b, atOnce, "", 0)
	}
	if full {
		m.overflow(o)
	}
	return true, r
}

// facts describes the fields of a buff that a refresh may change.
func (b *carried) facts() string {
	var changes []float64
	b.nums.each(b.spec, func(_ define.Number, _ any, get func() float64, _ func(float64)) bool {
		changes = append(changes, get())
		return true
	})
	return fmt.Sprint(b.end, b.stacks, b.level, b.magnitude, b.charges, b.shield, b.wanted, changes)
}

// refreshed returns the new end for a further application with the duration d.
func (b *carried) refreshed(now, d int64) int64 {
	st := &b.spec.Stack
	switch {
	case d == never:
		return never
	case st.Refresh == define.RefreshExtend && st.RefreshCap > 0:
		return max(b.end, min(b.end+d, now+ms(st.RefreshCap)))
	case st.Refresh == define.RefreshExtend:
		return b.end + d
	case st.Refresh == define.RefreshPandemic:
		return now + d + min(left(now, b.end), lastsAt(b.spec, b.level)*int64(cmp.Or(st.RefreshPct, 30))/100)
	case st.Refresh == define.RefreshMax:
		return max(b.end, now+d)
	case st.Refresh == define.RefreshResidual && b.next <= b.end: // a partial tail has no residual time
		return now + d + left(now, b.next)
	}
	return now + d
}

// setLevel sets the level of the instance for a further application. With LevelHigherWins, a lower
// level was refused before.
func (b *carried) setLevel(o Op) {
	if b.spec.Stack.Level == define.LevelSum {
		b.levelIs(min(b.level+o.level, define.MaxLevel))
	} else {
		b.levelIs(o.level)
	}
}

// levelIs sets the level. A period that depends on the level changes after the next pulse.
func (b *carried) levelIs(level int) {
	if was, is := periodAt(b.spec, b.level), periodAt(b.spec, level); was != is {
		b.period = is
	}
	b.level = level
}

// periodAfter returns the period that the instance has after the application.
func (m *model) periodAfter(s *buff.Spec, o Op, member bool) int64 {
	is, b := periodAt(s, m.levelOf(s, o, member)), m.joined(s, o, member)
	switch {
	case b != nil && b.wanted > 0:
		return b.wanted
	case b != nil && periodAt(s, b.level) == is:
		return b.period
	}
	return is
}

// takeWanted sets the period that haste has left for the next refresh. The next pulse does not
// move.
func (b *carried) takeWanted() {
	if b.wanted > 0 {
		b.period, b.wanted = b.wanted, 0
	}
}

// renew does for TimersEach, where an application does not refresh, what otherwise only a refresh
// does.
func (m *model) renew(b *carried, o Op) {
	b.takeWanted()
	m.keep(b, o)
}

// keep gives a buff the numbers of an application. If the application has another source, the buff
// keeps the known attributes of its own source.
func (m *model) keep(b *carried, o Op) {
	known := b.nums.known
	if b.nums = m.worked.copied(); b.source != o.source {
		b.nums.known = known
	}
}

// cross applies the thresholds that the stacks have reached from below. What they apply knows the
// attributes of the source that the application knows.
func (m *model) cross(b *carried, was int, source buff.OwnerID) {
	known := m.worked.known
	for _, t := range b.spec.Stack.Thresholds {
		if was >= t.At || b.stacks < t.At {
			continue
		}
		if t.Apply != "" {
			m.issue(queued{op: Op{verb: verb.Apply, spec: t.Apply, source: source, magnitude: b.magnitude, level: b.level, inherits: true, known: known, portion: m.running}})
		}
		if t.Consume != 0 {
			m.issue(queued{op: Op{verb: verb.Remove, stacks: max(t.Consume, 0), reason: reason.Consumed}, target: b})
		}
	}
}

func (m *model) overflow(o Op) {
	s := m.catalog.Spec(o.spec)
	m.follow(s.On.Overflow, told{
		at: m.at, kind: "deny", spec: s, source: o.source, magnitude: o.magnitude, level: o.level, nums: m.worked, stacks: limit(s),
	})
}
