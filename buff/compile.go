package buff

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// compile compiles the fields that the checks have not compiled. It is also called for invalid
// definitions, so it clamps values to their limits.
func (k *checker) compile(s *program) {
	s.shortest, s.longest = s.MinDuration.Milliseconds(), int64(math.MaxInt64)
	if s.MaxDuration > 0 {
		s.longest = s.MaxDuration.Milliseconds()
	}
	s.cap = s.Stack.RefreshCap.Milliseconds()
	s.interval, s.linger, s.reset = s.Aura.Interval.Milliseconds(), s.Aura.Linger.Milliseconds(), s.DR.Reset.Milliseconds()
	s.ifRemaining = s.Save.IfRemaining.Milliseconds()
	k.compileTags(s)
	k.compileNames(s)
	s.Params = slices.Clone(s.Params)
	s.DR.Steps = slices.Clone(s.DR.Steps)
	if s.Aura.Apply != "" {
		s.aura = k.ref("aura.apply", s.Aura.Apply)
	}
	s.Stack.Thresholds = slices.Clone(s.Stack.Thresholds)
	for i, t := range s.Stack.Thresholds {
		c := threshold{at: int32(min(max(t.At, 0), define.MaxStacks)), consume: int32(min(max(t.Consume, define.ConsumeAll), define.MaxStacks))}
		if t.Apply != "" {
			c.apply = k.ref(element("stack.thresholds", i)+".apply", t.Apply)
		}
		s.thresholds = append(s.thresholds, c)
	}
}

func (k *checker) compileTags(s *program) {
	s.grants = k.catalog.closure(k.tagList("grants", &s.Grants))
	s.is = k.catalog.closure(k.tagList("tags", &s.Tags))
	s.tags = s.is
	if len(s.grants) > 0 {
		s.tags = k.catalog.closure(append(slices.Clone(s.is), s.grants...))
	}
	s.immunity = match{tags: k.tagList("immunity.tags", &s.Immunity.Tags), kind: s.Immunity.Type, polarity: s.Immunity.Polarity}
	s.require.apply = k.condition("require.apply", &s.Require.Apply)
	s.require.ongoing = k.condition("require.ongoing", &s.Require.Ongoing)
	s.require.remove = k.condition("require.remove", &s.Require.Remove)
}

func (k *checker) compileNames(s *program) {
	s.group = k.numbered("group.name", &k.catalog.groups, s.Group.Name)
	s.slot = k.numbered("slot.class", &k.catalog.slots, s.Slot.Class)
	s.dr = k.numbered("dr.group", &k.catalog.drs, s.DR.Group)
	s.interrupt = k.actSet("interrupt", &s.Interrupt)
	s.consumeOn = k.actSet("charges.consume_on", &s.Charges.ConsumeOn)
}

// findUses returns the features that the definition uses. It is called once, when the catalog is
// built. At run time only single bits are tested, so that plain damage over time skips the rules
// for groups, immunities and numbers.
func (s *program) findUses() (u uses) {
	set := func(bit uses, on bool) {
		if on {
			u |= bit
		}
	}
	r := &s.require
	set(usesRequire, !r.apply.empty())
	set(usesOngoing, !r.ongoing.empty() || !r.remove.empty())
	set(usesHide, s.group != 0 && s.Group.Rule == define.GroupHide || s.Stack.Effective > 0 && s.Stack.Timers != define.TimersEach)
	set(usesGroup, s.group != 0)
	set(usesSlot, s.slot != 0)
	set(usesGrants, len(s.grants) > 0)
	set(usesImmunity, !s.immunity.empty())
	set(usesChance, s.Chance != 0 && s.Chance != 1000)
	set(usesDR, s.dr != 0)
	set(usesNumbers, len(s.numbers) > 0 || s.scale != nil || s.poolBy != nil || s.Shield.On && s.Shield.Pool == 0)
	set(usesModifiers, len(s.modifiers) > 0)
	set(usesOverride, slices.ContainsFunc(s.modifiers, func(m modifier) bool { return m.op == stat.Override }))
	set(usesPulsed, slices.ContainsFunc(s.numbers, func(n number) bool { return n.snapshot == define.SnapshotPulse }))
	set(usesLinks, len(s.links) > 0)
	set(usesDead, s.Dead == define.DeadDeny || s.Dead == define.DeadDefault && s.catalog.dead == define.DeadDeny)
	set(usesShare, s.PerSource.Limit > 0)
	set(usesExtra, s.Stack.Timers != define.TimersShared || s.Stack.By == define.ByKey || s.Charges.N > 0 || s.Shield.On ||
		len(s.numbers)+len(s.modifiers)+len(s.captures) > 0)
	set(usesMagnitudes, len(s.numbers)+len(s.modifiers)+len(s.captures) > 0)
	set(usesActs, s.acts() != 0)
	set(usesCatchup, s.Catchup != define.CatchupAll)
	set(usesThresholds, len(s.thresholds) > 0)
	set(usesOnlyCall, s.onlyCalls(u))
	return u
}

// onlyCalls reports whether a pulse of a plain instance only calls one handler.
func (s *program) onlyCalls(u uses) bool {
	return len(s.pulse) == 1 && s.pulse[0].do == define.DoCall && s.Align == define.AlignStart && u&(usesExtra|usesCatchup) == 0
}
