package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// half is a rate.
var half = buff.Ratio{Num: 1, Den: 2}

// areaEngine returns an engine with owners that each have a buff of 10 s that pulses each second.
func areaEngine(t *testing.T, m mode, ids ...buff.OwnerID) *engine.Engine {
	t.Helper()
	o := engine.Options{Catalog: catalogOf(t, buff.Spec{ID: "venom", Duration: 10 * time.Second, Period: time.Second}, buff.Spec{ID: "local", Kind: define.Infinite, OnArea: define.FateRemove})}
	m.set(&o)
	e := open(t, o)
	spawn(t, e, ids...)
	for _, id := range ids {
		add(t, e, id, o.Catalog.Spec("venom"))
	}
	e.Tick(0)
	return e
}

// TestAreaPause checks that the pause of an area pauses all owners in it and no others, and that
// ends and pulses are later by the length of the pause.
func TestAreaPause(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		e := areaEngine(t, m, 1, 2)
		require.NoError(t, e.Do(buff.SetArea(1, 5)).Failure)
		require.Len(t, m.pass(e, 1500*time.Millisecond), 2)
		require.NoError(t, e.Do(buff.PauseArea(5)).Failure)
		require.NoError(t, e.Do(buff.PauseArea(5)).Failure)
		require.Equal(t, []string{"2: 2000 pulse venom x1"}, m.pass(e, time.Second))
		require.NoError(t, e.Do(buff.ResumeArea(5)).Failure)
		require.Equal(t, []string{"1: 3000 pulse venom x1", "2: 3000 pulse venom x1"}, byOwner(m.pass(e, 500*time.Millisecond)))
		for b := range must(e.Buffs(1)).All() {
			require.EqualValues(t, 11_000, b.End)
		}
		require.NoError(t, e.Do(buff.ResumeArea(77)).Failure)
		_, _, areas := engine.Room(e)
		require.Equal(t, 2, areas)
	})
}

// TestAreaRate checks that in an area with the rate 1/2 everything takes twice as long.
func TestAreaRate(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		e := areaEngine(t, m, 1)
		require.NoError(t, e.Do(buff.SetArea(1, 5)).Failure)
		require.NoError(t, e.Do(buff.SetAreaRate(5, half)).Failure)
		require.Equal(t, []string{"1: 2000 pulse venom x1", "1: 4000 pulse venom x1"}, m.pass(e, 5*time.Second))
		require.NoError(t, e.Do(buff.SetAreaRate(5, buff.Ratio{Num: 3, Den: 3})).Failure)
		require.Equal(t, []string{"1: 5500 pulse venom x1"}, m.pass(e, time.Second))
		for _, wrong := range []buff.Ratio{{Num: 0, Den: 1}, {Num: 1, Den: 0}, {Num: buff.MaxRate + 1, Den: 1}, {Num: 1, Den: buff.MaxRate + 1}} {
			require.ErrorIs(t, e.Do(buff.SetAreaRate(5, wrong)).Failure, buff.ErrRate)
		}
		require.Len(t, m.pass(e, time.Second), 1)
	})
}

// TestArea_EnterAndLeave checks that an owner that enters an area gets the time of this area
// instead of the time of its previous area, independent of its own pause. Owners are in area 0 by
// default.
func TestArea_EnterAndLeave(t *testing.T) {
	e := areaEngine(t, modes[0], 1)
	require.NoError(t, e.Do(buff.PauseArea(5)).Failure)
	require.NoError(t, e.Do(buff.SetAreaRate(6, half)).Failure)
	require.NoError(t, e.Do(buff.SetArea(1, 5)).Failure)
	require.Empty(t, lines(e.Tick(time.Second)))
	require.NoError(t, e.Do(buff.SetArea(1, 6)).Failure)
	require.Empty(t, lines(e.Tick(time.Second)))
	require.Equal(t, []string{"1: 3000 pulse venom x1"}, lines(e.Tick(time.Second)))
	require.NoError(t, e.Do(buff.SetArea(1, 0)).Failure)
	require.Equal(t, []string{"1: 4000 pulse venom x1"}, lines(e.Tick(time.Second)))
	require.NoError(t, e.Do(buff.PauseArea(0)).Failure)
	require.Empty(t, lines(e.Tick(time.Second)))
	spawn(t, e, 2)
	add(t, e, 2, e.Catalog().Spec("venom"))
	require.Equal(t, []string{"2: 5000 apply venom x1"}, lines(e.Tick(5*time.Second)))
	require.NoError(t, e.Do(buff.ResumeArea(0)).Failure)
	require.Equal(t, []string{"1: 11000 pulse venom x1", "2: 11000 pulse venom x1"}, lines(e.Tick(time.Second)))
	require.ErrorIs(t, e.Do(buff.SetArea(3, 1)).Failure, engine.ErrUnknownOwner)

	for range 3 { // an area without owners and with normal time is removed
		require.NoError(t, e.Do(buff.ResumeArea(5)).Failure)
		require.NoError(t, e.Do(buff.SetAreaRate(6, buff.Ratio{})).Failure)
		require.NoError(t, e.Do(buff.SetArea(1, 8)).Failure)
		require.NoError(t, e.Do(buff.SetArea(2, 9)).Failure)
		require.NoError(t, e.Drop(2))
		require.NoError(t, e.Do(buff.SetArea(1, 0)).Failure)
		_, _, areas := engine.Room(e)
		require.Equal(t, 1, areas)
		spawn(t, e, 2)
	}
}

// TestArea_DroppedOwner checks that an owner that was dropped while it was busy is not notified of
// its area's time.
func TestArea_DroppedOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrison(t, 1, engine.Options{Workers: 1})
		p.hold(1)
		p.Tick(time.Second)
		require.NoError(t, p.Drop(1))
		mail := engine.Mail(p.Engine, 0)
		require.NoError(t, p.Do(buff.PauseArea(0)).Failure)
		require.Equal(t, mail, engine.Mail(p.Engine, 0))
		p.leave(t)
	})
}

// TestAreaBusy checks that a busy owner is paused from the instant of the call on or, if its
// mailbox has no room, as soon as there is room.
func TestAreaBusy(t *testing.T) {
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := gates{}
			cat := catalogOf(t,
				buff.Spec{ID: "venom", Duration: 10 * time.Second, Period: time.Second, OnDeath: define.FateKeep},
				buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}},
			)
			e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief, Limits: engine.Limits{Mailbox: 2}, Handlers: engine.Handlers{"wait": g.wait}})
			spawn(t, e, 1)
			add(t, e, 1, cat.Spec("venom"))
			add(t, e, 1, cat.Spec("hang"))
			g.hold(1)
			e.Tick(1500 * time.Millisecond)
			if full {
				e.Do(buff.Kill(1))
				e.Do(buff.Kill(1))
			}
			require.NoError(t, e.Do(buff.PauseArea(0)).Failure)
			require.Equal(t, full, engine.Owed(e) == 1)
			e.Tick(time.Second)
			g.free()
			got := []string{}
			for range 3 {
				got = append(got, lines(e.Tick(0))...)
				synctest.Wait()
			}
			want := []string{"1: 1000 pulse venom x1"}
			if full {
				want = append(want, "1: 1500 die", "1: 2000 pulse venom x1")
			}
			require.Equal(t, want, got)
			require.Empty(t, lines(e.Tick(5*time.Second)))
			require.Zero(t, engine.Owed(e))
			shut(t, e)
		})
	}
}
