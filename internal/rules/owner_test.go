package rules_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// rig is an Owner with a Turn and a catalog, for tests that need a handle or an error.
type rig struct {
	*testing.T
	catalog *buff.Catalog
	set     *rules.Owner
	turn    rules.Turn
}

func newRig(t *testing.T, specs ...buff.Spec) *rig {
	c, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	return &rig{T: t, catalog: c, set: rules.NewOwner(1, 5, 0, buff.MaxPerOwner)}
}

func (r *rig) do(at wheel.Time, c buff.Command) buff.Result {
	r.turn.Now = at
	return r.set.Do(&r.turn, at, c)
}

func (r *rig) apply(at wheel.Time, id string) buff.Result {
	return r.do(at, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: r.catalog.Spec(id)}})
}

func (r *rig) run(until wheel.Time) {
	r.turn.Now = until
	require.True(r, r.set.Run(&r.turn, until, 1<<30))
}

// log returns the events since the last call to log.
func (r *rig) log() []string {
	lines := []string{}
	for _, e := range r.turn.Events {
		lines = append(lines, e.String())
	}
	r.turn.Events = r.turn.Events[:0]
	return lines
}

func call(name string) []define.Action { return []define.Action{{Do: define.DoCall, Name: name}} }

// TestNothingStartsAfterRemoval checks that after a command that removes a buff has returned, no
// handler of the buff starts except the one for the removal.
func TestNothingStartsAfterRemoval(t *testing.T) {
	r := newRig(t, buff.Spec{
		ID: "p", Duration: time.Second, Period: 100 * time.Millisecond, First: define.FirstStart,
		On: define.Hooks{Apply: call("apply"), Pulse: call("pulse"), RemoveAny: call("remove")},
	})
	called := []string{}
	r.turn.Call = func(_ *rules.Turn, c *rules.Call) reason.Reason {
		called = append(called, r.catalog.HandlerName(c.Handler))
		return reason.None
	}
	h := r.apply(0, "p").Handle
	r.do(0, buff.Command{Verb: verb.Remove, Handle: h})
	r.run(0)
	require.Equal(t, []string{"remove"}, called)
	require.EqualValues(t, 2, r.turn.Dropped)
}

// TestDroppedTimeout checks that Dropped counts a timeout that is due in a late frame and that a
// handler cancels just before.
func TestDroppedTimeout(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Duration: time.Second, Period: 300 * time.Millisecond, On: define.Hooks{Pulse: call("pulse")}})
	x := r.do(0, buff.Command{Verb: verb.AddTimeout, By: 500 * time.Millisecond, Name: "late", Do: 1}).Timeout
	r.turn.Call = func(turn *rules.Turn, _ *rules.Call) reason.Reason {
		turn.Issue(r.set, &buff.Command{Verb: verb.Cancel, Timeout: x})
		return reason.None
	}
	r.apply(0, "p")
	r.run(1000)
	require.EqualValues(t, 1, r.turn.Dropped)
}

// TestDeadlineAfterNever checks that a buff that has become infinite has no deadline, and that it
// can get a deadline again.
func TestDeadlineAfterNever(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}})
	w := newTinyWheel()
	w.fail = t.Fatalf
	for i, d := range []time.Duration{time.Second, 0, time.Second} {
		a := buff.Application{Spec: r.catalog.Spec("p")}
		if d > 0 {
			a.Duration = buff.Lasting(d)
		}
		r.do(wheel.Time(i), buff.Command{Verb: verb.Apply, Application: a})
		w.obey(r.set, &r.turn)
		require.Equal(t, d == 0, r.set.Next() == wheel.Never)
	}
}

// TestGenerations_Exhausted checks that an owner number without unused generations is not used
// again, and that no handle is used twice.
func TestGenerations_Exhausted(t *testing.T) {
	c, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: time.Second})
	require.NoError(t, err)
	apply := buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("p")}}
	later := buff.Command{Verb: verb.AddTimeout, Handler: 1, By: time.Hour}
	turn := &rules.Turn{}

	s := rules.NewOwner(1, 0, math.MaxUint32-2, 1)
	require.EqualValues(t, math.MaxUint32-2, s.Generation())
	seen := map[buff.Handle]bool{}
	old := map[buff.TimeoutHandle]bool{}
	for range 5 {
		r := s.Do(turn, 0, apply)
		require.NotZero(t, r.Handle)
		require.False(t, seen[r.Handle], "%v comes twice", r.Handle)
		seen[r.Handle] = true
		s.Do(turn, 0, buff.Command{Verb: verb.Remove, Handle: r.Handle})

		x := s.Do(turn, 0, later).Timeout
		require.NotZero(t, x)
		require.False(t, old[x], "%v comes twice", x)
		old[x] = true
		s.Do(turn, 0, buff.Command{Verb: verb.Cancel, Timeout: x})
	}
	require.EqualValues(t, uint32(math.MaxUint32), s.Generation())

	for base := uint32(math.MaxUint32 - 3); base < math.MaxUint32; base++ {
		s := rules.NewOwner(1, 0, base, 1)
		for range 6 {
			h := s.Do(turn, 0, apply).Handle
			require.Greater(t, uint32(h), base, "the generation of %v went back", h)
			s.Do(turn, 0, buff.Command{Verb: verb.Remove, Handle: h})
		}
	}
	require.Panics(t, func() { rules.NewOwner(1, 0, math.MaxUint32, 1) })
}

