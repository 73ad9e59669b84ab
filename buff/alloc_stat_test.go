package buff

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/stat"
)

// sum is a formula that reads the power of both sides.
type sum struct{}

func (sum) String() string { return "owner.power + source.power" }

func (sum) Reads() []Read { return []Read{{Name: "power"}, {Of: OfSource, Name: "power"}} }

func (sum) Eval(in Inputs) (float64, error) { return in.Reads[0] + in.Reads[1], nil }

// TestAllocationsOfStats: modifiers, damage pulses, numbers of all kinds and links use memory
// again.
func TestAllocationsOfStats(t *testing.T) {
	second := []Point{{Level: 1, Value: 1}, {Level: 9, Value: 5}}
	curve, err := NewCurve("c", second...)
	require.NoError(t, err)
	source := Number{From: FromAttr, Attr: "power", Of: OfSource}
	pulsed := Number{From: FromAttr, Attr: "power", Snapshot: SnapshotPulse}
	damage := func(by Number) []Action {
		return []Action{{Do: DoDamage, Change: &Change{Attr: "health", By: by, PerStack: true}}}
	}
	for name, s := range map[string]Spec{
		"modifiers": {Modifiers: []Modifier{
			{Attr: "power", Value: Const(3), PerStack: true}, {Attr: "power", Op: stat.MulAdd, Value: source}, {Attr: "health", Op: stat.Override, Value: Const(5)},
		}},
		"damage":   {Period: 100 * time.Millisecond, On: Hooks{Pulse: damage(Const(1))}},
		"source":   {Period: 100 * time.Millisecond, On: Hooks{Pulse: damage(source)}},
		"pulsed":   {Period: 100 * time.Millisecond, On: Hooks{Pulse: damage(pulsed)}, Modifiers: []Modifier{{Attr: "power", Value: pulsed}}},
		"formula":  {Params: []Param{{Name: "a", Value: Number{From: FromFormula, Formula: sum{}}}}},
		"scale":    {DurationScale: &source, PeriodBy: curve, Shield: Shield{On: true, By: &pulsedOnce}},
		"inherits": {Links: []string{"link"}, On: Hooks{Apply: []Action{{Do: DoApply, Name: "strike"}}}},
	} {
		s.ID, s.Duration, s.Stack = "p", time.Second, Stacking{By: ByTarget, Limit: 3}
		c, err := Build(Definitions{
			Attributes: []Attribute{{Attribute: stat.Attribute{Name: "health", Base: 1e6, Min: stat.At(0)}}, {Attribute: stat.Attribute{Name: "power", Base: 1}}},
			Specs: []Spec{
				s,
				{ID: "link", Kind: Infinite, Stack: Stacking{By: ByTarget}, Modifiers: []Modifier{{Attr: "power", Value: source}}},
				{ID: "strike", Kind: Instant, On: Hooks{Exec: damage(source)}},
			},
		})
		require.NoError(t, err, name)
		w := &work{set: NewSet(1, 1, 0, MaxPerOwner), spec: c.Spec("p")}
		w.turn.Catalog = c
		caster := NewSet(2, 2, 0, 1)
		captured := make([]Captured, 0, 8)
		round := func() {
			for range 2 {
				a := Application{Spec: w.spec, Source: 2, Level: 3}
				captured = a.Capture(captured[:0], caster, c, SnapshotApply)
				w.do(Command{Verb: VerbApply, Application: a})
			}
			w.pass(100)
			w.pass(900)
			w.pass(0)
			w.do(Command{Verb: VerbRemoveSpec, Application: Application{Spec: w.spec}})
		}
		round()
		require.Zero(t, testing.AllocsPerRun(200, round), name)
		require.Zero(t, w.set.Len(), name)
		require.Empty(t, w.set.Counters(c), name)
	}
}

var pulsedOnce = Number{From: FromAttr, Attr: "power"}
