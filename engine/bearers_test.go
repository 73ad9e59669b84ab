package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
)

// bearersCatalog has a mark, and buffs whose actions are for the owners with the mark. An action of
// loop causes itself. The catalog is the next version of the given one, if there is one.
func bearersCatalog(t *testing.T, before *buff.Catalog) *buff.Catalog {
	heal := []define.Action{{Do: define.DoChange, To: define.ToBearers, Of: "mark", Change: &define.Change{Attr: "health", By: define.Number{Const: 5}}}}
	loop := []define.Action{{Do: define.DoApply, Name: "loop", To: define.ToBearers, Of: "loop"}}
	build := buff.Build
	if before != nil {
		build = before.Rebuild
	}
	cat, err := build(buff.Definitions{
		Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health", Base: 100}}},
		Specs: []buff.Spec{
			{ID: "mark", Duration: time.Minute, Stack: define.Stacking{By: define.BySource}},
			{ID: "heal", Kind: define.Instant, On: define.Hooks{Exec: heal}},
			{ID: "aid", Duration: time.Minute, Period: 50 * time.Millisecond, On: define.Hooks{Pulse: heal}},
			{ID: "loop", Duration: time.Minute, Stack: define.Stacking{By: define.BySource}, On: define.Hooks{Apply: loop, Refresh: loop}},
			{ID: "work", Duration: time.Minute, Period: 50 * time.Millisecond, On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "work"}}}},
		},
	})
	require.NoError(t, err)
	return cat
}

// TestBearers checks that an action for bearers changes all owners with the mark of the source, in
// the order of their IDs and with any number of workers, also after the mark has ended or changed
// its owner, and after a Reload.
func TestBearers(t *testing.T) {
	run := func(o engine.Options) (log []string) {
		cat := bearersCatalog(t, nil)
		o.Catalog, o.Handlers = cat, engine.Handlers{"work": func(*engine.Context, buff.Event) {}}
		e := open(t, o)
		apply := func(id buff.OwnerID, spec string, source buff.OwnerID) buff.Handle {
			r := e.AddBuff(id, buff.Application{Spec: e.Catalog().MustSpec(spec), Source: source})
			require.True(t, r.OK())
			return r.Handle
		}
		tick := func() {
			for ev := range e.Tick(50 * time.Millisecond).Events() {
				if ev.Kind == buff.Changed {
					log = append(log, fmt.Sprintf("%d %v", ev.At, ev.Owner))
				}
			}
			require.Empty(t, engine.CheckCrossIndex(e))
		}
		for id := buff.OwnerID(20); id > 0; id-- {
			spawn(t, e, id)
			apply(id, "work", id)
		}
		apply(1, "heal", 1)
		tick()
		require.Empty(t, log, "nobody has the mark")
		third := apply(3, "mark", 1)
		for _, id := range []buff.OwnerID{9, 7, 1} {
			apply(id, "mark", 1)
		}
		apply(8, "mark", 2)
		apply(2, "heal", 1)
		tick()
		require.Equal(t, []string{"50 1", "50 3", "50 7", "50 9"}, log)
		apply(1, "aid", 1)
		apply(2, "aid", 2)
		tick()
		require.True(t, e.Remove(third).OK())
		require.NoError(t, e.Drop(9))
		tick()
		_, err := e.Reload(bearersCatalog(t, cat))
		require.NoError(t, err)
		apply(4, "mark", 1)
		tick()
		return log
	}
	want := run(engine.Options{Synchronous: true})
	require.Greater(t, len(want), 12)
	for _, workers := range []int{1, 2, 8} {
		require.Equal(t, want, run(engine.Options{Workers: workers}), workers)
	}
}

// TestBearers_Endless checks that actions for bearers that cause each other end in each frame.
func TestBearers_Endless(t *testing.T) {
	cat := bearersCatalog(t, nil)
	e := open(t, engine.Options{Synchronous: true, Catalog: cat, Handlers: engine.Handlers{"work": func(*engine.Context, buff.Event) {}}})
	spawn(t, e, 1)
	require.True(t, e.AddBuff(1, buff.Application{Spec: cat.MustSpec("loop"), Source: 1}).OK())
	faults := 0
	for ev := range e.Tick(50 * time.Millisecond).Events() {
		if ev.Kind == buff.Faulted {
			faults++
		}
	}
	require.NotZero(t, faults)
}
