package buff

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/define"
)

// words finds values that have no word. They are replaced by the default, so that
// nothing follows from them.
func (k *checker) words(s *Spec) {
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

	known(k, "group.rule", &s.Group.Rule, define.GroupHide)
	known(k, "slot.evict", &s.Slot.Evict, define.EvictSoonest)
	known(k, "inhibition", &s.Inhibition, define.InhibitionExecute)
	known(k, "dead", &s.Dead, define.DeadDeny)
	known(k, "immune", &s.Immune, define.ImmuneIgnore)
	known(k, "immunity.polarity", &s.Immunity.Polarity, define.Negative)
	known(k, "dr.scope", &s.DR.Scope, define.ScopePair)
	known(k, "dispel.grade", &s.Dispel.Grade, define.GradeUndispellable)
	known(k, "dispel.per", &s.Dispel.Per, define.PerCharge)
	known(k, "charges.on_refresh", &s.Charges.Refresh, define.ChargesAdd)

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

// fates checks what becomes of the buff when something befalls others, and fills in
// the defaults.
func (k *checker) fates(s *Spec) {
	for _, f := range []struct {
		field     string
		fate      *define.Fate
		byDefault define.Fate
		more      define.Fate // the one that only this field has
	}{
		{"on_death", &s.OnDeath, define.FateRemove, define.FatePause},
		{"on_source_gone", &s.OnSourceGone, define.FateKeep, define.FateAdopt},
		{"on_zone", &s.OnZone, define.FateKeep, define.FateKeep},
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
