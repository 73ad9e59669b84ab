package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// timers is a wheel with a timer for each buff, which moves and is removed with the buff.
type timers struct {
	wheel *wheel.Wheel
	of    map[buff.Handle]*timerOf
}

type timerOf struct {
	timer wheel.Handle
	due   wheel.Time
	owner buff.OwnerID
}

// look sets the timers of an owner whose deadlines have changed.
func (w *timers) look(t *testing.T, e *engine.Engine, id buff.OwnerID) {
	buffs, err := e.Buffs(id)
	require.NoError(t, err)
	there := map[buff.Handle]bool{}
	for i := range buffs.All() {
		there[i.Handle] = true
		due := min(i.End, i.NextPulse)
		switch x := w.of[i.Handle]; {
		case x == nil:
			w.of[i.Handle] = &timerOf{w.wheel.Add(due, uint64(i.Handle)), due, id}
		case x.due != due:
			x.due = due
			w.wheel.Move(x.timer, due)
		}
	}
	for h, x := range w.of {
		if x.owner == id && !there[h] {
			w.wheel.Remove(x.timer)
			delete(w.of, h)
		}
	}
}

// due returns the owners of the timers that fire by now, in order, each once.
func (w *timers) due(now wheel.Time) (owners []buff.OwnerID) {
	for _, f := range w.wheel.Advance(now, nil) {
		x := w.of[buff.Handle(f.ID)]
		x.due = -1
		if !slices.Contains(owners, x.owner) {
			owners = append(owners, x.owner)
		}
	}
	return owners
}

// TestTick_OwnersInTimerOrder checks that a frame has its owners in the order of their earliest
// deadlines, and then in the order in which these were set.
func TestTick_OwnersInTimerOrder(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "beat", Duration: 2 * time.Second, Period: 200 * time.Millisecond},
		buff.Spec{ID: "short", Duration: 400 * time.Millisecond},
		buff.Spec{ID: "long", Duration: 2 * time.Second},
	)
	specs := []*buff.Spec{cat.Spec("beat"), cat.Spec("short"), cat.Spec("long")}
	const owners = 40
	turns := 0
	for seed := range uint64(20) {
		dice := rand.New(rand.NewPCG(seed, 5))
		e := open(t, engine.Options{Catalog: cat, Workers: int(seed % 3), Synchronous: seed%2 == 0})
		w := &timers{wheel.New(0), map[buff.Handle]*timerOf{}}
		for id := range buff.OwnerID(owners) {
			spawn(t, e, id+1)
		}
		for range 300 {
			for range dice.IntN(12) {
				id := buff.OwnerID(1 + dice.IntN(owners))
				e.AddBuff(id, buff.Application{Spec: specs[dice.IntN(len(specs))]})
				w.look(t, e, id)
			}
			before := e.Now()
			f := e.Tick(time.Duration(10*(1+dice.IntN(5))) * time.Millisecond)
			var got []buff.OwnerID
			for ev := range f.Events() {
				if ev.At > before && !slices.Contains(got, ev.Owner) {
					got = append(got, ev.Owner)
				}
			}
			want := w.due(f.Now)
			require.Equal(t, want, got, "seed %d, %v", seed, f.Now)
			turns += len(want)
			for _, id := range want {
				w.look(t, e, id)
			}
		}
	}
	require.Greater(t, turns, 10_000)
}

// TestOwner_Timers checks that each buff has one timer, and that a later deadline does not move the
// timer, which then fires early without an event.
func TestOwner_Timers(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "short", Duration: time.Second, Stack: define.Stacking{By: define.ByTarget}}, buff.Spec{ID: "long", Duration: time.Minute})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	for range 10 {
		add(t, e, 1, cat.Spec("long"))
	}
	add(t, e, 1, cat.Spec("short"))
	e.Tick(500 * time.Millisecond)
	require.Equal(t, 11, e.Stats().Timers)
	h := add(t, e, 1, cat.Spec("short")) // refreshed: it ends at 1500
	f := e.Tick(500 * time.Millisecond)
	require.Equal(t, 1, f.Len(), "the refresh, and nothing is due")
	require.EqualValues(t, 1, e.Stats().Fired)
	require.Equal(t, 11, e.Stats().Timers, "it was set anew")
	f = e.Tick(500 * time.Millisecond)
	require.Equal(t, []int64{1500}, at(f, 1, buff.Removed, cat.Spec("short")))
	require.Error(t, e.Remove(h).Failure)
	for range 10 {
		require.NoError(t, e.Do(buff.RemoveSpec(1, cat.Spec("long"), 0, reason.Cancelled)).Failure)
	}
	require.Zero(t, e.Stats().Timers)
}
