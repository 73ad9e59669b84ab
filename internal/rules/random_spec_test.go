package rules_test

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// theme selects the features of a random script. A script has only a few features, so that they
// interact often.
type theme struct {
	groups, slots, tags, immunity, chance, dr, dispel, acts, shields, params, timers, levels, late, stats bool

	evict define.Evict // all definitions of a class or a group must have the same rule
	scope define.Scope
}

func randomTheme(d *dice) theme {
	some, often := func() bool { return d.one(4) }, func() bool { return d.n(16) < 7 }
	return theme{
		groups: some(), slots: some(), tags: often(), immunity: some(), chance: some(), dr: some(), dispel: some(), acts: some(),
		shields: some(), params: some(), timers: often(), levels: some(), late: some(), stats: often(), evict: define.Evict(d.n(4)), scope: define.Scope(d.n(2)),
	}
}

// randomSpecs returns definitions that are almost always valid.
func randomSpecs(d *dice) []buff.Spec {
	ids := []string{"a", "b", "c", "d", "e"}[:2+d.n(4)]
	specs := make([]buff.Spec, len(ids))
	about := randomTheme(d)
	for i, id := range ids {
		s := buff.Spec{ID: id, Kind: pick(d, define.Timed, define.Timed, define.Timed, define.Timed, define.Timed, define.Timed, define.Instant, define.Infinite)}
		randomGates(d, about, &s)
		if s.Kind == define.Instant {
			s.On.Exec = randomActions(d, ids, 3)
			if about.stats {
				randomHooks(d, &s)
			}
			specs[i] = s
			continue
		}
		s.OnDeath = pick(d, define.FateDefault, define.FateRemove, define.FateKeep, define.FatePause)
		s.OnSourceGone = pick(d, define.FateDefault, define.FateRemove, define.FateKeep, define.FateAdopt)
		s.OnFault = define.Fate(d.n(3))
		randomTime(d, about, &s)
		s.Stack = randomStacking(d, s.Kind)
		randomTimers(d, about, ids, i, &s)
		if s.Period > 0 {
			s.On.Pulse = randomActions(d, ids, 4)
		}
		randomKeeping(d, about, &s)
		s.On.Apply, s.On.Refresh, s.On.Overflow = randomActions(d, ids, 8), randomActions(d, ids, 8), randomActions(d, ids, 8)
		s.On.RemoveAny, s.On.Death = randomActions(d, ids, 9), randomActions(d, ids, 9)
		if list := randomActions(d, ids, 4); len(list) > 0 {
			why := pick(d, reason.Expired, reason.Cancelled, reason.Death, reason.Fault, reason.Overflowed, reason.Replaced, reason.Condition, reason.Immunity, reason.Consumed)
			s.On.Remove = map[reason.Reason][]define.Action{why: list}
		}
		if about.acts {
			randomReactions(d, ids, &s)
		}
		if about.stats {
			randomStats(d, &s)
			randomHooks(d, &s)
		}
		sensible(&s)
		specs[i] = s
	}
	if about.stats {
		randomLinks(d, specs)
	}
	return specs
}

// randomReactions adds actions for an act to a definition.
func randomReactions(d *dice, ids []string, s *buff.Spec) {
	list := randomActions(d, ids, 2)
	if len(list) == 0 {
		return
	}
	for i := range list {
		if list[i].Do != define.DoCall && d.one(3) {
			list[i].To = define.ToTarget
		}
	}
	s.On.Act = map[string][]define.Action{pick(d, actNames...): list}
}

// sensible removes settings that the catalog would reject because of other settings.
func sensible(s *buff.Spec) {
	st, none := &s.Stack, define.Stacking{}
	if st.By == define.ByNone {
		st.Refresh, st.RefreshPct, st.RefreshCap, st.Phase, st.Overflow, st.Level = none.Refresh, 0, 0, none.Phase, none.Overflow, none.Level
		s.On.Refresh, s.On.Overflow, s.Charges.Refresh = nil, nil, define.ChargesReset
		if st.Timers == define.TimersQueue {
			st.Timers = define.TimersShared
		}
	}
	if each, queue := st.Timers == define.TimersEach, st.Timers == define.TimersQueue; queue || each && st.Refresh != define.RefreshNone {
		st.Refresh, st.RefreshPct, st.RefreshCap = none.Refresh, 0, 0
	}
	if st.Timers == define.TimersQueue {
		st.Initial, st.Thresholds, s.On.Refresh = 0, nil, nil
		if st.Level == define.LevelSum {
			st.Level = define.LevelIgnore
		}
		if s.First == define.FirstEvery {
			s.First = define.FirstStart
		}
		if s.Dispel.Per == define.PerStack {
			s.Dispel.Per = define.PerAll
		}
	}
	if st.Refresh == define.RefreshNone {
		s.On.Refresh = nil
	}
	if s.Period == 0 && s.PeriodBy == nil {
		st.Phase, s.Inhibition = define.PhaseKeep, define.InhibitionKeep
	}
	if s.Inhibition == define.InhibitionReset && s.Align == define.AlignOwner {
		s.Inhibition = define.InhibitionExecute
	}
	if s.Haste == define.HasteSnapshot || st.Timers == define.TimersEach || s.Kind == define.Infinite {
		s.HasteDuration = false
	}
}

