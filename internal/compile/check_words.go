package compile

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/define"
)

// words reports unknown values of enumerations and replaces them with the defaults, so that they
// cause no further errors.
func (k *checker) words(s *Program) {
	known(k, "polarity", &s.Polarity, define.Negative)
	known(k, "clock", &s.Clock, define.Wall)
	known(k, "first", &s.First, define.FirstEvery)
	known(k, "tail", &s.Tail, define.TailFit)
	known(k, "align", &s.Align, define.AlignOwner)
	known(k, "haste", &s.Haste, define.HasteRescale)
	known(k, "catchup", &s.Catchup, define.CatchupSkip)

	st := &s.Stack
	known(k, "stack.by", &st.By, define.ByKey)
	known(k, "stack.timers", &st.Timers, define.TimersQueue)
	known(k, "stack.refresh", &st.Refresh, define.RefreshResidual)
	known(k, "stack.phase", &st.Phase, define.PhaseExecute)
	known(k, "stack.overflow", &st.Overflow, define.OverflowReplace)
	known(k, "stack.expire", &st.Expire, define.ExpireCount)
	known(k, "stack.level", &st.Level, define.LevelSum)

	known(k, "group.rule", &s.Spec.Group.Rule, define.GroupHide)
	known(k, "slot.evict", &s.Spec.Slot.Evict, define.EvictSoonest)
	known(k, "inhibition", &s.Inhibition, define.InhibitionExecute)
	known(k, "dead", &s.Dead, define.DeadDeny)
	known(k, "immune", &s.Immune, define.ImmuneIgnore)
	known(k, "immunity.polarity", &s.Spec.Immunity.Polarity, define.Negative)
	known(k, "dr.scope", &s.DR.Scope, define.ScopePair)
	known(k, "dispel.grade", &s.Dispel.Grade, define.GradeUndispellable)
	known(k, "dispel.per", &s.Dispel.Per, define.PerCharge)
	known(k, "charges.on_refresh", &s.Charges.Refresh, define.ChargesAdd)
	known(k, "shield.on_refresh", &s.Shield.Refresh, define.ShieldKeep)

	known(k, "reload", &s.Reload, define.ReloadEnd)
	known(k, "client.sync", &s.Client.Sync, define.SyncParty)
	known(k, "save.mode", &s.Save.Mode, define.SaveIfRemaining)
	known(k, "save.offline_pulses", &s.Save.Offline, define.OfflineAll)
	known(k, "save.offline_expire", &s.Save.OfflineExpire, define.OfflineRun)
}

func known[E interface {
	~uint8
	fmt.Stringer
}](k *checker, field string, e *E, last E) {
	if *e > last {
		k.failf(field, "%v is not one of the rules", *e)
		*e = 0
	}
}

// fates checks the rules for deaths, departures, moves and faults, and sets their defaults.
func (k *checker) fates(s *Program) {
	for _, f := range []struct {
		field     string
		fate      *define.Fate
		byDefault define.Fate
		more      define.Fate // a value that this field allows in addition to remove and keep
	}{
		{"on_death", &s.OnDeath, define.FateRemove, define.FatePause},
		{"on_source_gone", &s.OnSourceGone, define.FateKeep, define.FateAdopt},
		{"on_area", &s.OnArea, define.FateKeep, define.FateKeep},
		{"on_fault", &s.OnFault, define.FateKeep, define.FateKeep},
	} {
		switch {
		case *f.fate > define.FateAdopt:
			k.failf(f.field, "%v is not a fate", *f.fate)
		case *f.fate > define.FateKeep && *f.fate != f.more:
			k.failf(f.field, "%v is not possible here", *f.fate)
		case *f.fate == define.FateDefault:
			*f.fate = f.byDefault
		}
	}
}

