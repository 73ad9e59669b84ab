package rules_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// TestSheetChanges checks that exactly those changes of the inputs of attributes are reported that
// no event reports.
func TestSheetChanges(t *testing.T) {
	build := func(by float64) buff.Definitions {
		return buff.Definitions{
			Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "power", Base: 10, Max: stat.At(20)}}},
			Specs: []buff.Spec{
				{ID: "might", Duration: 9 * time.Second, Stack: define.Stacking{By: define.ByTarget, Limit: 5}, Reload: define.ReloadMigrate, Modifiers: []define.Modifier{{Attr: "power", Value: define.Const(by), PerStack: true}}},
				{ID: "gift", Duration: 9 * time.Second, Stack: define.Stacking{By: define.ByTarget}, Modifiers: []define.Modifier{{Attr: "power", Value: define.Caller("gift")}}},
			},
		}
	}
	cat, err := buff.Build(build(2))
	require.NoError(t, err)
	s := rules.NewOwner(7, 3, 0, 100)
	var told []buff.SheetChange
	turn := rules.Turn{Catalog: cat, SheetChanged: func(c buff.SheetChange) {
		require.Equal(t, buff.OwnerID(7), c.Owner)
		told = append(told, c)
	}}
	power, _ := cat.Attr("power")
	do := func(c buff.Command) buff.Handle {
		t.Helper()
		told = nil
		r := s.Do(&turn, 1000, c)
		require.NoError(t, r.Failure)
		return r.Handle
	}
	gift := func(v float64) buff.Command {
		return buff.Apply(7, buff.Application{Spec: cat.Spec("gift"), Params: []buff.Arg{{Caller: "gift", Value: v}}})
	}
	might := buff.Apply(7, buff.Application{Spec: cat.Spec("might"), Stacks: 2})
	h := do(might)
	do(might)
	do(buff.RemoveStacks(h, 1, reason.Cancelled))
	require.Empty(t, told, "events say all of a constant")
	g := do(gift(3))
	require.Empty(t, told, "what begins was not before")
	require.Equal(t, []float64{3}, s.Numbers(g, nil))
	require.Empty(t, s.Numbers(h, nil))
	do(gift(3))
	require.Empty(t, told, "it is the same")
	do(gift(4))
	about := buff.SheetChange{At: 1000, Owner: 7, Handle: g, Spec: cat.Spec("gift"), Was: 3}
	require.Equal(t, []buff.SheetChange{about}, told)
	m, place := rules.OnSheet(cat.Spec("gift"), 0, 1, s.Numbers(g, nil))
	require.Equal(t, []any{stat.Modifier{Attr: power, Value: 4}, 0}, []any{m, place})
	m, place = rules.OnSheet(cat.Spec("might"), 0, 3, nil)
	require.Equal(t, []any{stat.Modifier{Attr: power, Value: 6}, -1}, []any{m, place})

	do(buff.Inhibit(g))
	require.Empty(t, told, "it is hidden by an event")
	do(buff.Remove(g))
	about.Was, about.Hidden = 4, true
	whole := about
	whole.Place, whole.Was = -1, 0
	require.Equal(t, []buff.SheetChange{whole, about}, told, "it ends without effect, and with its number")

	do(buff.SetBase(7, power, 50))
	require.Empty(t, told)
	do(buff.AddBase(7, power, -5))
	require.Equal(t, []buff.SheetChange{{At: 1000, Owner: 7, Place: -1, Attr: power, Was: 50}}, told, "it was above the limit of 20")

	next, err := cat.Rebuild(build(4))
	require.NoError(t, err)
	turn.Catalog, told = next, nil
	require.Equal(t, 1, s.Adopt(&turn, 2000).Migrated)
	require.Equal(t, []buff.SheetChange{{At: 2000, Owner: 7, Handle: h, Spec: cat.Spec("might"), Place: -1}}, told, "it was of another version")
}
