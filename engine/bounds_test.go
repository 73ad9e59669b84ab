package engine_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// TestP29_Limits checks that each queue and each table has a limit, and that the error at the
// limit names it with its value. A refused call has no partial effect: one element less is
// accepted, and so is the next element after there is room.
func TestP29_Limits(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "oath", Kind: define.Infinite},
		buff.Spec{ID: "hit", Kind: define.Instant},
		buff.Spec{ID: "told", Kind: define.Instant, On: define.Hooks{Exec: call("hear")}},
	)
	apply := func(e *engine.Engine, spec string) error {
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec(spec)})
		return r.Failure
	}
	timeout := func(e *engine.Engine) error {
		_, err := e.AddTimeout(1, time.Hour, func(*engine.Context) {})
		return err
	}
	owner := buff.OwnerID(1)
	for _, row := range []struct {
		table string
		set   func(o *engine.Options)
		limit int
		add   func(e *engine.Engine) error
		want  error
		says  string
		frees func(e *engine.Engine) // makes room for one element
	}{
		{
			"owners", func(o *engine.Options) { o.Limits.Owners = 5 }, 4,
			func(e *engine.Engine) error {
				err := e.Spawn(owner+1, nil)
				if err == nil {
					owner++
				}
				return err
			},
			engine.ErrTooManyOwners, "the limit is 5", func(e *engine.Engine) { require.NoError(t, e.Drop(owner)); owner += 10 },
		},
		{
			"buffs of an owner", func(o *engine.Options) { o.Limits.Buffs = 5 }, 5,
			func(e *engine.Engine) error { return apply(e, "oath") },
			buff.ErrFull, "5", func(e *engine.Engine) {
				for b := range must(e.Buffs(1)).All() {
					e.Remove(b.Handle)
					break
				}
			},
		},
		{
			"timeouts of an owner", func(o *engine.Options) { o.Limits.Buffs = 5 }, 5, timeout, buff.ErrFull, "5",
			func(e *engine.Engine) { e.Do(buff.Kill(1)); e.Tick(time.Hour) },
		},
		{
			"handlers of an owner", func(o *engine.Options) { o.Limits.Handlers = 5 }, 5,
			func(e *engine.Engine) error { return apply(e, "told") },
			engine.ErrOverloaded, "owner 1, 5 handlers for its next turn", func(e *engine.Engine) { e.Tick(0) },
		},
		{
			"events of a frame", func(o *engine.Options) { o.Limits.Events = 5 }, 5,
			func(e *engine.Engine) error { return apply(e, "hit") },
			engine.ErrOverloaded, "owner 1, 5 events for the next Frame", func(e *engine.Engine) { e.Tick(0) },
		},
		{
			"inbox", func(o *engine.Options) { o.Limits.Inbox = 5 }, 5,
			func(e *engine.Engine) error { return e.Inbox().Do(buff.Kill(1)) },
			engine.ErrInboxFull, "limit 5", func(e *engine.Engine) { e.Tick(0) },
		},
	} {
		t.Run(row.table, func(t *testing.T) {
			o := engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{"hear": func(*engine.Context, buff.Event) {}}}
			row.set(&o)
			e := open(t, o)
			owner = 1
			spawn(t, e, 1)
			for i := range row.limit {
				require.NoError(t, row.add(e), "%d of %d", i+1, row.limit)
			}
			for range 3 {
				err := row.add(e)
				require.ErrorIs(t, err, row.want)
				require.ErrorContains(t, err, row.says)
			}
			row.frees(e)
			require.NoError(t, row.add(e), "there is room again")
		})
	}
}

