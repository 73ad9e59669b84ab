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

// TestApplication_BusySource checks that an application that reads attributes of a busy source
// waits until the source can be read, in each lane, and then uses the values of that time. An
// application that reads no attributes does not wait, and a source that is not in the engine has
// no attributes.
func TestApplication_BusySource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 3
		cat := statsOf(t,
			buff.Spec{ID: "burn", Kind: define.Infinite, Params: []define.Param{{Name: "power", Value: define.Number{
				From: define.FromAttr, Attr: "power", Of: define.OfSource, Snapshot: define.SnapshotApply, Const: -1, Default: true,
			}}}},
			buff.Spec{ID: "plain", Kind: define.Infinite},
		)
		power := attrOf(cat, "power")
		e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: brief, Limits: engine.Limits{Mailbox: limit}})
		spawn(t, e, 1, 2, 3)
		gate := make(chan struct{})
		_, err := e.AddTimeout(2, 0, func(c *engine.Context) { <-gate; c.Do(buff.SetBase(2, power, 77)) })
		require.NoError(t, err)
		e.Tick(time.Second)
		require.True(t, e.Busy(2))

		burn := func(source buff.OwnerID) buff.Application {
			return buff.Application{Spec: cat.Spec("burn"), Source: source}
		}
		r := e.AddBuff(1, burn(2))
		h := r.Handle
		require.Equal(t, buff.Result{Queued: true}, r)
		require.Zero(t, h)
		r = e.AddBuff(1, burn(99))
		require.Equal(t, buff.Applied, r.Kind, "nobody can be asked, now or later")
		r = e.AddBuff(1, buff.Application{Spec: cat.Spec("plain"), Source: 2})
		require.Equal(t, buff.Applied, r.Kind)
		require.NoError(t, e.Inbox().AddBuff(1, burn(2)))
		_, err = e.AddTimeout(3, 0, func(c *engine.Context) { c.AddBuff(1, burn(2)) })
		require.NoError(t, err)
		require.Equal(t, []string{"1: 1000 apply burn x1", "1: 1000 apply plain x1", "3: 1001 timeout"}, lines(e.Tick(time.Second)))
		r = e.AddBuff(1, burn(2))
		require.ErrorIs(t, r.Failure, engine.ErrOverloaded, "the mailbox of the source has a limit")

		close(gate)
		var got []string
		for range 3 {
			synctest.Wait()
			got = append(got, lines(e.Tick(0))...)
		}
		require.Equal(t, []string{
			"2: 1 timeout", "2: 1 change power by=67 value=77",
			"1: 2000 apply burn x1", "1: 2000 apply burn x1", "1: 2000 apply burn x1",
		}, got)
		powers := []float64{}
		for b := range must(e.Buffs(1)).All() {
			if b.Spec == cat.Spec("burn") {
				v, _ := reply(e.Param(b.Handle, "power"))
				powers = append(powers, v)
			}
		}
		require.Equal(t, []float64{-1, 77, 77, 77}, powers)
		require.Zero(t, e.Stats().Undelivered)
	})
}

// TestApplication_BusySourceAndReload checks that an application that waits for a busy source is
// evaluated with the definition that is current then. The source leaves right after that, so the
// values cannot be read again.
func TestApplication_BusySourceAndReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		burn := func(attr string) buff.Spec {
			return buff.Spec{ID: "burn", Kind: define.Infinite, Params: []define.Param{{Name: "strength", Value: define.Number{
				From: define.FromAttr, Attr: attr, Of: define.OfSource, Snapshot: define.SnapshotApply, Const: -1, Default: true,
			}}}}
		}
		cat := statsOf(t, burn("power"))
		e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: brief})
		spawn(t, e, 1, 2)
		require.NoError(t, e.Do(buff.SetBase(2, attrOf(cat, "power"), 7)).Failure)
		require.NoError(t, e.Do(buff.SetBase(2, attrOf(cat, "health"), 60)).Failure)
		gate := make(chan struct{})
		_, err := e.AddTimeout(2, 0, func(*engine.Context) { <-gate })
		require.NoError(t, err)
		e.Tick(time.Second)
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec("burn"), Source: 2})
		require.Equal(t, buff.Result{Queued: true}, r)
		reload(t, e, next(t, cat, burn("health")))
		require.NoError(t, e.Drop(2))
		close(gate)
		for range 3 {
			synctest.Wait()
			e.Tick(0)
		}
		n := 0
		for b := range must(e.Buffs(1)).All() {
			n++
			v, known := reply(e.Param(b.Handle, "strength"))
			require.True(t, known)
			require.EqualValues(t, 60, v)
		}
		require.Equal(t, 1, n)
		shut(t, e)
	})
}
