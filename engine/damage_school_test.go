package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
)

// TestDamage_School checks that the reactions to damage have its school, on the damaged owner and on
// the source, and that their handlers see it.
func TestDamage_School(t *testing.T) {
	call := []define.Action{{Do: define.DoCall, Name: "look"}}
	cat, err := buff.Build(buff.Definitions{
		Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health", Base: 100}}},
		Tags:       []string{"fire"},
		Specs: []buff.Spec{
			{ID: "thorns", Duration: time.Minute, On: define.Hooks{Act: map[string][]define.Action{define.ActDamaged: call}}},
			{ID: "leech", Duration: time.Minute, On: define.Hooks{Act: map[string][]define.Action{define.ActDealt: call}}},
		},
	})
	require.NoError(t, err)
	seen := map[string]buff.Tag{}
	e := open(t, engine.Options{Synchronous: true, Catalog: cat, Handlers: engine.Handlers{
		"look": func(_ *engine.Context, e buff.Event) { seen[e.Name] = e.School },
	}})
	spawn(t, e, 1)
	spawn(t, e, 2)
	require.True(t, e.AddBuff(1, buff.Application{Spec: cat.MustSpec("thorns")}).OK())
	require.True(t, e.AddBuff(2, buff.Application{Spec: cat.MustSpec("leech")}).OK())
	fire := cat.MustTag("fire")
	require.True(t, e.Do(buff.Damage(1, cat.MustAttr("health"), 5, fire).From(2)).OK())

	told := map[string]buff.Tag{}
	for range 2 {
		for ev := range e.Tick(time.Millisecond).Events() {
			if ev.Kind == buff.Reacted {
				told[ev.Name] = ev.School
			} else {
				require.Zero(t, ev.School, "%v", ev)
			}
		}
	}
	want := map[string]buff.Tag{define.ActDamaged: fire, define.ActDealt: fire}
	require.Equal(t, want, told)
	require.Equal(t, want, seen)
}
