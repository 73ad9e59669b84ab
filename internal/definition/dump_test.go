package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
)

// dump prints a definition: one line for the definition and one for each of its parts and lists of
// actions. Default values are omitted.
func dump(b *strings.Builder, s *buff.Spec) {
	w := &writer{b, false}
	w.b.WriteString(s.ID)
	switch {
	case s.DurationBy != nil:
		w.put("duration", sourceOf(define.Number{From: define.FromCurve, Curve: s.DurationBy}), false)
	case s.Kind == define.Timed:
		w.put("duration", s.Duration, false)
	default:
		w.put("duration", s.Kind, false)
	}
	w.put("name", fmt.Sprintf("%q", s.Name), s.Name == "")
	w.put("note", fmt.Sprintf("%q", s.Note), s.Note == "")
	w.put("tags", s.Tags, len(s.Tags) == 0)
	w.put("grants", s.Grants, len(s.Grants) == 0)
	w.put("polarity", s.Polarity, s.Polarity == 0)
	w.put("min_duration", s.MinDuration, s.MinDuration == 0)
	w.put("max_duration", s.MaxDuration, s.MaxDuration == 0)
	if s.DurationScale != nil {
		w.put("duration_scale", sourceOf(*s.DurationScale), false)
	}
	w.put("clock", s.Clock, s.Clock == 0)
	w.put("period", s.Period, s.Period == 0)
	if s.PeriodBy != nil {
		w.put("period", sourceOf(define.Number{From: define.FromCurve, Curve: s.PeriodBy}), false)
	}
	w.put("first", s.First, s.First == 0)
	w.put("tail", s.Tail, s.Tail == 0)
	w.put("align", s.Align, s.Align == 0)
	w.put("haste", s.Haste, s.Haste == 0)
	if s.PeriodFrom != nil {
		w.put("period_from", sourceOf(*s.PeriodFrom), false)
	}
	if s.HasteBy != nil {
		w.put("haste_by", sourceOf(*s.HasteBy), false)
	}
	w.put("haste_duration", s.HasteDuration, !s.HasteDuration)
	w.put("catchup", s.Catchup, s.Catchup == 0)
	w.put("catchup_max", s.CatchupMax, s.CatchupMax == 0)
	w.put("on_death", s.OnDeath, s.OnDeath == define.FateRemove)
	w.put("on_source_gone", s.OnSourceGone, s.OnSourceGone == define.FateKeep)
	w.put("on_area", s.OnArea, s.OnArea == define.FateKeep || s.OnArea == define.FateDefault)
	w.put("on_fault", s.OnFault, s.OnFault == define.FateKeep)
	w.put("reload", s.Reload, s.Reload == 0)
	w.stack(&s.Stack)
	w.gates(s)
	w.extras(s)
	w.hooks(&s.On)
	b.WriteString("\n")
}

// writer writes the fields that are not the default. Each part of a definition has its own line.
type writer struct {
	b     *strings.Builder
	begun bool // the part has a field
}

func (w *writer) put(name string, value any, isDefault bool) {
	part, name, inPart := strings.Cut(name, ".")
	switch {
	case isDefault:
		return
	case !inPart:
		name = part
	case !w.begun:
		fmt.Fprintf(w.b, "\n  %s:", part)
		w.begun = true
	}
	fmt.Fprintf(w.b, " %s=%v", name, value)
}

func (w *writer) stack(st *define.Stacking) {
	w.begun = false
	w.put("stack.by", st.By, st.By == 0)
	w.put("stack.limit", st.Limit, st.Limit == 0)
	w.put("stack.initial", st.Initial, st.Initial == 0)
	w.put("stack.timers", st.Timers, st.Timers == 0)
	w.put("stack.effective", st.Effective, st.Effective == 0)
	w.put("stack.refresh", st.Refresh, st.Refresh == 0)
	w.put("stack.refresh_pct", st.RefreshPct, st.RefreshPct == 0)
	w.put("stack.refresh_cap", st.RefreshCap, st.RefreshCap == 0)
	w.put("stack.phase", st.Phase, st.Phase == 0)
	w.put("stack.overflow", st.Overflow, st.Overflow == 0)
	w.put("stack.expire", st.Expire, st.Expire == 0)
	w.put("stack.expire_n", st.ExpireN, st.ExpireN == 0)
	w.put("stack.decay", st.Decay, st.Decay == 0)
	w.put("stack.level", st.Level, st.Level == 0)
	for _, t := range st.Thresholds {
		w.begun = false
		w.put("threshold.at", t.At, false)
		w.put("threshold.apply", t.Apply, t.Apply == "")
		w.put("threshold.consume", t.Consume, t.Consume == 0)
	}
}