// TestP29_Mailbox checks the limit of the commands that wait for a busy owner.
func TestP29_Mailbox(t *testing.T) {
	const limit = 5
	cell, in := make(chan struct{}), make(chan struct{})
	e := open(t, engine.Options{Workers: 1, Budget: brief, Limits: engine.Limits{Mailbox: limit}})
	spawn(t, e, 1)
	_, err := e.AddTimeout(1, 0, func(*engine.Context) { close(in); <-cell })
	require.NoError(t, err)
	e.Tick(time.Millisecond)
	<-in
	for range limit {
		_, err := e.AddTimeout(1, time.Hour, func(*engine.Context) {})
		require.NoError(t, err)
	}
	_, err = e.AddTimeout(1, time.Hour, func(*engine.Context) {})
	require.ErrorIs(t, err, engine.ErrOverloaded)
	require.ErrorContains(t, err, "owner 1, 5 commands, since it is busy")
	require.EqualValues(t, 1, e.Stats().Refused)
	close(cell)
	for e.Stats().Busy > 0 {
		e.Tick(0)
	}
	require.Equal(t, limit, engine.Timeouts(e))
}

// TestP29_Areas checks the limit of areas.
func TestP29_Areas(t *testing.T) {
	if !long.On() {
		t.Skip("a million areas: -long")
	}
	e := open(t, engine.Options{Synchronous: true})
	for id := range uint32(buff.MaxOwners - 1) {
		require.NoError(t, e.Do(buff.PauseArea(id+1)).Failure)
	}
	err := e.Do(buff.PauseArea(buff.MaxOwners)).Failure
	require.ErrorIs(t, err, engine.ErrTooManyAreas)
	require.ErrorContains(t, err, fmt.Sprint(buff.MaxOwners))
	require.NoError(t, e.Do(buff.ResumeArea(1)).Failure)
	require.NoError(t, e.Do(buff.PauseArea(buff.MaxOwners)).Failure)
}

// TestP27_CommandsForOthers checks that a handler that issues commands endlessly is stopped, and
// that its commands below the limit are executed.
func TestP27_CommandsForOthers(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant})
	for _, to := range []buff.OwnerID{1, 2} {
		e := open(t, engine.Options{Catalog: cat, Synchronous: true})
		spawn(t, e, 1, 2)
		_, err := e.AddTimeout(1, 0, func(c *engine.Context) {
			for range 2*rules.MaxCommands + 1 {
				c.AddBuff(to, buff.Application{Spec: cat.Spec("hit")})
			}
		})
		require.NoError(t, err)
		done := map[buff.EventKind]int{}
		for range 2 { // commands for other owners have their own part of each Tick
			for ev := range e.Tick(time.Millisecond).Events() {
				done[ev.Kind]++
				if ev.Kind == buff.Faulted {
					require.Equal(t, reason.Cascade, ev.Why)
					require.EqualValues(t, 1, ev.Owner)
				}
			}
		}
		require.Equal(t, map[buff.EventKind]int{buff.TimedOut: 1, buff.Executed: rules.MaxCommands, buff.Faulted: 1}, done, "to %d", to)
	}
}

// heap returns the size of the live heap in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // for memory that finalizers and pools have released
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestP30_Peak checks that after a peak, when no owners are left, the heap is within 5 % of its
// earlier size, however large the peak was, and that no goroutines are left over. The earlier size
// is that of an engine that has had half as many owners, because its lists keep memory for a
// thousand elements.
func TestP30_Peak(t *testing.T) {
	owners := long.Pick(5000, 20_000)
	cat := catalogOf(t,
		buff.Spec{ID: "beat", Duration: 30 * time.Second, Period: 500 * time.Millisecond, PerSource: define.PerSource{Limit: 1 << 20}},
		buff.Spec{ID: "oath", Kind: define.Infinite, Stack: define.Stacking{By: define.BySource}},
	)
	e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: patient})
	cycle := func(n int) {
		for id := range buff.OwnerID(n) {
			spawn(t, e, id)
			for k := range 10 {
				add(t, e, id, cat.Spec([]string{"beat", "oath"}[k%2]))
			}
		}
		e.Tick(time.Second)
		e.Tick(time.Second)
		for id := range buff.OwnerID(n) {
			require.NoError(t, e.Drop(id))
		}
		for range 1200 { // a minute: lists are released after 510 frames without use
			e.Tick(50 * time.Millisecond)
		}
	}
	cycle(owners / 2)
	before, goroutines := heap(), runtime.NumGoroutine()
	cycle(owners)
	after, limit := heap(), before+before/20
	t.Logf("before %d, after %d", before, after)
	require.LessOrEqual(t, after, limit)
	// The runtime's goroutine for cleanups counts while it runs cleanups, which a garbage
	// collection may start. After another garbage collection it has ended.
	for k := 0; k < 100 && runtime.NumGoroutine() > goroutines; k++ {
		heap()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	cycle(owners)
	require.LessOrEqual(t, heap(), limit, "a second peak costs nothing")
	runtime.KeepAlive(e)
}

