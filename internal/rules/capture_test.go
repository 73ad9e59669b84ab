package rules_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// TestCapture_AppliedDefinitions checks that a definition captures the attributes that are read by
// any definition that it can apply, directly or indirectly.
func TestCapture_AppliedDefinitions(t *testing.T) {
	strike := buff.Spec{ID: "strike", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{
		Do: define.DoDamage, Change: &define.Change{Attr: "health", By: ofAttr("power", define.OfSource, 0)},
	}}}}
	member := buff.Spec{ID: "member", Duration: time.Second, Modifiers: []define.Modifier{{Attr: "health", Value: ofAttr("power", define.OfSource, 0)}}}
	apply := []define.Action{{Do: define.DoApply, Name: "strike"}}
	for name, want := range map[string]bool{
		"nothing": false, "apply": true, "refresh": true, "pulse": true, "overflow": true, "remove": true, "threshold": true, "over": true, "link": true,
		"aura": true, "owner": false, "formula": true, "far": true, "ring": true,
	} {
		s := buff.Spec{ID: "p", Duration: time.Second, Period: time.Second}
		specs := []buff.Spec{strike, member}
		switch name {
		case "apply":
			s.On.Apply = apply
		case "refresh":
			s.Stack.By, s.On.Refresh = define.BySource, apply
		case "pulse":
			s.On.Pulse = apply
		case "overflow":
			s.Stack.By, s.On.Overflow = define.BySource, apply
		case "remove":
			s.On.Remove = map[reason.Reason][]define.Action{reason.Death: apply}
		case "threshold":
			s.Stack.Thresholds = []define.Threshold{{At: 1, Apply: "strike"}}
		case "over":
			s.Stack.By, s.On.Overflow = define.BySource, apply
		case "link":
			s.Links = []string{"member"}
		case "aura":
			s.Aura = define.Aura{Apply: "member", Radius: 1, Interval: time.Second}
		case "owner":
			s.Params = []define.Param{{Name: "a", Value: ofAttr("power", define.OfOwner, 0)}}
		case "formula":
			s.Params = []define.Param{{Name: "a", Value: define.Number{
				From: define.FromFormula, Formula: &testFormula{text: "f", reads: []define.Read{{Of: define.OfSource, Name: "power"}}},
			}}}
		case "far", "ring":
			s.On.Apply = []define.Action{{Do: define.DoApply, Name: "q"}}
			q := buff.Spec{ID: "q", Duration: time.Second, On: define.Hooks{Pulse: nil, RemoveAny: apply}}
			if name == "ring" {
				q.On.Apply = []define.Action{{Do: define.DoApply, Name: "p"}}
			}
			specs = append(specs, q)
		}
		c, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{attribute("health"), attribute("power")}, Specs: append(specs, s)})
		require.NoError(t, err, name)
		require.Equal(t, want, rules.Captures(c.Spec("p")), name)
	}
}

// TestDefaults checks that fields that are not set have the documented defaults.
func TestDefaults(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Duration: time.Second, Stack: define.Stacking{By: define.ByTarget, Refresh: define.RefreshPandemic}})
	s := r.catalog.Spec("p")
	require.Equal(t, []define.Fate{define.FateRemove, define.FateKeep, define.FateKeep}, []define.Fate{s.OnDeath, s.OnSourceGone, s.OnFault})
	r.apply(0, "p")
	r.apply(100, "p")
	require.Equal(t, []string{"0 apply p x1 end=1000", "100 refresh p x1 end=1400"}, r.log(), "one stack, 30 percent")
}
