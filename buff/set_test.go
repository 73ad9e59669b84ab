package buff_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// rig is a Set with a Turn and a catalog, for tests that need a handle or an
// error in the hand.
type rig struct {
	*testing.T
	catalog *buff.Catalog
	set     *buff.Set
	turn    buff.Turn
}

func newRig(t *testing.T, specs ...buff.Spec) *rig {
	c, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	return &rig{T: t, catalog: c, set: buff.NewSet(1, 5, 0, buff.MaxPerOwner)}
}

func (r *rig) do(at wheel.Time, c buff.Command) buff.Result {
	r.turn.Now = at
	return r.set.Do(&r.turn, at, c)
}

func (r *rig) apply(at wheel.Time, id string) buff.Result {
	return r.do(at, buff.Command{Verb: buff.Apply, Application: buff.Application{Spec: r.catalog.Spec(id)}})
}

func (r *rig) run(until wheel.Time) {
	r.turn.Now = until
	require.True(r, r.set.Run(&r.turn, until, 1<<30))
}

// log returns what has happened since the last log.
func (r *rig) log() []string {
	lines := []string{}
	for _, e := range r.turn.Events {
		lines = append(lines, e.String())
	}
	r.turn.Events = r.turn.Events[:0]
	return lines
}

func call(name string) []buff.Action { return []buff.Action{{Do: buff.DoCall, Name: name}} }

// TestNothingStartsAfterRemoval: once a command that removes a buff has returned,
// no handler of the buff starts but that of its removal.
func TestNothingStartsAfterRemoval(t *testing.T) {
	r := newRig(t, buff.Spec{
		ID: "p", Duration: time.Second, Period: 100 * time.Millisecond, First: buff.FirstStart,
		On: buff.Hooks{Apply: call("apply"), Pulse: call("pulse"), RemoveAny: call("remove")},
	})
	called := []string{}
	r.turn.Call = func(_ *buff.Turn, c *buff.Call) buff.Reason {
		called = append(called, r.catalog.Handlers()[c.Handler])
		return buff.NoReason
	}
	h := r.apply(0, "p").Handle
	r.do(0, buff.Command{Verb: buff.Remove, Handle: h})
	r.run(0)
	require.Equal(t, []string{"remove"}, called)
	require.EqualValues(t, 2, r.turn.Dropped)
}

// TestOrdersAfterNever: an order Never takes the timer away for good, so that the
// next one for the same buff must come without it.
func TestOrdersAfterNever(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Kind: buff.Infinite, Stack: buff.Stacking{By: buff.ByTarget}})
	w := newTinyWheel(nil)
	for i, d := range []time.Duration{time.Second, 0, time.Second} {
		a := buff.Application{Spec: r.catalog.Spec("p")}
		if d > 0 {
			a.Duration = buff.For(d)
		}
		r.do(wheel.Time(i), buff.Command{Verb: buff.Apply, Application: a})
		w.obey(t, r.set)
	}
	require.Len(t, w.timers, 1)
}

// TestGenerationsEnd: a number whose generations run out is not used again, and
// no handle ever comes twice.
func TestGenerationsEnd(t *testing.T) {
	c, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: time.Second})
	require.NoError(t, err)
	apply := buff.Command{Verb: buff.Apply, Application: buff.Application{Spec: c.Spec("p")}}
	later := buff.Command{Verb: buff.AddTimeout, By: time.Hour}
	turn := &buff.Turn{}

	s := buff.NewSet(1, 0, math.MaxUint32-2, 1)
	require.EqualValues(t, math.MaxUint32-2, s.Generation())
	seen := map[buff.Handle]bool{}
	old := map[buff.TimeoutHandle]bool{}
	for range 5 {
		r := s.Do(turn, 0, apply)
		require.NotZero(t, r.Handle)
		require.False(t, seen[r.Handle], "%v comes twice", r.Handle)
		seen[r.Handle] = true
		s.Do(turn, 0, buff.Command{Verb: buff.Remove, Handle: r.Handle})

		x := s.Do(turn, 0, later).Timeout
		require.NotZero(t, x)
		require.False(t, old[x], "%v comes twice", x)
		old[x] = true
		s.Do(turn, 0, buff.Command{Verb: buff.Cancel, Timeout: x})
	}
	require.EqualValues(t, uint32(math.MaxUint32), s.Generation())

	for base := uint32(math.MaxUint32 - 3); base < math.MaxUint32; base++ {
		s := buff.NewSet(1, 0, base, 1)
		for range 6 {
			h := s.Do(turn, 0, apply).Handle
			require.Greater(t, uint32(h), base, "the generation of %v went back", h)
			s.Do(turn, 0, buff.Command{Verb: buff.Remove, Handle: h})
		}
	}
	require.Panics(t, func() { buff.NewSet(1, 0, math.MaxUint32, 1) })
}

func TestProgrammersErrors(t *testing.T) {
	for _, f := range []func(){
		func() { buff.NewSet(1, buff.MaxOwners, 0, 1) },
		func() { buff.NewSet(1, 0, 0, 0) },
		func() { buff.NewSet(1, 0, 0, buff.MaxPerOwner+1) },
	} {
		require.PanicsWithValue(t, "buff: NewSet with a number, generation or limit out of range", f)
	}
	r := newRig(t, buff.Spec{ID: "p", Duration: time.Second})
	h := r.apply(0, "p").Handle
	require.PanicsWithValue(t, "buff: a Command with the verb 0", func() { r.do(0, buff.Command{}) })
	require.PanicsWithValue(t, "buff: a Command with the reason panic, which does not end a buff",
		func() { r.do(0, buff.Command{Verb: buff.Remove, Handle: h, Reason: buff.Panic}) })
	require.Equal(t, 1, r.set.Len())
}

func TestInstantStacksAreCut(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Kind: buff.Instant})
	r.do(0, buff.Command{Verb: buff.Apply, Application: buff.Application{Spec: r.catalog.Spec("p"), Stacks: 1 << 40}})
	require.Equal(t, []string{"0 exec p x32767"}, r.log())
}

// TestGoexit ends the goroutine in which a handler runs; the turn goes on in
// another one, after Abort.
func TestGoexit(t *testing.T) {
	r := newRig(t, buff.Spec{
		ID: "p", Duration: 200 * time.Millisecond, Period: 100 * time.Millisecond, OnFault: buff.FateRemove, On: buff.Hooks{Pulse: call("h")},
	}, buff.Spec{ID: "q", Kind: buff.Instant})
	r.turn.Call = func(turn *buff.Turn, _ *buff.Call) buff.Reason {
		turn.Issue(r.set, buff.Command{Verb: buff.Apply, Application: buff.Application{Spec: r.catalog.Spec("q")}})
		runtime.Goexit()
		return buff.NoReason
	}
	r.apply(0, "p")
	done := make(chan bool)
	go func() {
		defer close(done)
		r.set.Run(&r.turn, 1000, 1<<30)
	}()
	<-done
	r.set.Abort(&r.turn)
	r.set.Abort(&r.turn) // once is enough
	require.True(t, r.set.Run(&r.turn, 1000, 1<<30))
	require.Equal(t, []string{
		"0 apply p x1 end=200",
		"100 pulse p x1",
		"100 error p why=goexit",
		"100 exec q x1",
		"100 remove p why=fault",
	}, r.log())
}
