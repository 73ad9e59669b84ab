package buff_test

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
)

// word is one word of a definition that is not the default. What it needs to mean anything
// is given with it, and without it too.
type word struct {
	field, value string
	needs, gives func(*buff.Spec)
}

func secs(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func nothing(*buff.Spec) {}

// pairWords are the words that Package buff itself acts on: not those of auras, shares of a
// source and clients, which are for the engine and the game.
var pairWords = []word{
	{"duration", "infinite", nothing, func(s *buff.Spec) { s.Kind, s.Duration = buff.Infinite, 0 }},
	{"min_duration", "4s", nothing, func(s *buff.Spec) { s.MinDuration = secs(4) }},
	{"max_duration", "6s", nothing, func(s *buff.Spec) { s.MaxDuration = secs(6) }},
	{"duration_scale", "0.5", nothing, func(s *buff.Spec) { n := buff.Const(0.5); s.DurationScale = &n }},
	{"clock", "uptime", nothing, func(s *buff.Spec) { s.Clock = buff.Uptime }},
	{"clock", "wall", nothing, func(s *buff.Spec) { s.Clock = buff.Wall }},
	{"period", "none", nothing, func(s *buff.Spec) { s.Period, s.On.Pulse = 0, nil }},
	{"first", "start", nothing, func(s *buff.Spec) { s.First = buff.FirstStart }},
	{"first", "every", nothing, func(s *buff.Spec) { s.First = buff.FirstEvery }},
	{"tail", "partial", nothing, func(s *buff.Spec) { s.Tail = buff.TailPartial }},
	{"tail", "fit", nothing, func(s *buff.Spec) { s.Tail = buff.TailFit }},
	{"align", "owner", nothing, func(s *buff.Spec) { s.Align = buff.AlignOwner }},
	{"haste", "next", nothing, func(s *buff.Spec) { s.Haste = buff.HasteNext }},
	{"haste", "rescale", nothing, func(s *buff.Spec) { s.Haste = buff.HasteRescale }},
	{"haste_duration", "true", func(s *buff.Spec) { s.Haste = max(s.Haste, buff.HasteNext) }, func(s *buff.Spec) { s.HasteDuration = true }},
	{"catchup", "coalesce", nothing, func(s *buff.Spec) { s.Catchup = buff.CatchupCoalesce }},
	{"catchup", "coalesce: 2", func(s *buff.Spec) { s.Catchup = buff.CatchupCoalesce }, func(s *buff.Spec) { s.CatchupMax = 2 }},
	{"catchup", "skip", nothing, func(s *buff.Spec) { s.Catchup = buff.CatchupSkip }},

	{"stack.by", "none", nothing, func(s *buff.Spec) { s.Stack.By = buff.ByNone }},
	{"stack.by", "target", nothing, func(s *buff.Spec) { s.Stack.By = buff.ByTarget }},
	{"stack.by", "key", nothing, func(s *buff.Spec) { s.Stack.By = buff.ByKey }},
	{"stack.limit", "2", nothing, func(s *buff.Spec) { s.Stack.Limit = 2 }},
	{"stack.initial", "2", nothing, func(s *buff.Spec) { s.Stack.Initial = 2 }},
	{"stack.timers", "each", nothing, func(s *buff.Spec) { s.Stack.Timers = buff.TimersEach }},
	{"stack.timers", "queue", nothing, func(s *buff.Spec) { s.Stack.Timers = buff.TimersQueue }},
	{"stack.effective", "1", nothing, func(s *buff.Spec) { s.Stack.Effective = 1 }},
	{"stack.refresh", "none", nothing, func(s *buff.Spec) { s.Stack.Refresh = buff.RefreshNone }},
	{"stack.refresh", "extend", nothing, func(s *buff.Spec) { s.Stack.Refresh = buff.RefreshExtend }},
	{"stack.refresh", "extend: 7s", func(s *buff.Spec) { s.Stack.Refresh = buff.RefreshExtend }, func(s *buff.Spec) { s.Stack.RefreshCap = secs(7) }},
	{"stack.refresh", "pandemic", nothing, func(s *buff.Spec) { s.Stack.Refresh = buff.RefreshPandemic }},
	{"stack.refresh", "pandemic: 80", func(s *buff.Spec) { s.Stack.Refresh = buff.RefreshPandemic }, func(s *buff.Spec) { s.Stack.RefreshPct = 80 }},
	{"stack.refresh", "max", nothing, func(s *buff.Spec) { s.Stack.Refresh = buff.RefreshMax }},
	{"stack.refresh", "residual-tick", nothing, func(s *buff.Spec) { s.Stack.Refresh = buff.RefreshResidual }},
	{"stack.phase", "reset", nothing, func(s *buff.Spec) { s.Stack.Phase = buff.PhaseReset }},
	{"stack.phase", "execute", nothing, func(s *buff.Spec) { s.Stack.Phase = buff.PhaseExecute }},
	{"stack.overflow", "deny", nothing, func(s *buff.Spec) { s.Stack.Overflow = buff.OverflowDeny }},
	{"stack.overflow", "clear", nothing, func(s *buff.Spec) { s.Stack.Overflow = buff.OverflowClear }},
	{"stack.overflow", "replace-oldest", func(s *buff.Spec) { s.Stack.Timers = max(s.Stack.Timers, buff.TimersEach) }, func(s *buff.Spec) { s.Stack.Overflow = buff.OverflowReplace }},
	{"stack.overflow_apply", "[flash]", nothing, func(s *buff.Spec) { s.Stack.OverflowApply = []string{"flash"} }},
	{"stack.expire", "one", nothing, func(s *buff.Spec) { s.Stack.Expire = buff.ExpireOne }},
	{"stack.expire", "half", nothing, func(s *buff.Spec) { s.Stack.Expire = buff.ExpireHalf }},
	{"stack.expire", "2", nothing, func(s *buff.Spec) { s.Stack.Expire, s.Stack.ExpireN = buff.ExpireCount, 2 }},
	{"stack.level", "higherWins", nothing, func(s *buff.Spec) { s.Stack.Level = buff.LevelHigherWins }},
	{"stack.level", "segregate", nothing, func(s *buff.Spec) { s.Stack.Level = buff.LevelSegregate }},
	{"stack.level", "sum", nothing, func(s *buff.Spec) { s.Stack.Level = buff.LevelSum }},
	{"stack.thresholds", "at 2", nothing, func(s *buff.Spec) { s.Stack.Thresholds = []buff.Threshold{{At: 2, Apply: "flash", Consume: 1}} }},

	{"group", "always", nothing, func(s *buff.Spec) { s.Group = buff.Group{Name: "g", Priority: 1} }},
	{"group", "never", nothing, func(s *buff.Spec) { s.Group = buff.Group{Name: "g", Priority: 1, Rule: buff.GroupNever} }},
	{"group", "hide", nothing, func(s *buff.Spec) { s.Group = buff.Group{Name: "g", Priority: 1, Rule: buff.GroupHide} }},
	{"group", "sameSourceOnly", nothing, func(s *buff.Spec) { s.Group = buff.Group{Name: "g", Priority: 1, Rule: buff.GroupSameSource} }},
	{"slot", "reject", nothing, func(s *buff.Spec) { s.Slot = buff.Slot{Class: "c", Limit: 2} }},
	{"slot.evict", "oldest", func(s *buff.Spec) { s.Slot = buff.Slot{Class: "d", Limit: 2} }, func(s *buff.Spec) { s.Slot = buff.Slot{Class: "e", Limit: 2, Evict: buff.EvictOldest} }},
	{"grants", "[granted]", nothing, func(s *buff.Spec) { s.Grants = []string{"granted"} }},
	{"require.apply", "none: [dumb]", nothing, func(s *buff.Spec) { s.Require.Apply.None = []string{"dumb"} }},
	{"require.ongoing", "none: [dumb]", nothing, func(s *buff.Spec) { s.Require.Ongoing.None = []string{"dumb"} }},
	{"require.remove", "all: [dumb]", nothing, func(s *buff.Spec) { s.Require.Remove.All = []string{"dumb"} }},
	{"inhibition", "reset", nothing, func(s *buff.Spec) { s.Inhibition = buff.InhibitionReset }},
	{"inhibition", "execute", nothing, func(s *buff.Spec) { s.Inhibition = buff.InhibitionExecute }},
	{"dead", "deny", nothing, func(s *buff.Spec) { s.Dead = buff.DeadDeny }},
	{"immune", "remove", nothing, func(s *buff.Spec) { s.Immune = buff.ImmuneRemove }},
	{"immune", "ignore", nothing, func(s *buff.Spec) { s.Immune = buff.ImmuneIgnore }},
	{"immunity", "[other]", nothing, func(s *buff.Spec) { s.Immunity.Tags = []string{"other"} }},
	{"chance", "900", nothing, func(s *buff.Spec) { s.Chance = 900 }},
	{"dr", "[100, 90, 70]", nothing, func(s *buff.Spec) { s.DR = buff.DR{Group: "r", Steps: []int{100, 90, 70}, Reset: secs(3)} }},
	{"dr.scope", "pair", func(s *buff.Spec) { s.DR = buff.DR{Group: "p", Steps: []int{100, 90, 70}, Reset: secs(3)} }, func(s *buff.Spec) {
		s.DR = buff.DR{Group: "q", Steps: []int{100, 90, 70}, Reset: secs(3), Scope: buff.ScopePair}
	}},
	{"dispel.type", "curse", nothing, func(s *buff.Spec) { s.Dispel.Type = "curse" }},
	{"dispel.grade", "strong", nothing, func(s *buff.Spec) { s.Dispel.Grade = buff.GradeStrong }},
	{"dispel.per", "stack", nothing, func(s *buff.Spec) { s.Dispel.Per = buff.PerStack }},
	{"dispel.per", "charge", charged, func(s *buff.Spec) { s.Dispel.Per = buff.PerCharge }},
	{"dispel.resist", "500", nothing, func(s *buff.Spec) { s.Dispel.Resist = 500 }},
	{"dispel.stealable", "false", nothing, func(s *buff.Spec) { s.Dispel.Keep = true }},
	{"interrupt", "[move]", nothing, func(s *buff.Spec) { s.Interrupt = []string{"move"} }},
	{"charges", "3", nothing, charged},
	{"charges.on_refresh", "keep", charged, func(s *buff.Spec) { s.Charges.Refresh = buff.ChargesKeep }},
	{"charges.on_refresh", "add", charged, func(s *buff.Spec) { s.Charges.Refresh = buff.ChargesAdd }},
	{"shield", "100", nothing, func(s *buff.Spec) { s.Shield = buff.Shield{On: true, Pool: 100} }},
	{"modifiers", "per stack", nothing, func(s *buff.Spec) {
		s.Modifiers = []buff.Modifier{{Attr: "power", Op: stat.Add, Value: buff.Const(1), PerStack: true}}
	}},
	{"links", "[other]", nothing, func(s *buff.Spec) { s.Links = []string{"other"} }},
	{"on.refresh", "flash", nothing, func(s *buff.Spec) { s.On.Refresh = flash }},
	{"on.overflow", "flash", nothing, func(s *buff.Spec) { s.On.Overflow = flash }},
	{"on.remove.expired", "flash", nothing, func(s *buff.Spec) { s.On.Remove = map[buff.Reason][]buff.Action{buff.Expired: flash} }},
	{"on_death", "keep", nothing, func(s *buff.Spec) { s.OnDeath = buff.FateKeep }},
	{"on_death", "pause", nothing, func(s *buff.Spec) { s.OnDeath = buff.FatePause }},
	{"on_source_gone", "remove", nothing, func(s *buff.Spec) { s.OnSourceGone = buff.FateRemove }},
	{"on_source_gone", "adopt", nothing, func(s *buff.Spec) { s.OnSourceGone = buff.FateAdopt }},
	{"on_zone", "remove", nothing, func(s *buff.Spec) { s.OnZone = buff.FateRemove }},
	{"on_fault", "remove", nothing, func(s *buff.Spec) { s.OnFault = buff.FateRemove }},
	{"save.mode", "never", nothing, func(s *buff.Spec) { s.Save.Mode = buff.SaveNever }},
	{"save.mode", "ifRemaining", nothing, func(s *buff.Spec) { s.Save.Mode, s.Save.IfRemaining = buff.SaveIfRemaining, secs(5.2) }},
	{"save.offline_pulses", "all", away, func(s *buff.Spec) { s.Save.Offline = buff.OfflineAll }},
	{"save.offline_expire", "silent", away, func(s *buff.Spec) { s.Save.OfflineExpire = buff.OfflineSilent }},
}

var flash = []buff.Action{{Do: buff.DoApply, Name: "flash"}}

func charged(s *buff.Spec) {
	s.Charges.N, s.Charges.ConsumeOn = 3, []string{"cast"}
}

func away(s *buff.Spec) {
	if s.Clock == buff.Online {
		s.Clock = buff.Wall
	}
}

// pairBase is the definition that the words are said of.
func pairBase() buff.Spec {
	return buff.Spec{
		ID: "x", Duration: secs(5.3), Period: secs(1), Tags: []string{"mine"}, Stack: buff.Stacking{By: buff.BySource, Limit: 3},
		On: buff.Hooks{Pulse: []buff.Action{{Do: buff.DoCall, Name: "h"}}, Apply: []buff.Action{{Do: buff.DoCall, Name: "h"}}},
	}
}
