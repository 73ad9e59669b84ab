package rules_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// TestReloadAttributes checks that owners have the base of an attribute that a reload adds, within
// its limits, and that modifiers and changes of the attribute work as if it had always existed.
func TestReloadAttributes(t *testing.T) {
	health := define.Attribute{Attribute: stat.Attribute{Name: "health", Base: 100}}
	mana := define.Attribute{Attribute: stat.Attribute{Name: "mana", Base: 80, Max: stat.By("health")}}
	old, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{health}, Specs: []buff.Spec{
		{ID: "frail", Duration: time.Hour, Modifiers: []define.Modifier{{Attr: "health", Op: stat.Add, Value: define.Const(-50)}}},
	}})
	require.NoError(t, err)
	next, err := old.Rebuild(buff.Definitions{Attributes: []define.Attribute{mana, health}, Specs: []buff.Spec{
		{ID: "frail", Duration: time.Hour},
		{ID: "clever", Duration: time.Hour, Modifiers: []define.Modifier{{Attr: "mana", Op: stat.Add, Value: define.Const(-40)}}},
	}})
	require.NoError(t, err)
	m, ok := next.Attr("mana")
	require.True(t, ok)

	set, turn := rules.NewOwner(1, 0, 0, 8), rules.Turn{Catalog: old}
	set.Do(&turn, 0, buff.Apply(1, buff.Application{Spec: old.Spec("frail")}))
	turn.Catalog = next
	seen := func() (out []float64) {
		for v := range set.Attributes(next) {
			out = append(out, v.Base, v.Value)
		}
		return append(out, set.Base(next, m), set.Attribute(next, m))
	}
	require.Equal(t, []float64{100, 50, 80, 50, 80, 50}, seen(), "as its definition says, below what health is now")
	for range set.Modifiers(next, m) {
		t.Fatal("nothing lies on it")
	}
	set.Do(&turn, 0, buff.Apply(1, buff.Application{Spec: next.Spec("clever")}))
	require.Equal(t, []float64{100, 50, 80, 40, 80, 40}, seen())
	set.Do(&turn, 0, buff.AddBase(1, m, -30))
	require.Equal(t, []float64{100, 50, 20, -20, 20, -20}, seen(), "from what it was within its limits")
	h, _ := next.Attr("health")
	set.Do(&turn, 0, buff.SetBase(1, h, 60))
	require.Equal(t, []float64{60, 10, 10, -30, 10, -30}, seen(), "cut down to its limit, which fell")
	set.Do(&turn, 0, buff.SetBase(1, m, 90))
	require.Equal(t, []float64{60, 10, 90, 10, 90, 10}, seen(), "its limit follows")
}