// instant reports the fields that need a running instance. An instant buff never has one, because
// it is finished as soon as it has been applied.
func (k *checker) instant(s *Program) {
	for _, f := range []struct {
		field string
		used  bool
		text  string
	}{
		{"period", s.Pulses(), "it cannot pulse"},
		{"stack", !noStacking(&s.Stack), "it cannot stack"},
		{"grants", len(s.Spec.Grants) > 0, "it cannot grant tags"},
		{"min_duration", s.MinDuration != 0, "it has no duration"},
		{"max_duration", s.MaxDuration != 0, "it has no duration"},
		{"duration_scale", s.DurationScale != nil, "it has no duration"},
		{"clock", s.Clock != define.Online, "it has no clock"},
		{"group", s.Spec.Group != define.Group{}, "it cannot be exclusive"},
		{"slot", s.Spec.Slot != define.Slot{}, "it takes no slot"},
		{"per_source", s.PerSource != define.PerSource{}, "nothing of it can give way"},
		{"require.ongoing", !noTest(&s.Spec.Require.Ongoing), "it can only require for apply"},
		{"require.remove", !noTest(&s.Spec.Require.Remove), "it can only require for apply"},
		{"inhibition", s.Inhibition != define.InhibitionKeep, "it cannot be inhibited"},
		{"immune", s.Immune != define.ImmuneSuppress, "no immunity can come later"},
		{"immunity", !noMatch(&s.Spec.Immunity), "it cannot make its owner immune"},
		{"dr", !noReturns(&s.DR), "it has no duration to diminish"},
		{"dispel.grade", s.Dispel.Grade != define.GradeBasic, "it cannot be dispelled"},
		{"dispel.per", s.Dispel.Per != define.PerAll, "it cannot be dispelled"},
		{"dispel.resist", s.Dispel.Resist != 0, "it cannot be dispelled"},
		{"dispel.stealable", s.Dispel.Keep, "it cannot be stolen"},
		{"interrupt", len(s.Spec.Interrupt) > 0, "it cannot be interrupted"},
		{"charges", !noCharges(&s.Charges), "it has no charges"},
		{"shield", !noShield(&s.Shield), "it cannot absorb"},
		{"vars", len(s.Spec.Vars) > 0, "it has no variables"},
		{"modifiers", len(s.Spec.Modifiers) > 0, "it changes attributes by its actions"},
		{"links", len(s.Spec.Links) > 0, "nothing can go with it: use on.exec"},
		{"reload", s.Reload != define.ReloadKeep, "there are no running instances"},
		{"aura", s.Spec.Aura != define.Aura{}, "it has no aura"},
		{"save", s.Save != define.Saving{}, "it cannot be saved"},
	} {
		if f.used {
			k.failf(f.field, "an instant buff is never carried, so %s", f.text)
		}
	}
}

func noStacking(s *define.Stacking) bool {
	return s.By == 0 && s.Limit == 0 && s.Initial == 0 && s.Timers == 0 && s.Effective == 0 && s.Refresh == 0 && s.RefreshPct == 0 &&
		s.RefreshCap == 0 && s.Phase == 0 && s.Overflow == 0 && s.Expire == 0 && s.ExpireN == 0 && s.Decay == 0 &&
		s.Level == 0 && len(s.Thresholds) == 0
}

func noTest(t *define.TagTest) bool { return len(t.All)+len(t.Any)+len(t.None) == 0 }

func noMatch(m *define.Match) bool {
	return len(m.Tags) == 0 && m.Type == "" && m.Polarity == define.Neutral
}

func noReturns(d *define.DR) bool {
	return d.Group == "" && len(d.Steps) == 0 && d.Reset == 0 && d.Scope == 0
}

func noCharges(c *define.Charges) bool {
	return c.N == 0 && len(c.ConsumeOn) == 0 && c.Refresh == 0 && c.Recharge == 0
}

func noShield(s *define.Shield) bool {
	return !s.On && s.Pool == 0 && s.By == nil && s.Priority == 0 && len(s.Schools) == 0 && len(s.Attrs) == 0 &&
		s.Share == 0 && s.Cap == 0 && s.Floor == 0 && s.Refresh == 0
}
