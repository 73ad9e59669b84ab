package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// share returns a definition with a limit of instances per source.
func share(id string, limit int) buff.Spec {
	return buff.Spec{ID: id, Duration: time.Minute, Stack: define.Stacking{By: define.BySource}, PerSource: define.PerSource{Limit: limit}}
}

// addBy applies a buff of a source, on the loop.
func addBy(t *testing.T, e *engine.Engine, id buff.OwnerID, s *buff.Spec, source buff.OwnerID) buff.Handle {
	t.Helper()
	r := e.AddBuff(id, buff.Application{Spec: s, Source: source})
	h := r.Handle
	require.NoError(t, r.Failure)
	return h
}

// pass lets a span pass in the number of Ticks of the mode, and returns the events.
func (m mode) pass(e *engine.Engine, d time.Duration) (out []string) {
	for n := range m.split {
		part := d / time.Duration(m.split)
		if n == 0 {
			part = d - part*time.Duration(m.split-1)
		}
		out = append(out, lines(e.Tick(part))...)
	}
	return out
}

// inModes runs a test in every mode.
func inModes(t *testing.T, test func(t *testing.T, m mode)) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) { test(t, m) })
	}
}

// TestW07_PerSource checks that with a limit of 1, an application by a source removes the buff of
// its previous application on another owner. A refresh does not count, and each source has its own
// limit.
func TestW07_PerSource(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		o := engine.Options{Catalog: catalogOf(t, share("mark", 1))}
		m.set(&o)
		e, mark := open(t, o), o.Catalog.Spec("mark")
		spawn(t, e, 1, 2)
		addBy(t, e, 1, mark, 7)
		addBy(t, e, 1, mark, 8)
		got := m.pass(e, 5*time.Second)
		addBy(t, e, 1, mark, 8)
		addBy(t, e, 2, mark, 7)
		got = append(got, lines(e.Tick(0))...)
		require.Equal(t, []string{
			"1: 0 apply mark x1 end=60000", "1: 0 apply mark x1 end=60000",
			"1: 5000 refresh mark x1 end=65000", "2: 5000 apply mark x1 end=65000", "1: 5000 remove mark why=replaced",
		}, got)
		require.Empty(t, engine.CheckCrossIndex(e))
	})
}

// TestPerSourceOfHandlers checks that applications by handlers of several owners in one frame are
// counted at its end, in the order of time and not of the owners, and that the oldest buffs are
// removed.
func TestPerSourceOfHandlers(t *testing.T) {
	for _, m := range []mode{modes[0], modes[2], modes[3], modes[4]} {
		t.Run(m.name, func(t *testing.T) {
			o := engine.Options{Catalog: catalogOf(t, share("mark", 2))}
			m.set(&o)
			e, mark := open(t, o), o.Catalog.Spec("mark")
			spawn(t, e, 1, 2, 3, 4)
			for id, delay := range map[buff.OwnerID]time.Duration{1: 4 * time.Second, 2: 3 * time.Second, 3: time.Second, 4: time.Second} {
				_, err := e.AddTimeout(id, delay, func(c *engine.Context) {
					c.AddBuff(c.Owner(), buff.Application{Spec: mark, Source: 7})
				})
				require.NoError(t, err)
			}
			_, err := e.AddTimeout(4, 2*time.Second, func(c *engine.Context) {
				for b := range c.Buffs() {
					c.Remove(b.Handle)
				}
			})
			require.NoError(t, err)
			// makes owner 1 the first one in the frame
			_, err = e.AddTimeout(1, 0, func(*engine.Context) {})
			require.NoError(t, err)
			f := e.Tick(5 * time.Second)
			// Owner 4's buff expired at 2 s, so it did not count at 3 s.
			got := []string{}
			for ev := range f.Events() {
				if ev.Kind == buff.Removed {
					got = append(got, line(ev))
				}
			}
			require.Equal(t, []string{"4: 2000 remove mark why=cancelled", "3: 5000 remove mark why=replaced"}, got)
			require.Empty(t, engine.CheckCrossIndex(e))
			require.Zero(t, e.Stats().Undelivered)
		})
	}
}

