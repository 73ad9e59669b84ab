package engine_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

var shields = &verbCase{carries: []buff.Spec{
	{ID: "old", Kind: define.Infinite, Shield: define.Shield{On: true, Pool: 100}},
	{ID: "high", Kind: define.Infinite, Shield: define.Shield{On: true, Pool: 50, Priority: 1, Schools: []string{"fire"}}},
}}

// TestAbsorbAnswers checks that the loop and a handler get the rest of the damage at once, even
// for a second Absorb before the used-up shields have broken.
func TestAbsorbAnswers(t *testing.T) {
	t.Run("loop", func(t *testing.T) {
		x := newScene(t, shields, engine.Options{Synchronous: true})
		defer shut(t, x.Engine)
		for _, c := range []struct {
			amount, rest int64
			school       buff.Tag
		}{{30, 0, x.tag("fire")}, {60, 0, 0}, {0, 0, 0}, {100, 40, x.tag("fire")}, {7, 7, 0}} {
			rest, err := x.Absorb(1, c.amount, c.school)
			require.NoError(t, err)
			require.Equal(t, c.rest, rest)
		}
		require.Equal(t, []string{"1: 0 apply old x1", "1: 0 apply high x1", "1: 0 remove old why=broken", "1: 0 remove high why=broken"}, lines(x.Tick(0)))

		for _, c := range []struct {
			of     buff.OwnerID
			amount int64
			err    error
		}{{1, -1, buff.ErrAmount}, {99, 5, engine.ErrUnknownOwner}} {
			rest, err := x.Absorb(c.of, c.amount, 0)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.amount, rest, "nothing was absorbed")
		}
		require.ErrorIs(t, x.Inbox().Absorb(1, -1, 0), buff.ErrAmount)
		require.NoError(t, x.Inbox().Absorb(1, 0, 0), "no damage is an amount")
		const sentence = "engine: Absorb with a tag that is not of this engine's catalog"
		require.PanicsWithValue(t, sentence, func() { _, _ = x.Absorb(1, 1, 77) })
		require.PanicsWithValue(t, sentence, func() { _ = x.Inbox().Absorb(1, 1, 77) })
	})
	t.Run("handler", func(t *testing.T) {
		x := newScene(t, shields, engine.Options{Workers: 2, Budget: patient})
		defer shut(t, x.Engine)
		var rests []int64
		hit := func(c *engine.Context) {
			for range 3 {
				rests = append(rests, c.Absorb(60, x.tag("fire")))
			}
			for range c.Buffs() {
				rests = append(rests, -1) // used-up shields still exist
			}
			require.PanicsWithValue(t, "engine: Absorb of a negative amount", func() { c.Absorb(-1, 0) })
			require.PanicsWithValue(t, "engine: Absorb with a tag that is not of this engine's catalog", func() { c.Absorb(1, 77) })
		}
		// the way to damage another owner
		_, err := x.AddTimeout(2, 0, func(c *engine.Context) { c.AddTimeout(1, 0, hit) })
		require.NoError(t, err)
		x.Tick(time.Second)
		require.Equal(t, []string{"1: 1001 timeout", "1: 1001 remove old why=broken", "1: 1001 remove high why=broken"}, lines(x.Tick(time.Second)))
		require.Equal(t, []int64{0, 0, 30, -1, -1}, rests)
	})
	t.Run("empty", func(t *testing.T) { // a shield without a pool is refused, and absorbs nothing
		cat := catalogOf(t, buff.Spec{ID: "none", Kind: define.Infinite, Shield: define.Shield{On: true}})
		e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: patient})
		spawn(t, e, 1)
		e.AddBuff(1, buff.Application{Spec: cat.Spec("none")})
		rest := int64(-1)
		_, err := e.AddTimeout(1, 0, func(c *engine.Context) { rest = c.Absorb(5, 0) })
		require.NoError(t, err)
		require.Equal(t, []string{"1: 0 deny none why=param", "1: 1 timeout"}, lines(e.Tick(time.Second)))
		require.EqualValues(t, 5, rest)
	})
	t.Run("busy", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			x := newScene(t, shields, engine.Options{Workers: 1, Budget: brief})
			gate := make(chan struct{})
			_, err := x.AddTimeout(1, 0, func(*engine.Context) { <-gate })
			require.NoError(t, err)
			x.Tick(time.Millisecond)
			rest, err := x.Absorb(1, 500, 0)
			require.ErrorIs(t, err, engine.ErrBusy)
			require.EqualValues(t, 500, rest)
			close(gate)
			synctest.Wait()
			x.Tick(0)
			rest, err = x.Absorb(1, 500, 0)
			require.NoError(t, err)
			require.EqualValues(t, 400, rest, "the blow that was refused has not been absorbed later")
			shut(t, x.Engine)
		})
	})
}