// randomGates sets the conditions for an application.
func randomGates(d *dice, about theme, s *buff.Spec) {
	if about.tags || about.immunity || about.shields {
		s.Tags = randomTags(d, 2)
		s.Polarity = pick(d, define.Neutral, define.Positive, define.Negative)
	}
	if about.tags && d.one(3) {
		s.Require.Apply = randomTest(d)
	}
	if about.chance && d.one(2) {
		s.Chance = pick(d, 500, 500, 1, 1000, define.ChanceNever)
	}
	if about.params && d.one(2) {
		s.Params = []define.Param{{Name: "k", Value: define.Const(3)}, {Name: "p", Value: define.Caller("power").Or(7)}}
		if d.one(2) {
			s.Params[1].Value = define.Caller("power")
		}
	}
	if about.dispel {
		s.Dispel = define.DispelRule{
			Type: pick(d, "", "magic"), Grade: pick(d, define.GradeBasic, define.GradeBasic, define.GradeStrong, define.GradeDeath, define.GradeUndispellable),
			Per: define.Per(d.n(3)), Resist: pick(d, 0, 0, 500), Keep: d.one(4),
		}
		s.Polarity = pick(d, define.Neutral, define.Negative)
	}
}

func randomTime(d *dice, about theme, s *buff.Spec) {
	if s.Kind == define.Timed {
		s.Duration = pick[time.Duration](d, 50, 100, 150, 200, 250, 300, 400, 1, 130, 99, 101, 149) * time.Millisecond
		if d.one(8) {
			s.MinDuration = pick[time.Duration](d, 1, 50, 120) * time.Millisecond
		}
		if d.one(8) {
			s.MaxDuration = pick[time.Duration](d, 120, 150, 300) * time.Millisecond
		}
	}
	if d.one(3) {
		return
	}
	s.Period = pick[time.Duration](d, 50, 50, 100, 100, 150, 60, 51) * time.Millisecond
	s.First, s.Tail = define.First(d.n(3)), pick(d, define.TailNone, define.TailPartial)
	if s.Kind == define.Timed && d.one(4) {
		s.Tail = define.TailFit
	}
	if d.one(6) {
		s.Align = define.AlignOwner
	}
	s.Haste, s.HasteDuration = define.Haste(d.n(3)), d.one(3)
	if about.late && d.one(2) {
		s.Catchup = pick(d, define.CatchupCoalesce, define.CatchupCoalesce, define.CatchupSkip)
		if s.Catchup == define.CatchupCoalesce {
			s.CatchupMax = pick(d, 0, 0, 1, 2, 3)
		}
	}
}

func randomStacking(d *dice, kind define.Kind) define.Stacking {
	st := define.Stacking{By: define.By(d.n(4)), Limit: d.n(5), Phase: define.Phase(d.n(3)), Overflow: define.Overflow(d.n(4))}
	if st.Limit > 0 {
		st.Initial = d.n(st.Limit + 1)
	}
	st.Refresh = pick(d, define.RefreshRestart, define.RefreshNone)
	if kind == define.Timed {
		st.Refresh, st.Expire = define.Refresh(d.n(6)), pick(d, define.ExpireAll, define.ExpireAll, define.ExpireOne, define.ExpireHalf, define.ExpireCount)
	}
	switch {
	case st.Refresh == define.RefreshPandemic:
		st.RefreshPct = pick(d, 0, 1, 33, 100)
	case st.Refresh == define.RefreshExtend && d.one(2):
		st.RefreshCap = 400 * time.Millisecond
	}
	if st.Expire == define.ExpireCount {
		st.ExpireN = 1 + d.n(3)
	}
	if st.Expire != define.ExpireAll && d.one(2) {
		st.Decay = pick(d, time.Millisecond, 70*time.Millisecond, 500*time.Millisecond)
	}
	return st
}