// TestP30_Reloads checks that a game with many Reloads but a constant number of definitions does
// not use more and more memory.
func TestP30_Reloads(t *testing.T) {
	specs := []buff.Spec{{ID: "a", Duration: time.Minute}, {ID: "b", Duration: time.Minute}}
	cat := catalogOf(t, specs...)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	again := func(times int) {
		for range times {
			cat = next(t, cat, specs...)
			reload(t, e, cat)
			e.Tick(time.Second)
		}
	}
	again(4)
	before := heap()
	again(14)
	require.LessOrEqual(t, heap(), before+256<<10)
	runtime.KeepAlive(e)
}

// TestP30_PeakOfAWorld checks that lists shrink after a peak even if all owners stay.
func TestP30_PeakOfAWorld(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: 10 * time.Second}, buff.Spec{ID: "hit", Kind: define.Instant})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	for id := range buff.OwnerID(1000) {
		spawn(t, e, id)
		for range 5 {
			add(t, e, id, cat.Spec("beat"))
		}
	}
	world := make([]byte, 16<<20) // memory of a game of a thousand players besides the engine
	quiet := func() {
		for range 2400 { // two minutes
			e.Tick(50 * time.Millisecond)
		}
	}
	quiet()
	before := heap()
	for k := range 300_000 {
		if k < 30_000 {
			require.NoError(t, e.Inbox().AddBuff(buff.OwnerID(k%1000), buff.Application{Spec: cat.Spec("hit")}))
		}
		add(t, e, buff.OwnerID(k%1000), cat.Spec("hit"))
	}
	e.Tick(time.Hour)
	for e.Stats().Behind > 0 {
		e.Tick(0)
	}
	quiet()
	// A list may have memory for twice the events of the largest frame, which has 5000 events
	// here.
	require.LessOrEqual(t, heap(), before+before/20+5000*uint64(unsafe.Sizeof(buff.Event{})))
	runtime.KeepAlive(world)
}

// TestP30_AuraTimers checks that an aura has one timer, however often it searches.
func TestP30_AuraTimers(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "light", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}},
		buff.Spec{ID: "lamp", Kind: define.Infinite, Aura: define.Aura{Apply: "light", Interval: 50 * time.Millisecond, Radius: 1}},
	)
	members := func(q engine.AuraQuery, found func(buff.OwnerID)) { found(q.Bearer + 1) }
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Members: members})
	for id := range buff.OwnerID(40) {
		spawn(t, e, id)
		add(t, e, id, cat.Spec("lamp"))
	}
	night := func(frames int) uint64 {
		for range frames {
			e.Tick(50 * time.Millisecond)
		}
		return heap()
	}
	before := night(1000)
	require.LessOrEqual(t, night(10_000), before+32<<10, "400,000 looks around leave nothing")
	runtime.KeepAlive(e)
}

// TestP30_Pairs checks that adding and removing buffs does not make any memory grow.
func TestP30_Pairs(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "venom", Duration: 13 * time.Hour, Period: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	for id := range buff.OwnerID(100) {
		spawn(t, e, id)
	}
	n := long.Times(100_000)
	var before uint64
	for k := range n {
		if k == n/10 {
			before = heap()
		}
		h := add(t, e, buff.OwnerID(k%100), cat.Spec("venom"))
		if r := e.Remove(h); r.Failure != nil {
			require.NoError(t, r.Failure)
		}
		if k%1000 == 0 {
			e.Tick(50 * time.Millisecond)
		}
	}
	after := heap()
	t.Logf("%d pairs, %d bytes before, %d bytes after", n, before, after)
	require.LessOrEqual(t, after, before+before/20)
	require.Zero(t, e.Stats().Timers)
	require.False(t, errors.Is(e.Spawn(1, nil), engine.ErrTooManyOwners))
}
