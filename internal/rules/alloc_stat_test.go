package rules

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/stretchr/testify/require"
)

// sum is a formula that adds the power of the owner and of the source.
type sum struct{}

func (sum) String() string { return "owner.power + source.power" }

func (sum) Reads() []define.Read {
	return []define.Read{{Name: "power"}, {Of: define.OfSource, Name: "power"}}
}

func (sum) Eval(in define.Inputs) (float64, error) { return in.Reads[0] + in.Reads[1], nil }

// TestAllocations_Stats checks that modifiers, damage pulses, numbers of all kinds and links reuse
// memory.
func TestAllocations_Stats(t *testing.T) {
	second := []define.Point{{Level: 1, Value: 1}, {Level: 9, Value: 5}}
	curve, err := define.NewCurve("c", second...)
	require.NoError(t, err)
	source := define.Number{From: define.FromAttr, Attr: "power", Of: define.OfSource}
	pulsed := define.Number{From: define.FromAttr, Attr: "power", Snapshot: define.SnapshotPulse}
	damage := func(by define.Number) []define.Action {
		return []define.Action{{Do: define.DoDamage, Change: &define.Change{Attr: "health", By: by, PerStack: true, School: "fire"}}}
	}
	for name, s := range map[string]buff.Spec{
		"modifiers": {Modifiers: []define.Modifier{
			{Attr: "power", Value: define.Const(3), PerStack: true}, {Attr: "power", Op: stat.MulAdd, Value: source}, {Attr: "health", Op: stat.Override, Value: define.Const(5)},
		}},
		"damage":   {Period: 100 * time.Millisecond, On: define.Hooks{Pulse: damage(define.Const(1))}},
		"source":   {Period: 100 * time.Millisecond, On: define.Hooks{Pulse: damage(source)}},
		"pulsed":   {Period: 100 * time.Millisecond, On: define.Hooks{Pulse: damage(pulsed)}, Modifiers: []define.Modifier{{Attr: "power", Value: pulsed}}},
		"formula":  {Params: []define.Param{{Name: "a", Value: define.Number{From: define.FromFormula, Formula: sum{}}}}},
		"scale":    {DurationScale: &source, PeriodBy: curve, Shield: define.Shield{On: true, By: &pulsedOnce}},
		"inherits": {Links: []string{"link"}, On: define.Hooks{Apply: []define.Action{{Do: define.DoApply, Name: "strike"}}}},
	} {
		s.ID, s.Duration, s.Stack = "p", time.Second, define.Stacking{By: define.ByTarget, Limit: 3}
		c, err := buff.Build(buff.Definitions{
			Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health", Base: 1e6, Min: stat.At(0)}}, {Attribute: stat.Attribute{Name: "power", Base: 1}, DamageTaken: "fire"}},
			Specs: []buff.Spec{
				s,
				{ID: "link", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}, Modifiers: []define.Modifier{{Attr: "power", Value: source}}},
				{ID: "strike", Kind: define.Instant, On: define.Hooks{Exec: damage(source)}},
			},
		})
		require.NoError(t, err, name)
		w := &work{set: NewOwner(1, 1, 0, buff.MaxPerOwner), spec: c.Spec("p")}
		w.turn.Catalog = c
		caster := NewOwner(2, 2, 0, 1)
		captured := make([]buff.Captured, 0, 8)
		round := func() {
			for range 2 {
				a := buff.Application{Spec: w.spec, Source: 2, Level: 3}
				captured = Capture(&a, captured[:0], caster, c, define.SnapshotApply)
				w.do(buff.Command{Verb: verb.Apply, Application: a})
			}
			w.pass(100)
			w.pass(900)
			w.pass(0)
			w.do(buff.Command{Verb: verb.RemoveSpec, Application: buff.Application{Spec: w.spec}})
		}
		round()
		require.Zero(t, testing.AllocsPerRun(200, round), name)
		require.Zero(t, w.set.Len(), name)
		require.Empty(t, w.set.Counters(c), name)
	}
}

var pulsedOnce = define.Number{From: define.FromAttr, Attr: "power"}
