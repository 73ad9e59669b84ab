package buff

import "github.com/bufftick/bufftick/buff/define"

// instant refuses what only a buff that is carried can have. An instant one is done when it is applied: there is no instance,
// and no handle that anything could be asked of later.
func (k *checker) instant(s *Spec) {
	for _, f := range []struct {
		field string
		used  bool
		text  string
	}{
		{"period", s.pulses(), "it cannot pulse"},
		{"stack", !noStacking(&s.Stack), "it cannot stack"},
		{"grants", len(s.Grants) > 0, "it cannot grant tags"},
		{"min_duration", s.MinDuration != 0, "it has no duration"},
		{"max_duration", s.MaxDuration != 0, "it has no duration"},
		{"duration_scale", s.DurationScale != nil, "it has no duration"},
		{"clock", s.Clock != define.Online, "it has no clock"},
		{"group", s.Group != define.Group{}, "it cannot be exclusive"},
		{"slot", s.Slot != define.Slot{}, "it takes no slot"},
		{"per_source", s.PerSource != define.PerSource{}, "nothing of it can give way"},
		{"require.ongoing", !noTest(&s.Require.Ongoing), "it can only require for apply"},
		{"require.remove", !noTest(&s.Require.Remove), "it can only require for apply"},
		{"inhibition", s.Inhibition != define.InhibitionKeep, "it cannot be inhibited"},
		{"immune", s.Immune != define.ImmuneSuppress, "no immunity can come later"},
		{"immunity", !noMatch(&s.Immunity), "it cannot make its owner immune"},
		{"dr", !noReturns(&s.DR), "it has no duration to diminish"},
		{"dispel.grade", s.Dispel.Grade != define.GradeBasic, "it cannot be dispelled"},
		{"dispel.per", s.Dispel.Per != define.PerAll, "it cannot be dispelled"},
		{"dispel.resist", s.Dispel.Resist != 0, "it cannot be dispelled"},
		{"dispel.stealable", s.Dispel.Keep, "it cannot be stolen"},
		{"interrupt", len(s.Interrupt) > 0, "it cannot be interrupted"},
		{"charges", !noCharges(&s.Charges), "it has no charges"},
		{"shield", !noShield(&s.Shield), "it cannot absorb"},
		{"modifiers", len(s.Modifiers) > 0, "it changes attributes by its actions"},
		{"links", len(s.Links) > 0, "nothing can go with it: use on.exec"},
		{"reload", s.Reload != define.ReloadKeep, "there are no running instances"},
		{"aura", s.Aura != define.Aura{}, "it has no aura"},
		{"save", s.Save != define.Saving{}, "it cannot be saved"},
	} {
		if f.used {
			k.failf(f.field, "an instant buff is never carried, so %s", f.text)
		}
	}
}

func noStacking(s *define.Stacking) bool {
	return s.By == 0 && s.Limit == 0 && s.Initial == 0 && s.Timers == 0 && s.Effective == 0 && s.Refresh == 0 && s.RefreshPct == 0 &&
		s.RefreshCap == 0 && s.Phase == 0 && s.Overflow == 0 && len(s.OverflowApply) == 0 && s.Expire == 0 && s.ExpireN == 0 &&
		s.Level == 0 && len(s.Thresholds) == 0
}

func noTest(t *define.TagTest) bool { return len(t.All)+len(t.Any)+len(t.None) == 0 }

func noMatch(m *define.Match) bool {
	return len(m.Tags) == 0 && m.Type == "" && m.Polarity == define.Neutral
}

func noReturns(d *define.DR) bool {
	return d.Group == "" && len(d.Steps) == 0 && d.Reset == 0 && d.Scope == 0
}

func noCharges(c *define.Charges) bool { return c.N == 0 && len(c.ConsumeOn) == 0 && c.Refresh == 0 }

func noShield(s *define.Shield) bool {
	return !s.On && s.Pool == 0 && s.By == nil && s.Priority == 0 && len(s.Schools) == 0
}
