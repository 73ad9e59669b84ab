package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// next returns a catalog with the definitions that can replace c.
func next(tb testing.TB, c *buff.Catalog, specs ...buff.Spec) *buff.Catalog {
	tb.Helper()
	n, err := c.Next(specs...)
	require.NoError(tb, err)
	return n
}

func reload(tb testing.TB, e *engine.Engine, c *buff.Catalog) view.ReloadReport {
	tb.Helper()
	r, err := e.Reload(c)
	require.NoError(tb, err)
	return r
}

// TestReloadRefuses checks that a Reload changes nothing if the catalog is not a successor, or
// requires something that the options do not have.
func TestReloadRefuses(t *testing.T) {
	none := func(*engine.Context, buff.Event) {}
	specs := []buff.Spec{{ID: "venom", Duration: time.Minute, On: define.Hooks{Apply: call("known")}}}
	first := catalogOf(t, specs...)
	e := open(t, engine.Options{Catalog: first, Synchronous: true, Handlers: engine.Handlers{"known": none}})
	spawn(t, e, 1)

	second := next(t, first, specs...)
	calling := next(t, second, with(specs[0], func(s *buff.Spec) {
		s.On.Pulse, s.Period = call("unknown"), time.Second
		s.On.RemoveAny = call("neither")
	}))
	aura := next(t, first, append(specs, buff.Spec{ID: "banner", Duration: time.Minute, Aura: define.Aura{Apply: "venom", Radius: 1, Interval: time.Second}})...)
	_, err := e.Reload(calling)
	require.ErrorIs(t, err, engine.ErrUnknownHandler)
	require.EqualError(t, err, "engine: unknown handler: \"unknown\", which the catalog calls\nengine: unknown handler: \"neither\", which the catalog calls")
	_, err = e.Reload(aura)
	require.EqualError(t, err, `engine: Options.Members is missing, but "banner" is an aura`)
	for _, c := range []*buff.Catalog{nil, catalogOf(t, specs...)} {
		_, err = e.Reload(c)
		require.ErrorIs(t, err, engine.ErrLineage)
	}
	require.Same(t, first, e.Catalog())
	require.Zero(t, e.Reloading())

	// The catalog "fixed" is a successor of the refused catalog "calling", without the calls of
	// the unknown handlers.
	fixed := next(t, calling, specs...)
	reload(t, e, fixed)
	require.Same(t, fixed, e.Catalog())
	_, err = e.Reload(second)
	require.ErrorIs(t, err, engine.ErrLineage, "that was before")
	require.Empty(t, reload(t, e, fixed).Changes, "the same again")

	var said any
	_, err = e.AddTimeout(1, 0, func(*engine.Context) {
		defer func() { said = recover() }()
		_, _ = e.Reload(fixed)
	})
	require.NoError(t, err)
	e.Tick(time.Millisecond)
	require.Equal(t, "engine: Reload called from a handler or during a Tick; use the Context or the Inbox", said)
	shut(t, e)
	_, err = e.Reload(next(t, fixed, specs...))
	require.ErrorIs(t, err, engine.ErrClosed)
}

// TestReloadWhileBusy checks that a Reload does not affect an owner whose handler is running.
// Commands that wait for it, and commands of the handler, use the new definitions; its buffs are
// converted when it is idle.
func TestReloadWhileBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		venom := buff.Spec{ID: "venom", Duration: time.Minute, Period: time.Second, On: define.Hooks{Pulse: call("wait")}}
		gone := buff.Spec{ID: "gone", Duration: time.Second}
		mark := buff.Spec{ID: "mark", Duration: time.Minute}
		first := catalogOf(t, gone, venom, mark)
		o := engine.Options{Catalog: first, Workers: 2, Budget: brief, Handlers: engine.Handlers{}}
		called := 0
		o.Handlers["more"] = func(*engine.Context, buff.Event) { called++ }
		o.Handlers["wait"] = func(c *engine.Context, _ buff.Event) {
			<-gate
			c.AddBuff(1, buff.Application{Spec: first.Spec("mark")})
			c.AddBuff(1, buff.Application{Spec: first.Spec("gone")})
			c.AddBuff(2, buff.Application{Spec: first.Spec("gone")})
		}
		e, err := engine.New(o)
		require.NoError(t, err)
		spawn(t, e, 1, 2)
		for _, id := range []buff.OwnerID{1, 2} {
			add(t, e, id, first.Spec("mark"))
		}
		add(t, e, 1, first.Spec("venom"))
		e.Tick(time.Second)
		require.True(t, e.Busy(1))
		r := e.AddBuff(1, buff.Application{Spec: first.Spec("gone")})
		require.True(t, r.Queued)

		// The indexes of the definitions change, but the stuck definition is still reported.
		mark.Duration, mark.Reload, mark.On.Apply = 2*time.Minute, define.ReloadEnd, call("more")
		second := next(t, first, mark, venom)
		require.Equal(t, "removed gone\nchanged mark, 2 live: end", reload(t, e, second).String())
		f := e.Tick(0)
		require.Equal(t, []buff.OwnerID{1}, stuck(f))
		require.Equal(t, "venom", f.Stuck[0].Spec.ID)
		require.Equal(t, []string{"2: 1000 remove mark why=reload"}, lines(f))
		require.Equal(t, 1, e.Reloading())
		require.Equal(t, 1, e.SpecCounters(first.Spec("mark")).Live, "of busy owners as they were")
		close(gate)
		synctest.Wait()
		require.Equal(t, []string{
			"1: 1000 pulse venom x1", "1: 1000 apply mark x1 end=121000", "1: 1000 deny gone why=reload", "1: 1000 deny gone why=reload",
			"2: 1000 deny gone why=reload", "1: 1000 remove mark why=reload",
		}, lines(e.Tick(0)))
		require.Zero(t, e.Reloading())
		require.Equal(t, 1, called, "a handler that only the new set calls")
		require.Equal(t, engine.SpecCounters{Spec: second.Spec("mark"), Live: 1}, e.SpecCounters(first.Spec("mark")))
		require.Equal(t, engine.SpecCounters{Spec: first.Spec("gone"), Gone: true, Denied: 3}, e.SpecCounters(first.Spec("gone")))
		require.Equal(t, engine.SpecCounters{}, e.SpecCounters(catalogOf(t, mark).Spec("mark")))
		shut(t, e)
	})
}

