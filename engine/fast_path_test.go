package engine_test

import (
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestEngine_FastPath checks that the fast path of applications and removals has the same results,
// events and statistics as the general path of commands, which a recorded engine uses. It also
// tests refusals at limits.
func TestEngine_FastPath(t *testing.T) {
	limits := []engine.Options{{}, {Limits: engine.Limits{Events: 8}}, {Limits: engine.Limits{Handlers: 2}}, {Limits: engine.Limits{Buffs: 4}}, {Limits: engine.Limits{Events: 30, Handlers: 3, Buffs: 6, Tick: 3}}}
	for seed := range uint64(60) {
		o := limits[seed%uint64(len(limits))]
		o.Synchronous, o.Seed, o.Members = true, seed, near
		o.Catalog = statsOf(t, append(append(append([]buff.Spec{}, simSpecs...), sharedSpecs...), statSpecs...)...)
		o.Handlers = engine.Handlers{"act": func(*engine.Context, buff.Event) {}}
		var specs []*buff.Spec
		for s := range o.Catalog.All() {
			specs = append(specs, s)
		}
		specs = append(specs, nil, catalogOf(t, buff.Spec{ID: "stranger", Kind: define.Infinite}).Spec("stranger"))
		o.Number = 1 // because the handles of both engines are compared
		short, err := engine.New(o)
		require.NoError(t, err)
		o.Trace.Record = io.Discard
		long, err := engine.New(o)
		require.NoError(t, err)
		spawn(t, short, 1, 2, 3, 4)
		spawn(t, long, 1, 2, 3, 4)
		d := rand.New(rand.NewPCG(seed, 9))
		handles := []buff.Handle{0}
		same := func(x, y buff.Result) {
			if x.Failure != nil && y.Failure != nil {
				require.Equal(t, y.Failure.Error(), x.Failure.Error())
				x.Failure, y.Failure = nil, nil
			}
			require.Equal(t, y, x, "seed %d", seed)
		}
		for range 400 {
			h, id := handles[d.IntN(len(handles))], buff.OwnerID(d.IntN(6))
			switch n := d.IntN(20); {
			case n < 10:
				a := buff.Application{
					Spec: specs[d.IntN(len(specs))], Source: buff.OwnerID(d.IntN(5)), Stacks: d.IntN(5) - 1,
					Level: d.IntN(4) - 1, Magnitude: d.Int64N(5),
				}
				if d.IntN(5) == 0 {
					a.Duration = buff.Lasting(time.Duration(d.IntN(4000)-100) * time.Millisecond)
				}
				if d.IntN(8) == 0 {
					a.Scale = buff.Ratio{Num: uint32(d.IntN(3)), Den: uint32(d.IntN(3))}
				}
				r := short.AddBuff(id, a)
				x := r.Handle
				s := long.AddBuff(id, a)
				y := s.Handle
				require.Equal(t, y, x)
				same(r, s)
				handles = append(handles, x)
			case n < 13:
				same(short.Remove(h), long.Remove(h))
			case n < 15:
				k := d.IntN(4) - 1
				same(short.Do(buff.RemoveStacks(h, k, reason.Dispelled)), long.Do(buff.RemoveStacks(h, k, reason.Dispelled)))
			case n == 15:
				same(short.Do(buff.Kill(id)), long.Do(buff.Kill(id)))
			case n == 16:
				require.Equal(t, long.Do(buff.LoseSource(id)).Failure == nil, short.Do(buff.LoseSource(id)).Failure == nil)
			case n == 17 && d.IntN(4) == 0:
				require.Equal(t, long.Drop(id) == nil, short.Drop(id) == nil)
				require.Equal(t, long.Spawn(id, nil) == nil, short.Spawn(id, nil) == nil)
			default:
				dt := time.Duration(d.IntN(700)) * time.Millisecond
				f, g := short.Tick(dt), long.Tick(dt)
				var got, want []buff.Event
				for e := range f.Events() {
					got = append(got, e)
				}
				for e := range g.Events() {
					want = append(want, e)
				}
				require.Equal(t, want, got, "seed %d", seed)
			}
			require.Equal(t, long.Stats(), short.Stats())
			if short.Stats().Busy == 0 {
				require.Empty(t, engine.CheckCrossIndex(short))
				require.Empty(t, engine.CheckSpecCounters(short))
			}
		}
		shut(t, short)
		shut(t, long)
		h := handles[len(handles)-1]
		same(short.Remove(h), long.Remove(h))
		r := short.AddBuff(1, buff.Application{Spec: specs[0]})
		s := long.AddBuff(1, buff.Application{Spec: specs[0]})
		same(r, s)
	}
}