func (w *writer) gates(s *buff.Spec) {
	w.begun = false
	w.put("group.name", s.Group.Name, s.Group.Name == "")
	w.put("group.priority", s.Group.Priority, s.Group.Priority == 0)
	w.put("group.rule", s.Group.Rule, s.Group.Rule == 0)
	w.begun = false
	w.put("slot.class", s.Slot.Class, s.Slot.Class == "")
	w.put("slot.limit", s.Slot.Limit, s.Slot.Limit == 0)
	w.put("slot.evict", s.Slot.Evict, s.Slot.Evict == 0)
	w.begun = false
	w.put("per_source.limit", s.PerSource.Limit, s.PerSource.Limit == 0)
	for _, r := range []struct {
		of   string
		test define.TagTest
	}{{"require apply.", s.Require.Apply}, {"require ongoing.", s.Require.Ongoing}, {"require remove.", s.Require.Remove}} {
		w.begun = false
		w.put(r.of+"all", r.test.All, len(r.test.All) == 0)
		w.put(r.of+"any", r.test.Any, len(r.test.Any) == 0)
		w.put(r.of+"none", r.test.None, len(r.test.None) == 0)
	}
	w.put("require.from_source", s.Require.FromSource, !s.Require.FromSource)
	w.begun = false
	w.put("gate.inhibition", s.Inhibition, s.Inhibition == 0)
	w.put("gate.dead", s.Dead, s.Dead == 0)
	w.put("gate.immune", s.Immune, s.Immune == 0)
	w.put("gate.chance", s.Chance, s.Chance == 0)
	w.put("gate.interrupt", s.Interrupt, len(s.Interrupt) == 0)
	w.begun = false
	w.put("immunity.tags", s.Immunity.Tags, len(s.Immunity.Tags) == 0)
	w.put("immunity.type", s.Immunity.Type, s.Immunity.Type == "")
	w.put("immunity.polarity", s.Immunity.Polarity, s.Immunity.Polarity == 0)
	w.begun = false
	w.put("dr.group", s.DR.Group, s.DR.Group == "")
	w.put("dr.steps", s.DR.Steps, len(s.DR.Steps) == 0)
	w.put("dr.reset", s.DR.Reset, s.DR.Reset == 0)
	w.put("dr.scope", s.DR.Scope, s.DR.Scope == 0)
	w.begun = false
	w.put("dispel.type", s.Dispel.Type, s.Dispel.Type == "")
	w.put("dispel.grade", s.Dispel.Grade, s.Dispel.Grade == 0)
	w.put("dispel.per", s.Dispel.Per, s.Dispel.Per == 0)
	w.put("dispel.resist", s.Dispel.Resist, s.Dispel.Resist == 0)
	w.put("dispel.keep", s.Dispel.Keep, !s.Dispel.Keep)
}

func (w *writer) extras(s *buff.Spec) {
	w.begun = false
	w.put("charges.n", s.Charges.N, s.Charges.N == 0)
	w.put("charges.consume_on", s.Charges.ConsumeOn, len(s.Charges.ConsumeOn) == 0)
	w.put("charges.on_refresh", s.Charges.Refresh, s.Charges.Refresh == 0)
	w.put("charges.recharge", s.Charges.Recharge, s.Charges.Recharge == 0)
	w.begun = false
	w.put("shield.on", s.Shield.On, !s.Shield.On)
	w.put("shield.pool", s.Shield.Pool, s.Shield.Pool == 0)
	if s.Shield.By != nil {
		w.put("shield.pool", sourceOf(*s.Shield.By), false)
	}
	w.put("shield.priority", s.Shield.Priority, s.Shield.Priority == 0)
	w.put("shield.schools", s.Shield.Schools, len(s.Shield.Schools) == 0)
	w.put("shield.attrs", s.Shield.Attrs, len(s.Shield.Attrs) == 0)
	w.put("shield.share", s.Shield.Share, s.Shield.Share == 0)
	w.put("shield.cap", s.Shield.Cap, s.Shield.Cap == 0)
	w.put("shield.floor", s.Shield.Floor, s.Shield.Floor == 0)
	w.put("shield.on_refresh", s.Shield.Refresh, s.Shield.Refresh == 0)
	w.begun = false
	w.put("aura.apply", s.Aura.Apply, s.Aura.Apply == "")
	w.put("aura.radius", s.Aura.Radius, s.Aura.Radius == 0)
	w.put("aura.interval", s.Aura.Interval, s.Aura.Interval == 0)
	w.put("aura.linger", s.Aura.Linger, s.Aura.Linger == 0)
	for _, p := range s.Params {
		w.begun = false
		w.put("param.name", p.Name, false)
		w.put("param.value", sourceOf(p.Value), false)
	}
	for _, m := range s.Modifiers {
		w.begun = false
		w.put("modifier.attr", m.Attr, false)
		w.put("modifier.op", m.Op, false)
		w.put("modifier.channel", m.Channel, m.Channel == 0)
		w.put("modifier.value", sourceOf(m.Value), false)
		w.put("modifier.per_stack", m.PerStack, !m.PerStack)
	}
	w.begun = false
	w.put("with.links", s.Links, len(s.Links) == 0)
	w.begun = false
	w.put("client.icon", s.Client.Icon, s.Client.Icon == "")
	w.put("client.hide", s.Client.Hide, !s.Client.Hide)
	w.put("client.priority", s.Client.Priority, s.Client.Priority == 0)
	w.put("client.sync", s.Client.Sync, s.Client.Sync == 0)
	w.begun = false
	w.put("save.mode", s.Save.Mode, s.Save.Mode == 0)
	w.put("save.if_remaining", s.Save.IfRemaining, s.Save.IfRemaining == 0)
	w.put("save.offline", s.Save.Offline, s.Save.Offline == 0)
	w.put("save.offline_cap", s.Save.OfflineCap, s.Save.OfflineCap == 0)
	w.put("save.offline_expire", s.Save.OfflineExpire, s.Save.OfflineExpire == 0)
	w.put("save.compensate", s.Save.Compensate, s.Save.Compensate == "")
}