// TestResult_Amount checks that Result.Amount is the amount that was removed or used.
func TestResult_Amount(t *testing.T) {
	x := newScene(t, &verbCase{carries: []buff.Spec{
		{ID: "p", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget, Limit: 5, Initial: 3}, Dispel: define.DispelRule{Per: define.PerStack}, Tags: []string{"a"}},
		{ID: "q", Kind: define.Infinite, Interrupt: []string{"move"}, Charges: define.Charges{N: 3, ConsumeOn: []string{"move"}}},
		{ID: "r", Kind: define.Infinite, Tags: []string{"a.b"}},
		{ID: "t", Kind: define.Infinite},
		{ID: "s", Kind: define.Infinite, Dispel: define.DispelRule{Resist: 1000}},
	}}, engine.Options{Synchronous: true})
	defer shut(t, x.Engine)
	require.EqualValues(t, 2, x.Do(buff.Dispel(1, buff.Query{Spec: x.cat.Spec("p"), Most: 2})).Amount)
	require.EqualValues(t, 1, x.Do(buff.Consume(1, x.act("move"))).Amount)
	require.EqualValues(t, 1, x.Do(buff.Interrupt(1, x.act("move"))).Amount)
	require.Zero(t, x.Do(buff.Interrupt(1, 0)).Amount)
	require.EqualValues(t, 1, x.Do(buff.Dispel(1, buff.Query{Newest: true, Most: 1})).Amount, "it resists, and counts")
	require.EqualValues(t, 2, x.Do(buff.Immunize(1, x.tag("a"), true)).Amount)
	require.EqualValues(t, 2, x.Do(buff.Steal(1, 3, buff.Query{}, 0)).Amount, "the one that resists counts")
	require.Equal(t, []string{
		"1: 0 stackend p x2 why=dispelled", "1: 0 stackend p x1 why=dispelled", "1: 0 remove q why=interrupt", "1: 0 deny s why=resist",
		"1: 0 remove p why=immunity", "1: 0 remove r why=immunity", "1: 0 remove t why=stolen", "1: 0 deny s why=resist", "3: 0 apply t x1",
	}, lines(x.Tick(0))[5:])
}

