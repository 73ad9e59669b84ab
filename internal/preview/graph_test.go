package preview_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/preview"
	"github.com/stretchr/testify/require"
)

// wounded returns a catalog whose buffs change attributes: a venom that damages and slows, a ward
// that absorbs some of the damage, and a tonic that heals.
func wounded(t *testing.T) *buff.Catalog {
	t.Helper()
	attribute := func(name string, base, lo, hi float64) define.Attribute {
		return define.Attribute{Attribute: stat.Attribute{Name: name, Base: base, Min: stat.At(lo), Max: stat.At(hi)}}
	}
	c, err := buff.Build(buff.Definitions{
		Attributes: []define.Attribute{attribute("health", 1000, 0, 1000), attribute("speed", 100, 0, 300), attribute("luck", 5, 0, 10)},
		Specs: []buff.Spec{
			{
				ID: "venom", Duration: 12 * time.Second, Period: 3 * time.Second,
				Modifiers: []define.Modifier{{Attr: "speed", Op: stat.MulAdd, Value: define.Const(-0.2)}},
				On:        define.Hooks{Pulse: []define.Action{{Do: define.DoDamage, Change: &define.Change{Attr: "health", By: define.Const(350)}}}},
			},
			{ID: "ward", Duration: 5 * time.Second, Shield: define.Shield{On: true, Pool: 400}},
			{ID: "tonic", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoChange, Change: &define.Change{Attr: "health", By: define.Const(120.5)}}}}},
		},
	})
	require.NoError(t, err)
	return c
}

// TestGraphs checks that an attribute that changes has a graph, with its values including all
// modifiers and the changes of its base, and that an attribute that does not change has none.
func TestGraphs(t *testing.T) {
	c := wounded(t)
	line, err := preview.Run(c, preview.Script{ID: "venom", Steps: []preview.Step{
		{Do: preview.Apply, ID: "venom"},
		{Do: preview.Apply, ID: "ward", At: 1000},
		{Do: preview.Apply, ID: "tonic", At: 10_000},
	}})
	require.NoError(t, err)
	check(t, line)
	require.Len(t, line.Graphs, 2)
	health, speed := line.Graphs[0], line.Graphs[1]
	require.Equal(t, "health", health.Name)
	require.Equal(t, []preview.Value{{0, 1000}, {6000, 700}, {9000, 350}, {10_000, 470.5}, {12_000, 120.5}}, health.Values)
	require.Equal(t, []preview.Change{
		{3000, c.Spec("venom"), 0, 350},
		{6000, c.Spec("venom"), -300, 50},
		{9000, c.Spec("venom"), -350, 0},
		{10_000, c.Spec("tonic"), 120.5, 0},
		{12_000, c.Spec("venom"), -350, 0},
	}, health.Changes)
	require.Equal(t, []preview.Value{{0, 100}, {0, 80}, {12_000, 100}}, speed.Values)
	require.Empty(t, speed.Changes)

	_, below, _ := strings.Cut(line.Text(80), "\n\nhealth ")
	require.Equal(t, strings.Join([]string{
		"1000 at the start",
		"       3s: 0 by venom, 350 absorbed",
		"       6s: -300 by venom, 50 absorbed, now 700",
		"       9s: -350 by venom, now 350",
		"       10s: +120.5 by tonic, now 470.5",
		"       12s: -350 by venom, now 120.5",
		"       120.5 at the end",
		"",
		"speed  100 at the start",
		"       0s: 80",
		"       12s: 100",
		"       100 at the end",
		"",
	}, "\n"), below)
	require.Contains(t, line.Text(80), "\nhealth 1000")
}

// TestGraphOfExtremes checks that values at the limits of floating-point numbers are drawn inside
// the picture.
func TestGraphOfExtremes(t *testing.T) {
	line, err := preview.Run(wounded(t), preview.Script{ID: "venom", Steps: []preview.Step{{Do: preview.Apply, ID: "venom"}}})
	require.NoError(t, err)
	line.Graphs[0].Values = []preview.Value{{0, -math.MaxFloat64}, {1, math.MaxFloat64}, {2, 0}, {12_000, math.SmallestNonzeroFloat64}}
	drawn(t, line)
}

// TestPicture_Proportions checks that the filled area of a value has a height proportional to the
// value, and that harm and help have different colours.
func TestPicture_Proportions(t *testing.T) {
	number := func(base, by float64) *preview.Picture {
		c, err := buff.Build(buff.Definitions{
			Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health", Base: base}}},
			Specs: []buff.Spec{{ID: "hurt", Polarity: define.Negative, Duration: 4 * time.Second, Period: 3 * time.Second, On: define.Hooks{
				Pulse: []define.Action{{Do: define.DoChange, Change: &define.Change{Attr: "health", By: define.Const(by)}}},
			}}},
		})
		require.NoError(t, err)
		line, err := preview.Run(c, preview.Script{ID: "hurt", Steps: []preview.Step{{Do: preview.Apply, ID: "hurt"}}})
		require.NoError(t, err)
		return line.Picture()
	}
	// An area has two points on its ground line, followed by its steps.
	heights := func(p *preview.Picture) []float64 {
		for _, s := range p.Shapes {
			if s.Kind == preview.Area && len(s.Points) == 6 {
				ground := s.Points[0].Y
				return []float64{ground - s.Points[2].Y, ground - s.Points[5].Y}
			}
		}
		t.Fatal("no graph")
		return nil
	}
	for _, c := range []struct{ base, by float64 }{{1000, -140}, {1000, -900}, {-100, -300}, {40, 60}} {
		h := heights(number(c.base, c.by))
		require.InDelta(t, (c.base+c.by)/c.base, h[1]/h[0], 1e-9, "%v by %v", c.base, c.by)
	}

	red := func(c preview.Color) int { return int(c >> 16 & 0xff) }
	green := func(c preview.Color) int { return int(c >> 8 & 0xff) }
	colours := map[define.Polarity]preview.Color{}
	for _, side := range []define.Polarity{define.Neutral, define.Positive, define.Negative} {
		c, err := buff.NewCatalog(buff.Spec{ID: "it", Polarity: side, Duration: 4 * time.Second})
		require.NoError(t, err)
		line, err := preview.Run(c, preview.Script{ID: "it", Steps: []preview.Step{{Do: preview.Apply, ID: "it"}}})
		require.NoError(t, err)
		for _, s := range line.Picture().Shapes {
			// The lane behind it is grey, and signs are dark.
			if s.Kind == preview.Area && s.Fill != preview.None && red(s.Fill) > 0x80 && math.Abs(float64(red(s.Fill)-green(s.Fill))) > 20 {
				colours[side] = s.Fill
				break
			}
		}
	}
	require.Greater(t, green(colours[define.Positive]), red(colours[define.Positive]))
	require.Less(t, green(colours[define.Negative]), red(colours[define.Negative]))
	require.Len(t, map[preview.Color]bool{colours[define.Neutral]: true, colours[define.Positive]: true, colours[define.Negative]: true}, 3)
}
