package compile

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// compile compiles the fields that the checks have not compiled. It is also called for invalid
// definitions, so it clamps values to their limits.
func (k *checker) compile(s *Program) {
	s.Shortest, s.Longest = s.MinDuration.Milliseconds(), int64(math.MaxInt64)
	if s.MaxDuration > 0 {
		s.Longest = s.MaxDuration.Milliseconds()
	}
	s.Cap, s.Decay, s.Recharge = s.Stack.RefreshCap.Milliseconds(), s.Stack.Decay.Milliseconds(), s.Charges.Recharge.Milliseconds()
	s.interval, s.linger, s.Reset = s.Spec.Aura.Interval.Milliseconds(), s.Spec.Aura.Linger.Milliseconds(), s.DR.Reset.Milliseconds()
	s.IfRemaining = s.Save.IfRemaining.Milliseconds()
	k.compileTags(s)
	k.compileNames(s)
	s.Params = slices.Clone(s.Params)
	s.DR.Steps = slices.Clone(s.DR.Steps)
	if s.Spec.Aura.Apply != "" {
		s.Aura = k.ref("aura.apply", s.Spec.Aura.Apply)
	}
	s.Stack.Thresholds = slices.Clone(s.Stack.Thresholds)
	for i, t := range s.Stack.Thresholds {
		c := threshold{At: int32(min(max(t.At, 0), define.MaxStacks)), Consume: int32(min(max(t.Consume, define.ConsumeAll), define.MaxStacks))}
		if t.Apply != "" {
			c.Apply = k.ref(element("stack.thresholds", i)+".apply", t.Apply)
		}
		s.Thresholds = append(s.Thresholds, c)
	}
}

func (k *checker) compileTags(s *Program) {
	s.Grants = k.catalog.Closure(k.tagList("grants", &s.Spec.Grants))
	s.Is = k.catalog.Closure(k.tagList("tags", &s.Spec.Tags))
	s.Tags = s.Is
	if len(s.Grants) > 0 {
		s.Tags = k.catalog.Closure(append(slices.Clone(s.Is), s.Grants...))
	}
	s.Immunity = match{tags: k.tagList("immunity.tags", &s.Spec.Immunity.Tags), kind: s.Spec.Immunity.Type, polarity: s.Spec.Immunity.Polarity}
	s.Require.Apply = k.condition("require.apply", &s.Spec.Require.Apply)
	s.Require.Ongoing = k.condition("require.ongoing", &s.Spec.Require.Ongoing)
	s.Require.Remove = k.condition("require.remove", &s.Spec.Require.Remove)
}

func (k *checker) compileNames(s *Program) {
	s.Group = k.numbered("group.name", &k.catalog.groups, s.Spec.Group.Name)
	s.Slot = k.numbered("slot.class", &k.catalog.slots, s.Spec.Slot.Class)
	s.Dr = k.numbered("dr.group", &k.catalog.Drs, s.DR.Group)
	s.Interrupt = k.actSet("interrupt", &s.Spec.Interrupt)
	s.ConsumeOn = k.actSet("charges.consume_on", &s.Charges.ConsumeOn)
}

// findUses returns the features that the definition uses. It is called once, when the catalog is
// built. At run time only single bits are tested, so that plain damage over time skips the rules
// for groups, immunities and numbers.
func (s *Program) findUses() (u uses) {
	set := func(bit uses, on bool) {
		if on {
			u |= bit
		}
	}
	r := &s.Require
	set(UsesRequire, !r.Apply.Empty())
	set(UsesOngoing, !r.Ongoing.Empty() || !r.Remove.Empty())
	set(UsesHide, s.Group != 0 && s.Spec.Group.Rule == define.GroupHide || s.Stack.Effective > 0 && s.Stack.Timers != define.TimersEach)
	set(usesGroup, s.Group != 0)
	set(usesSlot, s.Slot != 0)
	set(UsesGrants, len(s.Grants) > 0)
	set(UsesImmunity, !s.Immunity.empty())
	set(UsesChance, s.Chance != 0 && s.Chance != 1000)
	set(UsesDR, s.Dr != 0)
	set(UsesNumbers, len(s.Numbers) > 0 || s.Scale != nil || s.If != nil || s.PoolBy != nil || s.Shield.On && s.Shield.Pool == 0)
	set(UsesModifiers, len(s.Modifiers) > 0)
	set(UsesOverride, slices.ContainsFunc(s.Modifiers, func(m Modifier) bool { return m.Op == stat.Override }))
	set(UsesPulsed, slices.ContainsFunc(s.Numbers, func(n Number) bool { return n.Snapshot == define.SnapshotPulse }))
	set(UsesLinks, len(s.Links) > 0)
	set(UsesDead, s.Dead == define.DeadDeny || s.Dead == define.DeadDefault && s.Catalog.Dead == define.DeadDeny)
	set(UsesShare, s.PerSource.Limit > 0)
	set(UsesView, s.readsBuff)
	set(UsesLive, len(s.Vars) > 0 || s.ReadsLive)
	set(UsesExtra, u&UsesLive != 0 || s.Stack.Timers != define.TimersShared || s.Stack.By == define.ByKey || s.Charges.N > 0 || s.Shield.On ||
		len(s.Numbers)+len(s.Modifiers)+len(s.Captures) > 0)
	set(UsesMagnitudes, len(s.Numbers)+len(s.Modifiers)+len(s.Captures) > 0)
	set(UsesActs, s.Acts() != 0)
	set(UsesCatchup, s.Catchup != define.CatchupAll)
	set(UsesRecharge, s.Recharge > 0)
	set(UsesPeriod, s.PeriodFrom != nil && s.Every.Place >= 0)
	set(UsesHaste, s.HasteBy != nil && s.Rate.Place >= 0)
	set(usesThresholds, len(s.Thresholds) > 0)
	set(UsesOnlyCall, s.onlyCalls(u))
	return u
}

// onlyCalls reports whether a pulse of a plain instance only calls one handler.
func (s *Program) onlyCalls(u uses) bool {
	return len(s.Pulse) == 1 && s.Pulse[0].Do == define.DoCall && !s.Pulse[0].Conditional() && s.Align == define.AlignStart && u&(UsesExtra|UsesCatchup) == 0
}
