package rules_test

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
)

// word is one setting of a definition that is not the default. The test uses it with and without
// the settings that it needs to have an effect.
type word struct {
	field, value string
	needs, gives func(*buff.Spec)
}

func secs(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func nothing(*buff.Spec) {}

// pairWords are the settings that package rules executes. Settings of auras, limits per source and
// clients are executed by the engine or the game.
var pairWords = []word{
	{"duration", "infinite", nothing, func(s *buff.Spec) { s.Kind, s.Duration = define.Infinite, 0 }},
	{"min_duration", "4s", nothing, func(s *buff.Spec) { s.MinDuration = secs(4) }},
	{"max_duration", "6s", nothing, func(s *buff.Spec) { s.MaxDuration = secs(6) }},
	{"duration_scale", "0.5", nothing, func(s *buff.Spec) { n := define.Const(0.5); s.DurationScale = &n }},
	{"clock", "uptime", nothing, func(s *buff.Spec) { s.Clock = define.Uptime }},
	{"clock", "wall", nothing, func(s *buff.Spec) { s.Clock = define.Wall }},
	{"period", "none", nothing, func(s *buff.Spec) { s.Period, s.On.Pulse = 0, nil }},
	{"first", "start", nothing, func(s *buff.Spec) { s.First = define.FirstStart }},
	{"first", "every", nothing, func(s *buff.Spec) { s.First = define.FirstEvery }},
	{"tail", "partial", nothing, func(s *buff.Spec) { s.Tail = define.TailPartial }},
	{"tail", "fit", nothing, func(s *buff.Spec) { s.Tail = define.TailFit }},
	{"align", "owner", nothing, func(s *buff.Spec) { s.Align = define.AlignOwner }},
	{"haste", "next", nothing, func(s *buff.Spec) { s.Haste = define.HasteNext }},
	{"haste", "rescale", nothing, func(s *buff.Spec) { s.Haste = define.HasteRescale }},
	{"haste_duration", "true", func(s *buff.Spec) { s.Haste = max(s.Haste, define.HasteNext) }, func(s *buff.Spec) { s.HasteDuration = true }},
	{"catchup", "coalesce", nothing, func(s *buff.Spec) { s.Catchup = define.CatchupCoalesce }},
	{"catchup", "coalesce: 2", func(s *buff.Spec) { s.Catchup = define.CatchupCoalesce }, func(s *buff.Spec) { s.CatchupMax = 2 }},
	{"catchup", "skip", nothing, func(s *buff.Spec) { s.Catchup = define.CatchupSkip }},

	{"stack.by", "none", nothing, func(s *buff.Spec) { s.Stack.By = define.ByNone }},
	{"stack.by", "target", nothing, func(s *buff.Spec) { s.Stack.By = define.ByTarget }},
	{"stack.by", "key", nothing, func(s *buff.Spec) { s.Stack.By = define.ByKey }},
	{"stack.limit", "2", nothing, func(s *buff.Spec) { s.Stack.Limit = 2 }},
	{"stack.initial", "2", nothing, func(s *buff.Spec) { s.Stack.Initial = 2 }},
	{"stack.timers", "each", nothing, func(s *buff.Spec) { s.Stack.Timers = define.TimersEach }},
	{"stack.timers", "queue", nothing, func(s *buff.Spec) { s.Stack.Timers = define.TimersQueue }},
	{"stack.effective", "1", nothing, func(s *buff.Spec) { s.Stack.Effective = 1 }},
	{"stack.refresh", "none", nothing, func(s *buff.Spec) { s.Stack.Refresh = define.RefreshNone }},
	{"stack.refresh", "extend", nothing, func(s *buff.Spec) { s.Stack.Refresh = define.RefreshExtend }},
	{"stack.refresh", "extend: 7s", func(s *buff.Spec) { s.Stack.Refresh = define.RefreshExtend }, func(s *buff.Spec) { s.Stack.RefreshCap = secs(7) }},
	{"stack.refresh", "pandemic", nothing, func(s *buff.Spec) { s.Stack.Refresh = define.RefreshPandemic }},
	{"stack.refresh", "pandemic: 80", func(s *buff.Spec) { s.Stack.Refresh = define.RefreshPandemic }, func(s *buff.Spec) { s.Stack.RefreshPct = 80 }},
	{"stack.refresh", "max", nothing, func(s *buff.Spec) { s.Stack.Refresh = define.RefreshMax }},
	{"stack.refresh", "residual_tick", nothing, func(s *buff.Spec) { s.Stack.Refresh = define.RefreshResidual }},
	{"stack.phase", "reset", nothing, func(s *buff.Spec) { s.Stack.Phase = define.PhaseReset }},
	{"stack.phase", "execute", nothing, func(s *buff.Spec) { s.Stack.Phase = define.PhaseExecute }},
	{"stack.overflow", "deny", nothing, func(s *buff.Spec) { s.Stack.Overflow = define.OverflowDeny }},
	{"stack.overflow", "clear", nothing, func(s *buff.Spec) { s.Stack.Overflow = define.OverflowClear }},
	{"stack.overflow", "replace_oldest", func(s *buff.Spec) { s.Stack.Timers = max(s.Stack.Timers, define.TimersEach) }, func(s *buff.Spec) { s.Stack.Overflow = define.OverflowReplace }},
	{"stack.expire", "one", nothing, func(s *buff.Spec) { s.Stack.Expire = define.ExpireOne }},
	{"stack.expire", "half", nothing, func(s *buff.Spec) { s.Stack.Expire = define.ExpireHalf }},
	{"charges", "recharge", nothing, func(s *buff.Spec) {
		s.Charges = define.Charges{N: 2, ConsumeOn: []string{"hit"}, Recharge: secs(2)}
	}},
	{"stack.decay", "2s, one", nothing, func(s *buff.Spec) { s.Stack.Expire, s.Stack.Decay = define.ExpireOne, secs(2) }},
	{"stack.expire", "2", nothing, func(s *buff.Spec) { s.Stack.Expire, s.Stack.ExpireN = define.ExpireCount, 2 }},
	{"stack.level", "higher_wins", nothing, func(s *buff.Spec) { s.Stack.Level = define.LevelHigherWins }},
	{"stack.level", "segregate", nothing, func(s *buff.Spec) { s.Stack.Level = define.LevelSegregate }},
	{"stack.level", "sum", nothing, func(s *buff.Spec) { s.Stack.Level = define.LevelSum }},
	{"stack.thresholds", "at 2", nothing, func(s *buff.Spec) { s.Stack.Thresholds = []define.Threshold{{At: 2, Apply: "flash", Consume: 1}} }},

	{"group", "always", nothing, func(s *buff.Spec) { s.Group = define.Group{Name: "g", Priority: 1} }},
	{"group", "never", nothing, func(s *buff.Spec) { s.Group = define.Group{Name: "g", Priority: 1, Rule: define.GroupNever} }},
	{"group", "hide", nothing, func(s *buff.Spec) { s.Group = define.Group{Name: "g", Priority: 1, Rule: define.GroupHide} }},
	{"group", "same_source_only", nothing, func(s *buff.Spec) { s.Group = define.Group{Name: "g", Priority: 1, Rule: define.GroupSameSource} }},
	{"slot", "reject", nothing, func(s *buff.Spec) { s.Slot = define.Slot{Class: "c", Limit: 2} }},
	{"slot.evict", "oldest", func(s *buff.Spec) { s.Slot = define.Slot{Class: "d", Limit: 2} }, func(s *buff.Spec) { s.Slot = define.Slot{Class: "e", Limit: 2, Evict: define.EvictOldest} }},
	{"grants", "[granted]", nothing, func(s *buff.Spec) { s.Grants = []string{"granted"} }},
	{"require.apply", "none: [dumb]", nothing, func(s *buff.Spec) { s.Require.Apply.None = []string{"dumb"} }},
	{"require.ongoing", "none: [dumb]", nothing, func(s *buff.Spec) { s.Require.Ongoing.None = []string{"dumb"} }},
	{"require.remove", "all: [dumb]", nothing, func(s *buff.Spec) { s.Require.Remove.All = []string{"dumb"} }},
	{"inhibition", "reset", nothing, func(s *buff.Spec) { s.Inhibition = define.InhibitionReset }},
	{"inhibition", "execute", nothing, func(s *buff.Spec) { s.Inhibition = define.InhibitionExecute }},
	{"dead", "deny", nothing, func(s *buff.Spec) { s.Dead = define.DeadDeny }},
	{"immune", "remove", nothing, func(s *buff.Spec) { s.Immune = define.ImmuneRemove }},
	{"immune", "ignore", nothing, func(s *buff.Spec) { s.Immune = define.ImmuneIgnore }},
	{"immunity", "[other]", nothing, func(s *buff.Spec) { s.Immunity.Tags = []string{"other"} }},
	{"chance", "900", nothing, func(s *buff.Spec) { s.Chance = 900 }},
	{"dr", "[100, 90, 70]", nothing, func(s *buff.Spec) { s.DR = define.DR{Group: "r", Steps: []int{100, 90, 70}, Reset: secs(3)} }},
	{"dr.scope", "pair", func(s *buff.Spec) { s.DR = define.DR{Group: "p", Steps: []int{100, 90, 70}, Reset: secs(3)} }, func(s *buff.Spec) {
		s.DR = define.DR{Group: "q", Steps: []int{100, 90, 70}, Reset: secs(3), Scope: define.ScopePair}
	}},
	{"dispel.type", "curse", nothing, func(s *buff.Spec) { s.Dispel.Type = "curse" }},
	{"dispel.grade", "strong", nothing, func(s *buff.Spec) { s.Dispel.Grade = define.GradeStrong }},
	{"dispel.per", "stack", nothing, func(s *buff.Spec) { s.Dispel.Per = define.PerStack }},
	{"dispel.per", "charge", charged, func(s *buff.Spec) { s.Dispel.Per = define.PerCharge }},
	{"dispel.resist", "500", nothing, func(s *buff.Spec) { s.Dispel.Resist = 500 }},
	{"dispel.stealable", "false", nothing, func(s *buff.Spec) { s.Dispel.Keep = true }},
	{"interrupt", "[move]", nothing, func(s *buff.Spec) { s.Interrupt = []string{"move"} }},
	{"charges", "3", nothing, charged},
	{"charges.on_refresh", "keep", charged, func(s *buff.Spec) { s.Charges.Refresh = define.ChargesKeep }},
	{"charges.on_refresh", "add", charged, func(s *buff.Spec) { s.Charges.Refresh = define.ChargesAdd }},
	{"shield", "100", nothing, func(s *buff.Spec) { s.Shield = define.Shield{On: true, Pool: 100} }},
	{"shield.on_refresh", "add", nothing, func(s *buff.Spec) { s.Shield = define.Shield{On: true, Pool: 100, Refresh: define.ShieldAdd} }},
	{"modifiers", "per stack", nothing, func(s *buff.Spec) {
		s.Modifiers = []define.Modifier{{Attr: "power", Op: stat.Add, Value: define.Const(1), PerStack: true}}
	}},
	{"links", "[other]", nothing, func(s *buff.Spec) { s.Links = []string{"other"} }},
	{"on.refresh", "flash", nothing, func(s *buff.Spec) { s.On.Refresh = flash }},
	{"on.overflow", "flash", nothing, func(s *buff.Spec) { s.On.Overflow = flash }},
	{"on.remove.expired", "flash", nothing, func(s *buff.Spec) { s.On.Remove = map[reason.Reason][]define.Action{reason.Expired: flash} }},
	{"on_death", "keep", nothing, func(s *buff.Spec) { s.OnDeath = define.FateKeep }},
	{"on_death", "pause", nothing, func(s *buff.Spec) { s.OnDeath = define.FatePause }},
	{"on_source_gone", "remove", nothing, func(s *buff.Spec) { s.OnSourceGone = define.FateRemove }},
	{"on_source_gone", "adopt", nothing, func(s *buff.Spec) { s.OnSourceGone = define.FateAdopt }},
	{"on_area", "remove", nothing, func(s *buff.Spec) { s.OnArea = define.FateRemove }},
	{"on_fault", "remove", nothing, func(s *buff.Spec) { s.OnFault = define.FateRemove }},
	{"save.mode", "never", nothing, func(s *buff.Spec) { s.Save.Mode = define.SaveNever }},
	{"save.mode", "if_remaining", nothing, func(s *buff.Spec) { s.Save.Mode, s.Save.IfRemaining = define.SaveIfRemaining, secs(5.2) }},
	{"save.offline_pulses", "all", away, func(s *buff.Spec) { s.Save.Offline = define.OfflineAll }},
	{"save.offline_expire", "silent", away, func(s *buff.Spec) { s.Save.OfflineExpire = define.OfflineSilent }},
}

var flash = []define.Action{{Do: define.DoApply, Name: "flash"}}

func charged(s *buff.Spec) {
	s.Charges.N, s.Charges.ConsumeOn = 3, []string{"cast"}
}

func away(s *buff.Spec) {
	if s.Clock == define.Online {
		s.Clock = define.Wall
	}
}

// pairBase returns the definition to which the settings are added.
func pairBase() buff.Spec {
	return buff.Spec{
		ID: "x", Duration: secs(5.3), Period: secs(1), Tags: []string{"mine"}, Stack: define.Stacking{By: define.BySource, Limit: 3},
		On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "h"}}, Apply: []define.Action{{Do: define.DoCall, Name: "h"}}},
	}
}