// randomTimers gives some definitions separate timers, and adds settings that depend on stacks.
func randomTimers(d *dice, about theme, ids []string, self int, s *buff.Spec) {
	st := &s.Stack
	if about.timers && s.Kind == define.Timed && d.one(2) {
		st.Timers = pick(d, define.TimersEach, define.TimersQueue)
		st.By = pick(d, define.BySource, define.ByTarget, define.ByTarget, define.ByKey)
		st.Refresh, st.RefreshPct, st.RefreshCap, st.Phase, st.Expire, st.ExpireN, st.Decay = 0, 0, 0, 0, 0, 0, 0
		st.Limit = max(st.Limit, d.n(5))
		if st.Timers == define.TimersEach {
			st.Refresh = pick(d, define.RefreshRestart, define.RefreshNone)
			if s.Tail == define.TailPartial {
				s.Tail = define.TailNone
			}
		}
	}
	if about.levels {
		st.Level = define.LevelRule(d.n(4))
	}
	if about.groups && d.one(3) {
		st.Effective = 1 + d.n(2)
	}
	if most := max(st.Limit, 1); about.levels && d.one(2) && most > 1 {
		t := define.Threshold{At: 1 + d.n(most), Consume: pick(d, 0, 1, 2, define.ConsumeAll)}
		if other := d.n(len(ids)); other != self || t.Consume == 0 {
			t.Apply = ids[other]
		}
		st.Thresholds = []define.Threshold{t}
	}
}

// randomKeeping sets fields that affect a running buff.
func randomKeeping(d *dice, about theme, s *buff.Spec) {
	if about.groups && d.one(2) {
		s.Group = define.Group{Name: pick(d, "g", "g", "h"), Priority: d.n(3), Rule: pick(d, define.GroupHide, define.GroupHide, define.GroupRule(d.n(6)))}
	}
	if about.slots && d.one(2) {
		s.Slot = define.Slot{Class: "slot", Limit: 2, Evict: about.evict}
	}
	if about.tags {
		s.Grants = randomTags(d, 3)
		if d.one(3) {
			s.Require.Ongoing = randomTest(d)
			s.Inhibition = define.Inhibition(d.n(3))
		}
		if d.one(5) {
			s.Require.Remove = randomTest(d)
		}
	}
	if d.one(4) {
		s.Inhibition = define.Inhibition(d.n(3))
	}
	if about.immunity {
		s.Immune, s.Dead = define.ImmuneRule(d.n(3)), define.DeadRule(d.n(3))
		if d.one(3) {
			s.Immunity = define.Match{Tags: randomTags(d, 1), Type: pick(d, "", "", "magic"), Polarity: pick(d, define.Neutral, define.Neutral, define.Negative)}
		}
	}
	if about.dr && d.one(2) {
		s.DR = define.DR{Group: "dr", Steps: []int{100, 50, 25, 0}, Reset: 150 * time.Millisecond, Scope: about.scope}
	}
	if about.acts && d.one(3) {
		s.Interrupt = []string{pick(d, actNames...)}
	}
	if about.acts && d.one(2) {
		s.Charges = define.Charges{N: 1 + d.n(3), ConsumeOn: []string{pick(d, actNames...)}, Refresh: define.ChargeRule(d.n(3))}
		if s.Stack.Timers != define.TimersShared {
			s.Charges.Refresh = define.ChargesReset
		}
	}
	if about.shields && d.one(2) {
		s.Shield = define.Shield{On: true, Pool: int64(d.n(4)), Priority: d.n(2)}
		if d.one(2) {
			s.Shield.Schools = randomTags(d, 1)
		}
		if d.one(3) {
			s.Shield.Share, s.Shield.Cap = 1+d.n(100), int64(d.n(4))
		}
		if s.Stack.By != define.ByNone && s.Stack.Timers == define.TimersShared {
			s.Shield.Refresh = define.ShieldRule(d.n(4))
		}
	}
}

func randomTags(d *dice, often int) (list []string) {
	for d.one(often + 1) {
		list = append(list, pick(d, tagNames...))
	}
	return list
}

func randomTest(d *dice) (t define.TagTest) {
	switch d.n(3) {
	case 0:
		t.All = []string{pick(d, tagNames...)}
	case 1:
		t.Any = []string{pick(d, tagNames...), pick(d, tagNames...)}
	default:
		t.None = []string{pick(d, tagNames...)}
	}
	return t
}

// randomActions returns a list of actions once in `often` calls, otherwise nil.
func randomActions(d *dice, ids []string, often int) []define.Action {
	if !d.one(often) {
		return nil
	}
	var list []define.Action
	for {
		a := define.Action{Name: ids[d.n(len(ids))]}
		switch k := d.n(12); {
		case k < 7:
			a.Do, a.Name = define.DoCall, fmt.Sprintf("h%d", d.n(handlerNames))
		case k < 10:
			a.Do = define.DoApply
		case k < 11:
			a.Do, a.Reason = define.DoRemove, pick(d, reason.None, reason.Dispelled)
		default:
			a.Do = define.DoKill
		}
		if a.Do != define.DoCall && d.one(4) {
			a.To = define.ToSource
		}
		list = append(list, a)
		if !d.one(4) {
			return list
		}
	}
}
