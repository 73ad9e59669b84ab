package compile_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/stretchr/testify/require"
)

// TestChanges checks that Changes compares definitions by their contents.
func TestChanges(t *testing.T) {
	build := func(change func(s *buff.Spec)) buff.Definitions {
		n := define.Number{From: define.FromFormula, Formula: &testFormula{text: "1 + 1"}}
		s := buff.Spec{
			ID: "p", Duration: time.Second, PeriodBy: curve(t, define.Point{Value: 1}, define.Point{Level: 9, Value: 2}), DurationScale: &n,
			Params: []define.Param{{Name: "a", Value: n}}, Links: []string{"q"},
			On: define.Hooks{
				Remove: map[reason.Reason][]define.Action{reason.Death: {{Do: define.DoKill}}},
				Apply:  []define.Action{{Do: define.DoDamage, Change: &define.Change{Attr: "health", By: n}}},
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
		"a field":    func(s *buff.Spec) { s.Note = "new" },
		"a tag":      func(s *buff.Spec) { s.Tags = []string{"a"} },
		"a point":    func(s *buff.Spec) { s.PeriodBy = curve(t, define.Point{Value: 1}, define.Point{Level: 9, Value: 3}) },
		"no curve":   func(s *buff.Spec) { s.PeriodBy = nil },
		"a formula":  func(s *buff.Spec) { s.DurationScale.Formula = &testFormula{text: "2"} },
		"no formula": func(s *buff.Spec) { s.DurationScale = &define.Number{} },
		"no scale":   func(s *buff.Spec) { s.DurationScale = nil },
		"a param":    func(s *buff.Spec) { s.Params[0].Value = define.Const(2) },
		"a reason": func(s *buff.Spec) {
			s.On.Remove = map[reason.Reason][]define.Action{reason.Expired: {{Do: define.DoKill}}}
		},
		"two reasons":  func(s *buff.Spec) { s.On.Remove[reason.Expired] = nil },
		"a change":     func(s *buff.Spec) { s.On.Apply[0].Change.PerStack = true },
		"another fate": func(s *buff.Spec) { s.OnArea = define.FateRemove },
	} {
		next, err := c.Rebuild(build(change))
		require.NoError(t, err, name)
		require.Equal(t, []define.SpecChange{{ID: "p", Kind: define.SpecChanged}}, next.Changes(), name)
	}

	// A definition that was removed and added again counts as changed for its running buffs.
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

// TestEveryFieldCounts checks that a change of any field of a definition is reported, including
// fields that are added to Spec later.
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