// TestPerSourceByActions checks that applications by rules on a worker, and for another owner, are
// counted like all others.
func TestPerSourceByActions(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		o := engine.Options{Catalog: catalogOf(t,
			share("mark", 1),
			buff.Spec{ID: "hex", Duration: time.Second, On: define.Hooks{RemoveAny: []define.Action{{Do: define.DoApply, Name: "mark"}, {Do: define.DoCall, Name: "pass"}}}},
		)}
		o.Handlers = engine.Handlers{"pass": func(c *engine.Context, e buff.Event) {
			c.AddBuff(2, buff.Application{Spec: o.Catalog.Spec("mark"), Source: e.Source})
		}}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1, 2)
		addBy(t, e, 1, o.Catalog.Spec("hex"), 7)
		got := m.pass(e, time.Second)
		require.Equal(t, []string{
			"1: 0 apply hex x1 end=1000", "1: 1000 remove hex why=expired", "1: 1000 apply mark x1 end=61000",
			"2: 1000 apply mark x1 end=61000", "1: 1000 remove mark why=replaced",
		}, got)
		require.Empty(t, engine.CheckCrossIndex(e))
	})
}

// TestPerSourceRing checks a buff on two owners whose end applies it again on the other owner: it
// alternates until the limit of rounds, in each Tick again, and does not block the loop.
func TestPerSourceRing(t *testing.T) {
	spec := share("mark", 1)
	spec.On.RemoveAny = []define.Action{{Do: define.DoApply, Name: "mark"}}
	cat := catalogOf(t, spec)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1, 2)
	addBy(t, e, 1, cat.Spec("mark"), 7)
	addBy(t, e, 2, cat.Spec("mark"), 7)
	for range 3 {
		cascades := 0
		f := e.Tick(time.Millisecond)
		for ev := range f.Events() {
			if ev.Kind == buff.Faulted {
				require.Equal(t, reason.Cascade, ev.Why)
				cascades++
			}
		}
		require.LessOrEqual(t, f.Len(), 6*rules.MaxRounds)
		require.NotZero(t, cascades)
		require.LessOrEqual(t, engine.Owed(e), 1)
	}
}

// TestPerSourceBusy checks that the buff of a busy owner is removed when the owner is idle again,
// even if its mailbox has no room for the command at first.
func TestPerSourceBusy(t *testing.T) {
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := gates{}
			cat := catalogOf(t, share("mark", 1), buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}})
			e := open(t, engine.Options{
				Catalog: cat, Workers: 1, Budget: brief, Limits: engine.Limits{Mailbox: 1}, Handlers: engine.Handlers{"wait": g.wait},
			})
			spawn(t, e, 1, 2)
			addBy(t, e, 1, cat.Spec("mark"), 7)
			addBy(t, e, 1, cat.Spec("hang"), 7)
			g.hold(1)
			e.Tick(time.Second)
			if full {
				require.True(t, e.Do(buff.Kill(1)).Queued)
			}
			addBy(t, e, 2, cat.Spec("mark"), 7)
			require.Equal(t, full, engine.Owed(e) == 1)
			e.Tick(time.Second)
			g.free()
			var got []string
			for range 2 {
				got = append(got, lines(e.Tick(0))...)
				synctest.Wait()
			}
			want := []string{"1: 1000 remove mark why=replaced"}
			if full { // the owner died first
				want = []string{"1: 1000 die", "1: 1000 remove mark why=death"}
			}
			require.Equal(t, want, got)
			require.Zero(t, engine.Owed(e))
			require.Zero(t, e.Stats().Undelivered)
			require.Empty(t, engine.CheckCrossIndex(e))
			shut(t, e)
		})
	}
}

// TestLoseSource checks that owners with buffs of a source that has left lose the buffs or adopt
// them, and that an adopted buff counts for the limit of its new source.
func TestLoseSource(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		pet := buff.Spec{ID: "pet", Kind: define.Infinite, OnSourceGone: define.FateAdopt, PerSource: define.PerSource{Limit: 1}}
		o := engine.Options{Catalog: catalogOf(t,
			buff.Spec{ID: "curse", Kind: define.Infinite, OnSourceGone: define.FateRemove, Stack: define.Stacking{By: define.BySource}},
			buff.Spec{ID: "gift", Kind: define.Infinite}, pet,
		)}
		m.set(&o)
		e, cat := open(t, o), o.Catalog
		spawn(t, e, 3, 2, 1)
		for _, id := range []buff.OwnerID{1, 2, 3} {
			addBy(t, e, id, cat.Spec("curse"), 9)
			addBy(t, e, id, cat.Spec("curse"), 8)
			addBy(t, e, id, cat.Spec("gift"), 9)
		}
		addBy(t, e, 1, cat.Spec("pet"), 9)
		e.Tick(time.Second)
		require.NoError(t, e.Do(buff.LoseSource(9)).Failure)
		require.Equal(t, []string{
			"3: 1000 remove curse why=source_gone", "2: 1000 remove curse why=source_gone", "1: 1000 remove curse why=source_gone",
		}, lines(e.Tick(0)))
		require.Empty(t, engine.CheckCrossIndex(e))
		require.NoError(t, e.Do(buff.LoseSource(9)).Failure)
		require.Zero(t, e.Tick(0).Len())

		addBy(t, e, 2, cat.Spec("pet"), 1) // owner 1 has adopted a buff already
		require.Equal(t, []string{"2: 1000 apply pet x1", "1: 1000 remove pet why=replaced"}, lines(e.Tick(0)))
		require.Empty(t, engine.CheckCrossIndex(e))
	})
}