// TestReloadLateFrame checks that in a late frame all events due by then use the old definitions,
// and the buffs are converted afterwards. In the next frame they use the new definitions.
func TestReloadLateFrame(t *testing.T) {
	for _, m := range modes {
		if m.split > 1 {
			continue // the test is about one long frame
		}
		venom := buff.Spec{ID: "venom", Duration: time.Minute, Period: 2 * time.Second, Reload: define.ReloadMigrate}
		first := catalogOf(t, venom)
		o := engine.Options{Catalog: first}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1)
		add(t, e, 1, first.Spec("venom"))
		e.Tick(0)
		venom.Duration, venom.Period = 20*time.Second, 5*time.Second
		reload(t, e, next(t, first, venom))
		require.Equal(t, []string{"1: 2000 pulse venom x1", "1: 4000 pulse venom x1", "1: 5000 refresh venom x1 end=20000"}, lines(e.Tick(5*time.Second)), m.name)
		require.Equal(t, []string{
			"1: 6000 pulse venom x1", "1: 11000 pulse venom x1", "1: 16000 pulse venom x1", "1: 20000 remove venom why=expired",
		}, lines(e.Tick(time.Minute)), m.name)
	}
}

// TestReloadAura checks three changes of an aura by a Reload. If the definition stops being an
// aura, its members leave. If the definition of its buff is removed, it gets no new members. If it
// applies another buff, that buff replaces the old one on the members.
func TestReloadAura(t *testing.T) {
	aura := func(apply string) buff.Spec {
		return buff.Spec{ID: "banner", Duration: time.Hour, Reload: define.ReloadMigrate, Aura: define.Aura{Apply: apply, Radius: 1, Interval: time.Second}}
	}
	plain := buff.Spec{ID: "banner", Duration: time.Hour, Reload: define.ReloadMigrate}
	courage, fear := buff.Spec{ID: "courage", Kind: define.Infinite}, buff.Spec{ID: "fear", Kind: define.Infinite}
	first := catalogOf(t, aura("courage"), courage, fear)
	within := []buff.OwnerID{1, 2}
	e := open(t, engine.Options{Catalog: first, Synchronous: true, Members: func(_ engine.AuraQuery, found func(buff.OwnerID)) {
		for _, id := range within {
			found(id)
		}
	}})
	spawn(t, e, 1, 2, 3)
	add(t, e, 1, first.Spec("banner"))
	e.Tick(time.Second)
	step := func(c *buff.Catalog) []string {
		reload(t, e, c)
		var out []string
		for range 3 {
			out = append(out, lines(e.Tick(time.Second))...)
			require.Empty(t, engine.CheckCrossIndex(e))
		}
		return out
	}
	second := next(t, first, aura("fear"), courage, fear)
	require.Equal(t, []string{
		"1: 2000 refresh banner x1 end=3600000",
		"1: 3000 remove courage why=out_of_aura", "2: 3000 remove courage why=out_of_aura",
		"1: 3000 apply fear x1", "2: 3000 apply fear x1",
	}, step(second))
	third := next(t, second, plain, courage, fear)
	require.Equal(t, []string{
		"1: 5000 refresh banner x1 end=3600000", "1: 6000 remove fear why=out_of_aura", "2: 6000 remove fear why=out_of_aura",
	}, step(third))
	fourth := next(t, third, aura("courage"), courage)
	require.Equal(t, []string{"1: 8000 refresh banner x1 end=3600000", "1: 9000 apply courage x1", "2: 9000 apply courage x1"}, step(fourth))

	// The banner is unchanged, and courage was removed: its members keep it until they leave.
	fifth := next(t, fourth, fear)
	within = []buff.OwnerID{1, 3}
	require.Equal(t, []string{"2: 11000 remove courage why=out_of_aura"}, step(fifth))
	sixth := next(t, fifth, buff.Spec{ID: "courage", Kind: define.Instant})
	require.Empty(t, step(sixth), "an aura cannot apply an instant")
	require.Equal(t, []string{"3: 17000 apply courage x1"}, step(next(t, sixth, courage)))
}