func TestProgrammerErrors_Panic(t *testing.T) {
	for _, f := range []func(){
		func() { rules.NewOwner(1, buff.MaxOwners, 0, 1) },
		func() { rules.NewOwner(1, 0, 0, 0) },
		func() { rules.NewOwner(1, 0, 0, buff.MaxPerOwner+1) },
	} {
		require.PanicsWithValue(t, "rules: NewOwner with a number, generation or limit out of range", f)
	}
	r := newRig(t, buff.Spec{ID: "p", Duration: time.Second})
	h := r.apply(0, "p").Handle
	require.PanicsWithValue(t, "buff: a Command with the verb 0", func() { r.do(0, buff.Command{}) })
	require.PanicsWithValue(t, "buff: a Command with the reason panic, which does not end a buff",
		func() { r.do(0, buff.Command{Verb: verb.Remove, Handle: h, Reason: reason.Panic}) })
	require.Equal(t, 1, r.set.Len())
}

// TestInstantHasOneStack checks that an instant buff, which cannot set stacking rules, has one
// stack.
func TestInstantHasOneStack(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Kind: define.Instant})
	r.do(0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: r.catalog.Spec("p"), Stacks: 1 << 40}})
	require.Equal(t, []string{"0 exec p x1"}, r.log())
}

// TestGoexit ends the goroutine that runs a handler. The turn continues on another goroutine after
// Abort.
func TestGoexit(t *testing.T) {
	r := newRig(t, buff.Spec{
		ID: "p", Duration: 200 * time.Millisecond, Period: 100 * time.Millisecond, OnFault: define.FateRemove, On: define.Hooks{Pulse: call("h")},
	}, buff.Spec{ID: "q", Kind: define.Instant})
	r.turn.Call = func(turn *rules.Turn, _ *rules.Call) reason.Reason {
		turn.Issue(r.set, &buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: r.catalog.Spec("q")}})
		runtime.Goexit()
		return reason.None
	}
	r.apply(0, "p")
	done := make(chan bool)
	go func() {
		defer close(done)
		r.set.Run(&r.turn, 1000, 1<<30)
	}()
	<-done
	r.set.Abort(&r.turn)
	r.set.Abort(&r.turn) // a second call has no effect
	require.True(t, r.set.Run(&r.turn, 1000, 1<<30))
	require.Equal(t, []string{
		"0 apply p x1 end=200",
		"100 pulse p x1",
		"100 error p why=goexit",
		"100 remove p why=fault",
		"100 exec q x1",
	}, r.log())
}

// TestHandles checks that a command with a stale or invalid handle, or with a handle of another
// owner, does nothing and fails with ErrStale.
func TestHandles(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Duration: time.Second})
	stale := r.apply(0, "p").Handle
	r.do(0, buff.Command{Verb: verb.Remove, Handle: stale})
	live := r.apply(0, "p").Handle
	require.NotEqual(t, stale, live)
	require.Equal(t, "5/0/2", live.String())
	require.EqualValues(t, 5, live.Number())
	later := r.do(0, buff.Command{Verb: verb.AddTimeout, Handler: 1, By: time.Second}).Timeout
	require.Equal(t, "5/0/1", later.String())
	require.EqualValues(t, 5, later.Number())
	r.log()

	const slot, number = 1 << 32, 1 << 44
	for _, h := range []buff.Handle{0, stale, live + 1, live - 1, live + slot, live + 4095*slot, live + number, live - number, ^buff.Handle(0)} {
		_, found := r.set.Find(h)
		require.False(t, found)
		for _, c := range []buff.Command{{Verb: verb.Remove, Handle: h}, {Verb: verb.Remove, Handle: h, Stacks: 1}, {Verb: verb.Extend, Handle: h, By: 1e9}} {
			res := r.do(0, c)
			require.ErrorIs(t, res.Failure, buff.ErrStale)
			require.Zero(t, res.Kind)
		}
	}
	for _, h := range []buff.TimeoutHandle{0, later + 1, later + slot, later + number, ^buff.TimeoutHandle(0)} {
		require.ErrorIs(t, r.do(0, buff.Command{Verb: verb.Cancel, Timeout: h}).Failure, buff.ErrStale)
	}
	require.Empty(t, r.log())
	require.Equal(t, 1, r.set.Len())
	require.Equal(t, 1, r.set.Timeouts())

	r.run(1000)
	require.ErrorIs(t, r.do(1000, buff.Command{Verb: verb.Cancel, Timeout: later}).Failure, buff.ErrStale, "it has fired")
}

