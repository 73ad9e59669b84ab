package buff_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// TestChanges: it is what a definition says that counts.
func TestChanges(t *testing.T) {
	build := func(change func(s *buff.Spec)) buff.Definitions {
		n := define.Number{From: define.FromFormula, Formula: &testFormula{text: "1 + 1"}}
		s := buff.Spec{
			ID: "p", Duration: time.Second, PeriodBy: curve(t, define.Point{Value: 1}, define.Point{Level: 9, Value: 2}), DurationScale: &n,
			Params: []define.Param{{Name: "a", Value: n}}, Links: []string{"q"},
			On: buff.Hooks{
				Remove: map[buff.Reason][]buff.Action{buff.Death: {{Do: define.DoKill}}},
				Apply:  []buff.Action{{Do: define.DoDamage, Change: &define.Change{Attr: "health", By: n}}},
			},
		}
		change(&s)
		return buff.Definitions{Attributes: []define.Attribute{attribute("health")}, Specs: []buff.Spec{s, {ID: "q", Kind: define.Infinite}}}
	}
	same := build(func(*buff.Spec) {})
	c, err := buff.Build(same)
	require.NoError(t, err)
	require.Empty(t, c.Changes())
	next, err := c.Rebuild(build(func(s *buff.Spec) { s.Tags, s.Interrupt = []string{}, []string{} }))
	require.NoError(t, err)
	require.Empty(t, next.Changes(), "other pointers, other slices, and the same")

	for name, change := range map[string]func(*buff.Spec){
		"a field":      func(s *buff.Spec) { s.Note = "new" },
		"a tag":        func(s *buff.Spec) { s.Tags = []string{"a"} },
		"a point":      func(s *buff.Spec) { s.PeriodBy = curve(t, define.Point{Value: 1}, define.Point{Level: 9, Value: 3}) },
		"no curve":     func(s *buff.Spec) { s.PeriodBy = nil },
		"a formula":    func(s *buff.Spec) { s.DurationScale.Formula = &testFormula{text: "2"} },
		"no formula":   func(s *buff.Spec) { s.DurationScale = &define.Number{} },
		"no scale":     func(s *buff.Spec) { s.DurationScale = nil },
		"a param":      func(s *buff.Spec) { s.Params[0].Value = define.Const(2) },
		"a reason":     func(s *buff.Spec) { s.On.Remove = map[buff.Reason][]buff.Action{buff.Expired: {{Do: define.DoKill}}} },
		"two reasons":  func(s *buff.Spec) { s.On.Remove[buff.Expired] = nil },
		"a change":     func(s *buff.Spec) { s.On.Apply[0].Change.PerStack = true },
		"another fate": func(s *buff.Spec) { s.OnZone = define.FateRemove },
	} {
		next, err := c.Rebuild(build(change))
		require.NoError(t, err, name)
		require.Equal(t, []define.SpecChange{{ID: "p", Kind: define.SpecChanged}}, next.Changes(), name)
	}

	// A definition that comes back is another one for what still runs of it.
	without, err := next.Next(buff.Spec{ID: "r", Duration: time.Second})
	require.NoError(t, err)
	require.Equal(t, []define.SpecChange{{ID: "r", Kind: define.SpecAdded}, {ID: "p", Kind: define.SpecRemoved}, {ID: "q", Kind: define.SpecRemoved}}, without.Changes())
	back, err := without.Rebuild(same)
	require.NoError(t, err)
	require.Equal(t, []define.SpecChange{{ID: "p", Kind: define.SpecAdded}, {ID: "q", Kind: define.SpecAdded}, {ID: "r", Kind: define.SpecRemoved}}, back.Changes())
	require.Equal(t, "same added changed removed", define.SpecSame.String()+" "+define.SpecAdded.String()+" "+define.SpecChanged.String()+" "+define.SpecRemoved.String())

	fork, err := c.Rebuild(same)
	require.NoError(t, err)
	for _, k := range []struct {
		c, before *buff.Catalog
		want      bool
	}{{c, c, true}, {next, c, true}, {back, c, true}, {back, without, true}, {c, next, false}, {fork, next, false}, {next, fork, false}} {
		require.Equal(t, k.want, k.c.Succeeds(k.before))
	}
	newest := func(c *buff.Catalog, s *buff.Spec) []any {
		n, known := c.Newest(s)
		return []any{n, known}
	}
	require.Equal(t, []any{back.Spec("p"), true}, newest(back, c.Spec("p")))
	require.Equal(t, []any{back.Spec("p"), true}, newest(back, back.Spec("p")))
	require.Equal(t, []any{(*buff.Spec)(nil), true}, newest(back, without.Spec("r")))
	require.Equal(t, []any{(*buff.Spec)(nil), false}, newest(back, fork.Spec("p")))
	require.Equal(t, []any{(*buff.Spec)(nil), false}, newest(back, &buff.Spec{}))
	require.Equal(t, []any{(*buff.Spec)(nil), false}, newest(back, nil))
}

// TestEveryFieldCounts: a change of any field of a definition is a change, also of those to
// come.
func TestEveryFieldCounts(t *testing.T) {
	kinds := map[reflect.Kind]bool{}
	var look func(reflect.Type)
	look = func(f reflect.Type) {
		kinds[f.Kind()] = true
		switch f.Kind() {
		case reflect.Struct:
			for i := range f.NumField() {
				if f.Field(i).IsExported() {
					look(f.Field(i).Type)
				}
			}
		case reflect.Slice, reflect.Pointer:
			if f != reflect.TypeFor[*define.Curve]() {
				look(f.Elem())
			}
		}
	}
	look(reflect.TypeFor[buff.Spec]())
	for k := range kinds {
		require.Contains(t, []reflect.Kind{
			reflect.Struct, reflect.Slice, reflect.Pointer, reflect.Map, reflect.Interface, reflect.String, reflect.Bool,
			reflect.Float64, reflect.Uint8, reflect.Int, reflect.Int64,
		}, k, "Catalog.Changes does not know what is the same")
	}
}

// TestCaptures: a definition that reads nothing of its source captures what those read that it
// can set off, in whatever way.
func TestCaptures(t *testing.T) {
	strike := buff.Spec{ID: "strike", Kind: define.Instant, On: buff.Hooks{Exec: []buff.Action{{
		Do: define.DoDamage, Change: &define.Change{Attr: "health", By: ofAttr("power", define.OfSource, 0)},
	}}}}
	member := buff.Spec{ID: "member", Duration: time.Second, Modifiers: []define.Modifier{{Attr: "health", Value: ofAttr("power", define.OfSource, 0)}}}
	apply := []buff.Action{{Do: define.DoApply, Name: "strike"}}
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
			s.On.Remove = map[buff.Reason][]buff.Action{buff.Death: apply}
		case "threshold":
			s.Stack.Thresholds = []define.Threshold{{At: 1, Apply: "strike"}}
		case "over":
			s.Stack.By, s.Stack.OverflowApply = define.BySource, []string{"strike"}
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
			s.On.Apply = []buff.Action{{Do: define.DoApply, Name: "q"}}
			q := buff.Spec{ID: "q", Duration: time.Second, On: buff.Hooks{Pulse: nil, RemoveAny: apply}}
			if name == "ring" {
				q.On.Apply = []buff.Action{{Do: define.DoApply, Name: "p"}}
			}
			specs = append(specs, q)
		}
		c, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{attribute("health"), attribute("power")}, Specs: append(specs, s)})
		require.NoError(t, err, name)
		require.Equal(t, want, c.Spec("p").Captures(), name)
	}
}
