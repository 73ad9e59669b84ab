package buff

import "fmt"

// words finds values that have no word. They are replaced by the default, so that
// nothing follows from them.
func (k *checker) words(s *Spec) {
	known(k, "polarity", &s.Polarity, Negative)
	known(k, "clock", &s.Clock, Wall)
	known(k, "first", &s.First, FirstEvery)
	known(k, "tail", &s.Tail, TailFit)
	known(k, "align", &s.Align, AlignOwner)
	known(k, "haste", &s.Haste, HasteRescale)
	known(k, "catchup", &s.Catchup, CatchupSkip)

	st := &s.Stack
	known(k, "stack.by", &st.By, ByKey)
	known(k, "stack.timers", &st.Timers, TimersQueue)
	known(k, "stack.refresh", &st.Refresh, RefreshResidual)
	known(k, "stack.phase", &st.Phase, PhaseExecute)
	known(k, "stack.overflow", &st.Overflow, OverflowReplace)
	known(k, "stack.expire", &st.Expire, ExpireCount)
	known(k, "stack.level", &st.Level, LevelSum)

	known(k, "group.rule", &s.Group.Rule, GroupHide)
	known(k, "slot.evict", &s.Slot.Evict, EvictSoonest)
	known(k, "inhibition", &s.Inhibition, InhibitionExecute)
	known(k, "dead", &s.Dead, DeadDeny)
	known(k, "immune", &s.Immune, ImmuneIgnore)
	known(k, "immunity.polarity", &s.Immunity.Polarity, Negative)
	known(k, "dr.scope", &s.DR.Scope, ScopePair)
	known(k, "dispel.grade", &s.Dispel.Grade, GradeUndispellable)
	known(k, "dispel.per", &s.Dispel.Per, PerCharge)
	known(k, "charges.on_refresh", &s.Charges.Refresh, ChargesAdd)

	known(k, "reload", &s.Reload, ReloadEnd)
	known(k, "client.sync", &s.Client.Sync, SyncParty)
	known(k, "save.mode", &s.Save.Mode, SaveIfRemaining)
	known(k, "save.offline_pulses", &s.Save.Offline, OfflineAll)
	known(k, "save.offline_expire", &s.Save.OfflineExpire, OfflineRun)
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
		fate      *Fate
		byDefault Fate
		more      Fate // the one that only this field has
	}{
		{"on_death", &s.OnDeath, FateRemove, FatePause},
		{"on_source_gone", &s.OnSourceGone, FateKeep, FateAdopt},
		{"on_zone", &s.OnZone, FateKeep, FateKeep},
		{"on_fault", &s.OnFault, FateKeep, FateKeep},
	} {
		switch {
		case *f.fate > FateAdopt:
			k.failf(f.field, "%v is not a fate", *f.fate)
		case *f.fate > FateKeep && *f.fate != f.more:
			k.failf(f.field, "%v is not possible here", *f.fate)
		case *f.fate == FateDefault:
			*f.fate = f.byDefault
		}
	}
}