func (w *writer) hooks(h *define.Hooks) {
	actions := func(name string, list []define.Action) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(w.b, "\n  on %s:", name)
		for _, a := range list {
			if a.OneOf > 0 {
				fmt.Fprintf(w.b, " one_of %d:", a.OneOf)
			}
			fmt.Fprintf(w.b, " %v", a.Do)
			if a.Name != "" || a.Change != nil {
				fmt.Fprintf(w.b, " %s", a.Name)
			}
			if c := a.Change; c != nil {
				fmt.Fprintf(w.b, "%s by %s", c.Attr, sourceOf(c.By))
				if c.PerStack {
					fmt.Fprint(w.b, " per stack")
				}
				if c.School != "" {
					fmt.Fprintf(w.b, " of %s", c.School)
				}
			}
			if a.Weight > 0 {
				fmt.Fprintf(w.b, " weight %d", a.Weight)
			}
			if a.To != define.ToOwner {
				fmt.Fprintf(w.b, " to %v", a.To)
				if a.Of != "" {
					fmt.Fprintf(w.b, " of %s", a.Of)
				}
			}
			if a.Reason != reason.None {
				fmt.Fprintf(w.b, " (%v)", a.Reason)
			}
		}
	}
	actions("apply", h.Apply)
	actions("refresh", h.Refresh)
	actions("pulse", h.Pulse)
	actions("exec", h.Exec)
	actions("death", h.Death)
	actions("absorb", h.Absorb)
	actions("overflow", h.Overflow)
	if h.When != nil {
		actions("when", h.When.Do)
	}
	for _, act := range slices.Sorted(maps.Keys(h.Act)) {
		if slices.Contains(h.ActBySource, act) {
			actions("act "+act+" by source", h.Act[act])
			continue
		}
		actions("act "+act, h.Act[act])
	}
	for _, r := range slices.Sorted(maps.Keys(h.Remove)) {
		actions("remove "+r.String(), h.Remove[r])
	}
	actions("remove any", h.RemoveAny)
}

// sourceOf returns the source of a number, in a short form.
func sourceOf(n define.Number) string {
	var b strings.Builder
	switch n.From {
	case define.FromConst:
		return fmt.Sprint(n.Const)
	case define.FromCurve:
		fmt.Fprintf(&b, "curve(%s:", n.Curve.Name())
		for _, p := range n.Curve.Points() {
			fmt.Fprintf(&b, " %d=%v", p.Level, p.Value)
		}
		return b.String() + ")"
	case define.FromAttr:
		fmt.Fprintf(&b, "%v.%s", n.Of, n.Attr)
		if n.Pre != 0 || n.Coef != 0 || n.Post != 0 {
			fmt.Fprintf(&b, "(pre=%v coef=%v post=%v)", n.Pre, n.Coef, n.Post)
		}
	case define.FromCaller:
		fmt.Fprintf(&b, "caller.%s", n.Caller)
	case define.FromFormula:
		fmt.Fprintf(&b, "(%v)", n.Formula)
	}
	if n.Default {
		fmt.Fprintf(&b, "|%v", n.Const)
	}
	if n.Snapshot != define.SnapshotCast {
		fmt.Fprintf(&b, "@%v", n.Snapshot)
	}
	return b.String()
}

// dumpAttributes prints the attributes, one per line.
func dumpAttributes(b *strings.Builder, c *buff.Catalog) {
	if c.Attributes() == nil {
		return
	}
	for _, a := range c.Attributes().All() {
		w := &writer{b, false}
		w.put("attribute.name", a.Name, false)
		w.put("attribute.base", a.Base, a.Base == 0)
		w.put("attribute.min", a.Min, a.Min == (stat.Limit{}))
		w.put("attribute.max", a.Max, a.Max == (stat.Limit{}))
		w.put("attribute.aggregate", a.Aggregate, a.Aggregate == 0)
		w.put("attribute.n", a.N, a.N == 0)
	}
	b.WriteString("\n")
}