// TestCommandsAreLimited checks that the chain of one event ends at MaxCommands even if it is broad
// and not deep.
func TestCommandsAreLimited(t *testing.T) {
	r := newRig(t,
		buff.Spec{ID: "p", Duration: time.Second, Period: 100 * time.Millisecond, On: define.Hooks{Pulse: call("h")}},
		buff.Spec{ID: "q", Kind: define.Instant})
	q := buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: r.catalog.Spec("q")}}
	r.turn.Call = func(turn *rules.Turn, _ *rules.Call) reason.Reason {
		for range 10_002 {
			turn.Issue(r.set, &q)
		}
		return reason.None
	}
	r.apply(0, "p")
	r.run(100)
	log := r.log()
	require.Len(t, log, 2+1+10_000)
	require.Equal(t, []string{"100 pulse p x1", "100 exec q x1"}, log[1:3])
	require.Equal(t, []string{"100 exec q x1", "100 error cascade"}, log[len(log)-2:])
	r.run(200)
	require.Len(t, r.log(), 1+1+10_000, "the next event begins with nothing spent")
}

// TestRunStopsBetweenEvents checks that a turn may be divided into any number of calls of Run.
func TestRunStopsBetweenEvents(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Duration: 300 * time.Millisecond, Period: 100 * time.Millisecond, On: define.Hooks{Pulse: []define.Action{{Do: define.DoApply, Name: "q"}}}},
		buff.Spec{ID: "q", Kind: define.Instant})
	r.apply(0, "p")
	r.log()
	for _, want := range [][]string{
		{"100 pulse p x1", "100 exec q x1"}, {"200 pulse p x1", "200 exec q x1"}, {"300 pulse p x1", "300 exec q x1"}, {"300 remove p why=expired"},
	} {
		require.False(t, r.set.Run(&r.turn, 400, 0))
		require.Empty(t, r.log())
		require.Equal(t, len(want) == 1, r.set.Run(&r.turn, 400, 1), "the last one is the end")
		require.Equal(t, want, r.log())
	}
	require.True(t, r.set.Run(&r.turn, 400, 0))
	require.EqualValues(t, 4, r.turn.Ran, "what follows from one of them does not count")
}

// TestOwner_Run_NothingDue checks that a Run before an event is due does nothing.
func TestOwner_Run_NothingDue(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Duration: time.Second})
	r.apply(0, "p")
	r.do(0, buff.Command{Verb: verb.AddTimeout, Handler: 1, By: 2 * time.Second, Name: "t"})
	r.log()
	r.run(999)
	require.Empty(t, r.log())
	r.run(5000)
	require.Equal(t, []string{"1000 remove p why=expired", "2000 timeout t"}, r.log())
	r.run(6000)
	require.Empty(t, r.log())
	require.Equal(t, wheel.Never, r.set.Next())
}

// TestTimeoutsAreNeverEarly checks that a delay is rounded up to whole milliseconds.
func TestTimeoutsAreNeverEarly(t *testing.T) {
	for d, want := range map[time.Duration]wheel.Time{
		math.MinInt64: 101, -1: 101, 0: 101, 1: 101, time.Millisecond: 101, time.Millisecond + 1: 102, 2*time.Millisecond - 1: 102, math.MaxInt64: 100 + 9_223_372_036_855,
	} {
		r := newRig(t)
		r.do(100, buff.Command{Verb: verb.AddTimeout, Handler: 1, By: d})
		require.Equal(t, want, r.set.Next(), "%d ns", d)
	}
}

// TestClear checks that Clear ends everything and runs no actions.
func TestClear(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Duration: time.Second, On: define.Hooks{Apply: call("h"), RemoveAny: []define.Action{{Do: define.DoApply, Name: "p"}}}})
	w := newTinyWheel()
	w.fail = t.Fatalf
	r.apply(0, "p")
	r.apply(0, "p")
	r.do(0, buff.Command{Verb: verb.AddTimeout, Handler: 1, By: time.Second})
	w.obey(r.set, &r.turn)
	r.log()
	require.Equal(t, 3, r.set.Clear(&r.turn, 5, reason.Unload), "a timeout and two handlers")
	require.Zero(t, r.set.Pending())
	require.Equal(t, []string{"5 unload p", "5 unload p"}, r.log())
	w.obey(r.set, &r.turn)
	require.Zero(t, r.turn.Waiting)
	r.run(5000)
	require.Empty(t, r.log())

	r.turn.Call = nil
	r.apply(5000, "p")
	r.do(5000, buff.Command{Verb: verb.AddTimeout, Handler: 1, By: time.Second})
	require.False(t, r.set.Run(&r.turn, 9000, 2), "the handler and the end are done, the timeout is to come")
	r.set.Clear(&r.turn, 9000, reason.Unload)
	r.turn.Dropped = 0
	r.run(9000)
	require.Zero(t, r.turn.Dropped, "nothing was left to be dropped")
}

