package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestP10_StuckOwnerCatchesUp checks that time passes an owner whose handler does not return. When
// the handler returns minutes later, the overdue events are processed in order and within
// Limits.Tick, and game time does not wait for them.
func TestP10_StuckOwnerCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 100
		p := newPrison(t, 10, engine.Options{Workers: 2, Limits: engine.Limits{Tick: limit}})
		p.hold(3)
		others := func(f *engine.Frame) {
			require.Zero(t, f.Behind)
			require.LessOrEqual(t, engine.Worked(p.Engine), limit)
			require.Equal(t, []int64{int64(f.Now)}, at(f, 4, buff.Pulsed, p.beat))
		}
		for range 1000 {
			others(p.Tick(time.Second))
		}
		p.free()
		late, ticks := []int64{}, 0
		for ; p.Busy(3) || ticks == 0; ticks++ {
			f := p.Tick(time.Second)
			others(f)
			late = append(late, at(f, 3, buff.Pulsed, p.beat)...)
		}
		require.Greater(t, ticks, 8, "the limit has done nothing")
		require.Len(t, late, 1000+ticks)
		for i, at := range late {
			require.EqualValues(t, 1000*(i+1), at)
		}
		p.leave(t)
	})
}

// TestP10_LimitAcrossTicks checks that allowances of owners that a Tick no longer waits for are
// still reserved in the following Ticks, and that the events of an owner that was stuck must fit
// into the remaining quota.
func TestP10_LimitAcrossTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 30
		p := newPrison(t, 20, engine.Options{Workers: 1, Limits: engine.Limits{Tick: limit}})
		for id := range buff.OwnerID(20) {
			if id == 10 { // the other owners pulse half a second later
				p.Tick(500 * time.Millisecond)
			}
			add(t, p.Engine, id+1, p.beat)
			add(t, p.Engine, id+1, p.beat)
		}
		p.Tick(0)
		pulses := 0
		tick := func(dt time.Duration) {
			f := p.Tick(dt)
			require.LessOrEqual(t, engine.Worked(p.Engine), limit)
			require.LessOrEqual(t, f.Len(), limit)
			pulses += f.Len()
		}
		p.hold(1)
		for range 4 {
			tick(500 * time.Millisecond) // in the first Tick, only the pulses of the start are due
		}
		p.free()
		for range 3 {
			tick(500 * time.Millisecond)
		}
		for p.Stats().Behind > 0 || p.Stats().Busy > 0 {
			synctest.Wait()
			tick(0)
		}
		now, want := int(p.Now()), 0
		want += 20 * (now / 1000)             // the first buff of each owner
		want += 2 * 10 * (now / 1000)         // the other buffs of owners 1 to 10
		want += 2 * 10 * ((now - 500) / 1000) // and of owners 11 to 20
		require.Equal(t, want, pulses)
		p.leave(t)
	})
}

// TestP10_HeldCounts checks that the events of an owner that was stuck count in the Tick that
// merges them, so that less quota is left for other owners.
func TestP10_HeldCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, own, others = 30, 25, 20
		p := newPrison(t, 1+others, engine.Options{Workers: 2, Limits: engine.Limits{Tick: limit}})
		for range own - 1 {
			add(t, p.Engine, 1, p.beat)
		}
		pulses := 0
		tick := func(dt time.Duration) {
			f := p.Tick(dt)
			require.LessOrEqual(t, f.Len(), limit)
			require.LessOrEqual(t, engine.Worked(p.Engine), limit)
			for id := range buff.OwnerID(1 + others) {
				pulses += len(at(f, id+1, buff.Pulsed, p.beat))
			}
			synctest.Wait()
		}
		tick(0)
		pulses = 0
		p.hold(1)
		tick(time.Second)
		for p.Stats().Behind > 0 {
			tick(0)
		}
		p.free()
		synctest.Wait() // the worker processes all due events of owner 1
		tick(time.Second)
		for p.Stats().Behind > 0 || p.Stats().Busy > 0 {
			tick(0)
		}
		require.Equal(t, 2*(own+others), pulses)
		p.leave(t)
	})
}

// TestP29_CommandsForUnfinishedOwner checks that the commands that wait for an owner whose turn
// was cut short count against Limits.Mailbox until they are executed.
func TestP29_CommandsForUnfinishedOwner(t *testing.T) {
	const limit = 8
	cat := catalogOf(t, buff.Spec{ID: "ends", Duration: time.Second}, buff.Spec{ID: "mark", Kind: define.Infinite})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Tick: 2, Mailbox: limit}})
	spawn(t, e, 1)
	for range 40 {
		add(t, e, 1, cat.Spec("ends"))
	}
	waiting, marks := 0, 0
	for dt := time.Second; dt > 0 || e.Busy(1); dt = 0 {
		for ev := range e.Tick(dt).Events() {
			if ev.Spec == cat.Spec("mark") {
				waiting--
				marks++
			}
		}
		for e.Busy(1) && marks == 0 {
			r := e.AddBuff(1, buff.Application{Spec: cat.Spec("mark")})
			if r.Failure != nil {
				require.ErrorIs(t, r.Failure, engine.ErrOverloaded)
				break
			}
			waiting++
			require.LessOrEqual(t, waiting, limit)
		}
	}
	require.Zero(t, waiting)
	require.Equal(t, limit, marks)
}
