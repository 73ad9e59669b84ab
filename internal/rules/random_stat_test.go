package rules_test

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// randomCurve returns a curve of seconds or points, in multiples of an eighth.
func randomCurve(d *dice, least, most int) *define.Curve {
	points := []define.Point{{Level: d.n(2), Value: float64(least+d.n(most-least)) / 8}}
	if d.one(2) {
		points = append(points, define.Point{Level: 2 + 2*d.n(2), Value: float64(least+d.n(most-least)) / 8})
	}
	c, err := define.NewCurve("c", points...)
	if err != nil {
		panic(err)
	}
	return c
}

// randomNumber returns a number in multiples of an eighth. The number does not read an attribute
// that its own buff modifies.
func randomNumber(d *dice, pulses bool, reads ...string) define.Number {
	eighth := func() float64 { return float64(d.n(33)-16) / 8 }
	n := define.Number{}
	switch d.n(8) {
	case 0, 1:
		n = define.Const(eighth())
	case 2:
		n = define.Number{From: define.FromCurve, Curve: randomCurve(d, -16, 16)}
	case 3:
		n = define.Caller("power")
	case 4, 5:
		n = define.Number{From: define.FromAttr, Attr: pick(d, reads...), Snapshot: define.Snapshot(d.n(3))}
		if n.Snapshot == define.SnapshotPulse && !pulses {
			n.Snapshot = define.SnapshotApply
		}
	case 6:
		n = define.Number{From: define.FromAttr, Attr: "mind", Of: define.OfSource, Snapshot: define.Snapshot(d.n(2))}
		if d.one(2) {
			n.Coef = 0.125
		}
	case 7:
		f := &testFormula{text: "f", level: float64(d.n(2)), stacks: float64(d.n(2)), magnitude: float64(d.n(2))}
		for d.one(2) {
			f.reads = append(f.reads, pick(d, define.Read{Kind: define.ReadCaller, Name: "power"}, define.Read{Name: "mind"}, define.Read{Name: "mind", Of: define.OfSource}))
		}
		n = define.Number{From: define.FromFormula, Formula: f, Snapshot: define.Snapshot(d.n(2))}
	}
	if n.From == define.FromAttr && d.one(3) {
		n.Pre, n.Coef, n.Post = eighth(), pick(d, 0, 0.5, -1, 2), eighth()
	}
	if n.From > define.FromCurve && d.n(4) > 0 {
		n = n.Or(eighth())
	}
	return n
}

// randomStats adds modifiers and changes of attributes to a definition, and numbers to some other
// fields.
func randomStats(d *dice, s *buff.Spec) {
	pulses := s.Period > 0
	for d.one(2) && len(s.Modifiers) < 3 {
		m := define.Modifier{
			Attr: pick(d, "power", "power", "most", "health"), Op: pick(d, stat.Add, stat.MulAdd, stat.MulCompound, stat.FinalAdd, stat.Override),
			Channel: pick(d, 0, 0, 0, 1), Value: randomNumber(d, pulses, "mind"), PerStack: d.one(3),
		}
		twice := false
		for _, o := range s.Modifiers {
			twice = twice || o.Attr == m.Attr && o.Channel == m.Channel && o.Op == m.Op
		}
		if !twice {
			s.Modifiers = append(s.Modifiers, m)
		}
	}
	if d.one(4) {
		n := randomNumber(d, false, "mind")
		if n.From == define.FromConst && n.Const < 0 {
			n.Const = -n.Const
		}
		if s.Kind != define.Infinite || n.From != define.FromConst { // the catalog rejects any other number for an infinite buff
			s.DurationScale = &n
		}
	}
	if s.Shield.On && d.one(2) {
		n := randomNumber(d, false, "mind", "health")
		if n.From != define.FromConst {
			s.Shield.Pool, s.Shield.By = 0, &n
		}
	}
	if s.Shield.On && d.one(2) {
		s.Shield.Attrs = []string{pick(d, "health", "power"), "mind"}
	}
	if d.one(3) && len(s.Params) == 0 {
		s.Params = []define.Param{{Name: "a", Value: randomNumber(d, pulses, "mind", "power", "health")}}
	}
	if d.one(4) {
		s.OnArea = define.FateRemove
	}
	byCurve := s.MinDuration == 0 && s.MaxDuration == 0 && s.Stack.RefreshCap == 0
	if s.Kind == define.Timed && byCurve && d.one(4) {
		s.Duration, s.DurationBy = 0, randomCurve(d, 1, 4)
	}
	if pulses && d.one(4) {
		s.Period, s.PeriodBy = 0, randomCurve(d, 1, 2)
	}
}

// randomChange converts some actions to changes of attributes.
func randomChange(d *dice, list []define.Action, pulses bool) []define.Action {
	for i := range list {
		if !d.one(2) {
			continue
		}
		c := &define.Change{Attr: pick(d, "health", "health", "mind", "power", "most"), By: randomNumber(d, pulses, "mind", "health"), PerStack: d.one(3)}
		list[i] = define.Action{Do: define.DoChange, Change: c}
		if d.one(2) {
			list[i].Do = define.DoDamage
			if d.one(2) {
				c.School = pick(d, tagNames...)
			}
		}
	}
	return list
}

// randomHooks adds changes to all lists of a definition.
func randomHooks(d *dice, s *buff.Spec) {
	h, pulses := &s.On, s.Period > 0 || s.PeriodBy != nil
	for _, list := range []*[]define.Action{&h.Apply, &h.Refresh, &h.Pulse, &h.Exec, &h.Overflow, &h.RemoveAny} {
		*list = randomChange(d, *list, pulses)
	}
	for r := range h.Remove {
		h.Remove[r] = randomChange(d, h.Remove[r], pulses)
	}
	for act := range h.Act {
		h.Act[act] = randomChange(d, h.Act[act], pulses)
	}
	if pulses && len(h.Pulse) == 0 && d.one(2) {
		h.Pulse = randomChange(d, []define.Action{{Do: define.DoKill}}, pulses)
	}
}

// randomLinks links definitions only to later ones, so that there are no rings.
func randomLinks(d *dice, specs []buff.Spec) {
	for i := range specs {
		for j := i + 1; j < len(specs); j++ {
			if specs[i].Kind != define.Instant && specs[j].Kind != define.Instant && d.one(4) {
				specs[i].Links = append(specs[i].Links, specs[j].ID)
			}
		}
	}
}