// TestStealOrder checks that in a late frame, the command for a stolen buff is ordered among the
// handlers' own commands for other owners by the time of its cause, and then by the order of
// issue.
func TestStealOrder(t *testing.T) {
	for _, m := range modes {
		if m.split > 1 {
			continue // commands for other owners depend on the frames
		}
		t.Run(m.name, func(t *testing.T) {
			cat := catalogOf(t, buff.Spec{ID: "p", Duration: 20 * time.Second}, buff.Spec{ID: "hit", Kind: define.Instant})
			p, hit := cat.Spec("p"), cat.Spec("hit")
			o := engine.Options{Catalog: cat}
			m.set(&o)
			e := open(t, o)
			spawn(t, e, 1, 2, 3)
			for _, id := range []buff.OwnerID{1, 2} {
				r := e.AddBuff(id, buff.Application{Spec: p, Stacks: 1, Magnitude: int64(id)})
				require.NoError(t, r.Failure)
			}
			mark := func(c *engine.Context, n int64) { c.AddBuff(3, buff.Application{Spec: hit, Magnitude: n}) }
			at := func(id buff.OwnerID, d time.Duration, f func(*engine.Context)) {
				_, err := e.AddTimeout(id, d, f)
				require.NoError(t, err)
			}
			at(2, 2*time.Second, func(c *engine.Context) {
				mark(c, 21)
				// executed after the handler, and so after 22
				c.Do(buff.Steal(2, 3, buff.Query{}, time.Second))
				mark(c, 22)
			})
			at(2, 3*time.Second, func(c *engine.Context) { mark(c, 31) })
			at(1, time.Second, func(c *engine.Context) {
				mark(c, 11)
				c.Do(buff.Steal(1, 3, buff.Query{}, 0))
			})
			at(1, 2*time.Second, func(c *engine.Context) { mark(c, 12) })
			var got []int64
			for ev := range e.Tick(5 * time.Second).Events() {
				if ev.Owner == 3 {
					require.EqualValues(t, 5000, ev.At)
					got = append(got, ev.Magnitude)
					if ev.Kind == buff.Applied {
						require.EqualValues(t, 3, ev.Source, "who steals is the source")
						require.EqualValues(t, map[int64]int64{1: 24_000, 2: 6_000}[ev.Magnitude], ev.End)
					}
				}
			}
			require.Equal(t, []int64{11, 1, 12, 21, 22, 2, 31}, got)
		})
	}
}

// TestSteal_ImpossibleThief checks that a buff is not stolen if the engine already knows that the
// thief cannot get it.
func TestSteal_ImpossibleThief(t *testing.T) {
	c := &verbCase{carries: []buff.Spec{{ID: "p", Kind: define.Infinite}}}
	x := newScene(t, c, engine.Options{Synchronous: true, Limits: engine.Limits{Buffs: 1}})
	defer shut(t, x.Engine)
	r := x.Do(buff.Steal(1, 99, buff.Query{}, 0))
	require.ErrorIs(t, r.Failure, engine.ErrUnknownOwner)
	require.ErrorContains(t, r.Failure, "99")
	require.NoError(t, x.Inbox().Do(buff.Steal(1, 99, buff.Query{}, 0)))
	_, err := x.AddTimeout(2, 0, func(c *engine.Context) { c.Do(buff.Steal(1, 99, buff.Query{}, 0)) })
	require.NoError(t, err)
	x.Tick(time.Millisecond)
	require.EqualValues(t, 2, x.Stats().Undelivered)
	_, found := reply(x.Find(x.h))
	require.True(t, found)

	// A handler of the owner itself cannot know which owners exist at the end of the frame.
	_, err = x.AddTimeout(1, 0, func(c *engine.Context) { c.Do(buff.Steal(1, 99, buff.Query{}, 0)) })
	require.NoError(t, err)
	x.Tick(time.Millisecond)
	require.EqualValues(t, 3, x.Stats().Undelivered)
	_, found = reply(x.Find(x.h))
	require.False(t, found)

	// A thief that has the largest number of buffs loses the stolen buff, and an event says so.
	add(t, x.Engine, 1, x.cat.Spec("p"))
	add(t, x.Engine, 3, x.cat.Spec("p"))
	x.Tick(0)
	require.NoError(t, x.Do(buff.Steal(1, 3, buff.Query{}, 0)).Failure)
	require.Equal(t, []string{"1: 2 remove p why=stolen", "3: 2 deny p why=full"}, lines(x.Tick(0)))
	require.EqualValues(t, 3, x.Stats().Undelivered)
}