// TestDeadlines checks that a deadline is reported when it becomes earlier, that a later deadline
// is reported when the earlier one has passed, and that an ended buff waits for no deadline.
func TestDeadlines(t *testing.T) {
	r := newRig(t,
		buff.Spec{ID: "p", Duration: time.Second, Period: 100 * time.Millisecond, Stack: define.Stacking{By: define.ByTarget, Limit: 9}},
		buff.Spec{ID: "long", Duration: 40 * 24 * time.Hour},
	)
	took := func(due ...wheel.Time) (d rules.Deadline) {
		t.Helper()
		var got []wheel.Time
		for _, d = range r.turn.Deadlines {
			require.EqualValues(t, 5, d.Place.Number())
			got = append(got, d.Due)
		}
		require.Equal(t, due, got)
		r.turn.Deadlines = r.turn.Deadlines[:0]
		return d
	}
	took()
	r.apply(0, "p")
	d := took(100)
	r.apply(50, "p")
	took() // the next pulse has not moved
	require.True(t, r.set.Waits(d))
	require.True(t, r.set.WaitsBy(100))
	require.False(t, r.set.WaitsBy(99))
	r.run(100)
	require.False(t, r.set.Waits(d))
	d = took(200)
	require.Equal(t, 1, r.turn.Waiting)
	require.NoError(t, r.do(150, buff.Command{Verb: verb.Kill}).Failure)
	took()
	require.False(t, r.set.Waits(d))
	require.Zero(t, r.turn.Waiting)
	r.do(150, buff.Command{Verb: verb.AddTimeout, Handler: 1, By: time.Second})
	d = took(1150)
	require.True(t, r.set.Waits(d))
	r.run(1150)
	require.False(t, r.set.Waits(d))
	r.apply(2000, "long")
	took(2000 + wheel.Horizon)
	r.run(2000 + wheel.Horizon)
	took(2000 + 40*24*3600*1000)
}

func TestLeft(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Duration: time.Second}, buff.Spec{ID: "q", Kind: define.Infinite})
	p, _ := r.set.Find(r.apply(0, "p").Handle)
	q, _ := r.set.Find(r.apply(0, "q").Handle)
	require.Equal(t, 600*time.Millisecond, p.Left(400))
	require.Equal(t, -time.Second, p.Left(2000))
	require.Equal(t, time.Duration(math.MaxInt64), q.Left(400))
	require.EqualValues(t, 1, r.set.ID())
}

// TestEventFields checks the fields of events that are not part of a log line.
func TestEventFields(t *testing.T) {
	r := newRig(t, buff.Spec{ID: "p", Duration: 100 * time.Millisecond, Stack: define.Stacking{By: define.ByTarget}, On: define.Hooks{Overflow: []define.Action{{Do: define.DoApply, Name: "q"}}}}, buff.Spec{ID: "q", Kind: define.Instant})
	apply := func(source buff.OwnerID, magnitude int64) buff.Handle {
		return r.do(0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: r.catalog.Spec("p"), Source: source, Magnitude: magnitude}}).Handle
	}
	h := apply(8, 30)
	apply(9, 40)
	r.run(500)
	p, q := r.catalog.Spec("p"), r.catalog.Spec("q")
	require.Equal(t, []buff.Event{
		{Kind: buff.Applied, Seq: 1, Owner: 1, Source: 8, Spec: p, Handle: h, End: 100, Magnitude: 30, Stacks: 1},
		{Kind: buff.Refreshed, Seq: 2, Owner: 1, Source: 8, Spec: p, Handle: h, End: 100, Magnitude: 40, Stacks: 1},
		{Kind: buff.Executed, Seq: 3, Owner: 1, Source: 9, Spec: q, End: wheel.Never, Magnitude: 40, Stacks: 1},
		{Kind: buff.Removed, At: 100, Seen: 500, Seq: 4, Owner: 1, Source: 8, Spec: p, Handle: h, End: wheel.Never, Magnitude: 40, Stacks: 1, Why: reason.Expired},
	}, r.turn.Events)
}