// TestLoseSourceBusy checks that a busy owner loses the buffs of a source too, including buffs
// that its turn has just applied and that are not indexed yet, and that adopted buffs are indexed
// when it is idle.
func TestLoseSourceBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gates{}
		pet := buff.Spec{ID: "pet", Kind: define.Infinite, OnSourceGone: define.FateAdopt, PerSource: define.PerSource{Limit: 1}}
		cat := catalogOf(t, pet,
			buff.Spec{ID: "curse", Kind: define.Infinite, OnSourceGone: define.FateRemove},
			buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoApply, Name: "curse"}, {Do: define.DoApply, Name: "pet"}, {Do: define.DoCall, Name: "wait"}}}},
		)
		e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief, Handlers: engine.Handlers{"wait": g.wait}})
		spawn(t, e, 1)
		_, err := e.AddTimeout(1, 0, func(c *engine.Context) {
			c.AddBuff(1, buff.Application{Spec: cat.Spec("hang"), Source: 9})
		})
		require.NoError(t, err)
		g.hold(1)
		e.Tick(time.Second)
		require.True(t, e.Busy(1))
		require.NoError(t, e.Do(buff.LoseSource(9)).Failure)
		g.free()
		var got []string
		for range 3 {
			got = append(got, lines(e.Tick(0))...)
			synctest.Wait()
		}
		require.Equal(t, []string{
			"1: 1 timeout", "1: 1 exec hang x1", "1: 1 apply curse x1", "1: 1 apply pet x1", "1: 1000 remove curse why=source_gone",
		}, got)
		require.Empty(t, engine.CheckCrossIndex(e))
		for b := range must(e.Buffs(1)).All() {
			require.EqualValues(t, 1, b.Source)
		}
		shut(t, e)
	})
}

// TestQueueChangesSource checks that in a queue the instance belongs to the source of the running
// application.
func TestQueueChangesSource(t *testing.T) {
	cat := catalogOf(t, buff.Spec{
		ID: "charm", Duration: 10 * time.Second, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue},
		OnSourceGone: define.FateRemove, PerSource: define.PerSource{Limit: 1},
	})
	e, charm := open(t, engine.Options{Catalog: cat, Synchronous: true}), cat.Spec("charm")
	spawn(t, e, 1, 2)
	apply := func(id, source buff.OwnerID, magnitude int64) {
		r := e.AddBuff(id, buff.Application{Spec: charm, Source: source, Magnitude: magnitude})
		require.NoError(t, r.Failure)
		require.Empty(t, engine.CheckCrossIndex(e))
	}
	apply(1, 7, 1)
	apply(1, 8, 2)
	require.NoError(t, e.Do(buff.LoseSource(7)).Failure) // the application of source 7 only waits
	require.Len(t, lines(e.Tick(time.Second)), 2)
	apply(2, 8, 1)
	require.Equal(t, []string{"2: 1000 apply charm x1 end=11000", "1: 1000 remove charm why=replaced"}, lines(e.Tick(0)))
	require.NoError(t, e.Do(buff.LoseSource(8)).Failure)
	require.Equal(t, []string{"2: 1000 remove charm why=source_gone"}, lines(e.Tick(0)))
	require.Empty(t, engine.CheckCrossIndex(e))
}

// TestPerSourceOfTheRestored checks that an owner restored with a buff whose source may have only
// one instance evicts at once, not in the next Tick.
func TestPerSourceOfTheRestored(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		o := engine.Options{Catalog: catalogOf(t, share("mark", 1))}
		m.set(&o)
		e, mark := open(t, o), o.Catalog.Spec("mark")
		spawn(t, e, 1, 2)
		addBy(t, e, 1, mark, 7)
		m.pass(e, 5*time.Second)
		blob, err := e.Despawn(1)
		require.NoError(t, err)
		addBy(t, e, 2, mark, 7)
		_, err = e.Restore(1, nil, blob)
		require.NoError(t, err)
		carried := map[buff.OwnerID]int{}
		for id := range buff.OwnerID(3) {
			if buffs, err := e.Buffs(id); err == nil {
				for range buffs.All() {
					carried[id]++
				}
			}
		}
		require.Len(t, carried, 1, "%v", carried)
		require.Empty(t, engine.CheckCrossIndex(e))
	})
}