// TestSteal_BusyThief checks that a stolen buff waits for a busy thief.
func TestSteal_BusyThief(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &verbCase{carries: []buff.Spec{{ID: "p", Duration: 5 * time.Second}}}
		x := newScene(t, c, engine.Options{Workers: 1, Budget: brief})
		gate := make(chan struct{})
		_, err := x.AddTimeout(3, 0, func(*engine.Context) { <-gate })
		require.NoError(t, err)
		x.Tick(time.Second)
		require.NoError(t, x.Do(buff.Steal(1, 3, buff.Query{}, 0)).Failure)
		require.Equal(t, []string{"1: 1000 remove p why=stolen"}, lines(x.Tick(time.Second)))
		close(gate)
		synctest.Wait()
		require.Equal(t, []string{"3: 1 timeout", "3: 1000 apply p x1 end=5000", "3: 5000 remove p why=expired"}, lines(x.Tick(9*time.Second)))
		shut(t, x.Engine)
	})
}

// TestQueryIsCopied checks that a queued query does not change when the caller changes its own
// query.
func TestQueryIsCopied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &verbCase{carries: []buff.Spec{{ID: "p", Kind: define.Infinite, Tags: []string{"a"}}, {ID: "q", Kind: define.Infinite, Tags: []string{"b"}}, {ID: "r", Kind: define.Infinite, Tags: []string{"c"}}}}
		x := newScene(t, c, engine.Options{Workers: 2, Budget: brief})
		gate := make(chan struct{})
		_, err := x.AddTimeout(1, 0, func(c *engine.Context) {
			c.Do(buff.Dispel(1, buff.Query{Tag: x.tag("c")}))
			for range 100 { // the list of queries grows while queries wait
				c.Do(buff.Dispel(2, buff.Query{Tag: x.tag("c")}))
			}
			<-gate
		})
		require.NoError(t, err)
		x.Tick(time.Millisecond)
		require.True(t, x.Do(buff.Dispel(1, buff.Query{Tag: x.tag("a")})).Queued)
		require.True(t, x.Do(buff.Dispel(1, buff.Query{Tag: x.tag("b")})).Queued)
		x.Do(buff.Dispel(2, buff.Query{}))
		close(gate)
		synctest.Wait()
		require.Equal(t, []string{"1: 1 timeout", "1: 1 remove r why=dispelled", "1: 1 remove p why=dispelled", "1: 1 remove q why=dispelled"}, lines(x.Tick(0)))
		shut(t, x.Engine)
	})
}

// TestParamsAreCopied checks that the caller may change its list of parameters after AddBuff has
// returned, in each lane.
func TestParamsAreCopied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cat := catalogOf(t, buff.Spec{ID: "p", Kind: define.Infinite, Params: []define.Param{{Name: "power", Value: define.Caller("sp")}, {Name: "scale", Value: define.Const(0.5)}}})
		e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: brief})
		spawn(t, e, 1, 2)
		power := 0.0
		list := []buff.Arg{{Caller: "sp"}}
		next := func() buff.Application {
			power++
			list[0].Value = power
			return buff.Application{Spec: cat.Spec("p"), Params: list}
		}
		powers := func(id buff.OwnerID) (out []float64) {
			for b := range must(e.Buffs(id)).All() {
				v, ok := reply(e.Param(b.Handle, "power"))
				require.True(t, ok)
				out = append(out, v)
			}
			return out
		}
		r := e.AddBuff(1, next())
		require.NoError(t, r.Failure)
		for range 2 {
			require.NoError(t, e.Inbox().AddBuff(1, next()))
		}
		gate := make(chan struct{})
		_, err := e.AddTimeout(1, 0, func(c *engine.Context) {
			mine := []buff.Arg{{Caller: "sp"}}
			for k := range 3 {
				mine[0].Value = float64(10 + k)
				c.AddBuff(buff.OwnerID(1+k%2), buff.Application{Spec: cat.Spec("p"), Params: mine})
			}
			<-gate
		})
		require.NoError(t, err)
		e.Tick(time.Millisecond) // the command of the Inbox waits for the busy owner
		for range 2 {
			r := e.AddBuff(1, next())
			require.True(t, r.Queued)
		}
		list[0].Value = math.NaN()
		close(gate)
		synctest.Wait()
		e.Tick(0)
		require.Equal(t, []float64{1, 10, 12, 2, 3, 4, 5}, powers(1))
		require.Equal(t, []float64{11}, powers(2))
		shut(t, e)
	})
}
