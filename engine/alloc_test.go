package engine_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// steady returns an engine whose owners each have a buff that pulses every second and calls a
// handler.
func steady(tb testing.TB, owners, workers int) (*engine.Engine, *buff.Catalog) {
	tb.Helper()
	cat := catalogOf(tb,
		buff.Spec{ID: "venom", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("none")}},
		buff.Spec{ID: "long", Duration: define.MaxDuration},
		buff.Spec{ID: "mark", Duration: time.Hour, Period: time.Minute, Stack: define.Stacking{By: define.ByTarget}},
	)
	o := engine.Options{Catalog: cat, Handlers: engine.Handlers{"none": func(*engine.Context, buff.Event) {}}}
	mode{workers: workers}.set(&o)
	e := open(tb, o)
	for id := range buff.OwnerID(owners) {
		spawn(tb, e, id)
		add(tb, e, id, cat.Spec("venom"))
	}
	for range 20 {
		e.Tick(time.Second)
	}
	return e, cat
}

func TestNoAllocations(t *testing.T) {
	e, cat := steady(t, 1000, 0)
	mark := buff.Application{Spec: cat.Spec("mark")}
	check := func(name string, want float64, do func()) {
		t.Helper()
		for range 200 {
			do()
		}
		require.LessOrEqual(t, testing.AllocsPerRun(100, do), want, name)
	}
	check("Tick with nothing due", 0, func() { e.Tick(0) })
	check("Tick with 1,000 pulses", 0, func() { e.Tick(time.Second) })
	var h buff.Handle
	check("AddBuff of a new one, and Remove", 0, func() {
		h = e.AddBuff(5, mark).Handle
		e.Remove(h)
		e.Tick(0)
	})
	e.AddBuff(5, mark)
	check("AddBuff of a refresh", 0, func() {
		e.AddBuff(5, mark)
		e.Tick(0)
	})
	carried := 0
	check("Buffs", 0, func() {
		buffs, err := e.Buffs(5)
		if err != nil {
			t.Error(err)
		}
		for b := range buffs.All() {
			carried += b.Stacks
		}
	})
	require.NotZero(t, carried)
	check("Inbox", 0, func() {
		_ = e.Inbox().AddBuff(5, mark)
		e.Tick(0)
	})
	f := func(*engine.Context) {}
	check("AddTimeout and Cancel", 0, func() {
		timeout, _ := e.AddTimeout(5, time.Hour, f)
		e.Cancel(timeout)
		e.Tick(0)
	})
	events := 0
	check("Events", 0, func() {
		for range e.Tick(time.Second).Events() {
			events++
		}
	})
	require.NotZero(t, events)
}

// TestVerbsDoNotAllocate checks that the usual commands of a fight allocate nothing, on the loop
// and in a handler.
func TestVerbsDoNotAllocate(t *testing.T) {
	c := &verbCase{carries: []buff.Spec{
		{ID: "p", Duration: define.MaxDuration, Period: time.Hour, Tags: []string{"fire"}, Params: []define.Param{{Name: "x", Value: define.Caller("x").Or(0)}}},
		{ID: "shield", Kind: define.Infinite, Shield: define.Shield{On: true, Pool: 1 << 60}},
		{ID: "charged", Kind: define.Infinite, Charges: define.Charges{N: define.MaxStacks, ConsumeOn: []string{"cast"}}},
		{ID: "echo", Kind: define.Infinite, On: define.Hooks{Act: map[string][]define.Action{"cast": {
			{Do: define.DoApply, Name: "spark", To: define.ToTarget}, {Do: define.DoApply, Name: "spark"},
		}}}},
		{ID: "spark", Kind: define.Instant},
		{ID: "later", Duration: time.Hour, Tags: []string{"curse"}, Params: []define.Param{{Name: "x", Value: define.Caller("x").Or(0)}}},
	}}
	x := newScene(t, c, engine.Options{Synchronous: true})
	defer shut(t, x.Engine)
	curse, fire, cast := x.tag("curse"), x.tag("fire"), x.act("cast")
	later := buff.Application{Spec: x.cat.Spec("later"), Params: []buff.Arg{{Caller: "x", Value: 1}}}
	taken, failed := int64(0), false
	for name, do := range map[string]func(){
		"Extend, ExtendUpTo, SetRemaining": func() {
			x.Do(buff.Extend(x.h, time.Second))
			x.Do(buff.ExtendUpTo(x.h, time.Second, time.Hour))
			x.Do(buff.SetRemaining(x.h, time.Hour))
		},
		"SetPeriod": func() { x.Do(buff.SetPeriod(x.h, time.Minute)) },
		"Pause, Resume, SetRate": func() {
			x.Do(buff.Pause(1))
			x.Do(buff.Resume(1))
			x.Do(buff.SetRate(1, buff.Ratio{Num: 2, Den: 1}))
			x.Do(buff.SetRate(1, buff.Ratio{}))
		},
		"PauseBuff and ResumeBuff":         func() { x.Do(buff.PauseBuff(x.h)); x.Do(buff.ResumeBuff(x.h)) },
		"Inhibit and Release":              func() { x.Do(buff.Inhibit(x.h)); x.Do(buff.Release(x.h)) },
		"Immunize and DropImmunity":        func() { x.Do(buff.Immunize(1, curse, false)); x.Do(buff.DropImmunity(1, curse)) },
		"Absorb, Consume, Interrupt":       func() { _, _ = x.Absorb(1, 5, fire); x.Do(buff.Consume(1, cast)); x.Do(buff.Interrupt(1, cast)) },
		"Happened, for itself and another": func() { x.Do(buff.Happened(1, cast, 3, 30)) },
		"HasTag, Remaining and Param": func() {
			_, err := x.HasTag(1, fire)
			_, _, again := x.Remaining(1, fire)
			_, _, third := x.Param(x.h, "x")
			failed = failed || err != nil || again != nil || third != nil
		},
		"AddBuff and Dispel": func() {
			x.AddBuff(1, later)
			taken += x.Do(buff.Dispel(1, buff.Query{Tag: curse, Most: 1})).Amount
		},
		"AddBuff, Steal and Dispel": func() {
			x.AddBuff(1, later)
			taken += x.Do(buff.Steal(1, 3, buff.Query{Tag: curse}, 0)).Amount
			x.Do(buff.Dispel(3, buff.Query{}))
		},
	} {
		for range 200 {
			do()
			x.Tick(0)
		}
		require.Zero(t, testing.AllocsPerRun(100, func() { do(); x.Tick(0) }), name)
	}
	require.NotZero(t, taken)
	require.False(t, failed)

	h, err := x.AddTimeout(1, time.Hour, func(*engine.Context) {})
	require.NoError(t, err)
	require.NoError(t, x.Cancel(h).Failure)
	fight := func(c *engine.Context) {
		c.AddBuff(1, later)
		c.AddBuff(3, later)
		c.Do(buff.Steal(1, 3, buff.Query{Tag: curse}, 0))
		c.Do(buff.Dispel(3, buff.Query{Tag: curse}))
		c.Absorb(5, fire)
		c.Do(buff.Consume(1, cast))
		c.Do(buff.Inhibit(x.h))
		c.Do(buff.Release(x.h))
	}
	run := func() {
		_, _ = x.AddTimeout(1, 0, fight)
		x.Tick(time.Millisecond)
	}
	for range 200 {
		run()
	}
	require.Zero(t, testing.AllocsPerRun(100, run), "a handler")
	require.Zero(t, x.Stats().Undelivered)
}

// TestNoAllocationsWithWorkers checks that the pool starts a goroutine only if more workers run at
// once than ever before.
func TestNoAllocationsWithWorkers(t *testing.T) {
	e, _ := steady(t, 1000, 2)
	run := func() { e.Tick(time.Second) }
	for range 200 {
		run()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 1.0)
}

// TestNoAllocationsOfTheCrossIndex checks that the cross-owner index allocates nothing in a
// catalog with source limits, auras and areas: not for owners without such buffs and, once its
// lists have grown, not for searches of auras and evictions of buffs either.
func TestNoAllocationsOfTheCrossIndex(t *testing.T) {
	const owners = 200
	cat := catalogOf(t,
		buff.Spec{ID: "venom", Kind: define.Infinite, Period: time.Second},
		share("mark", 2),
		buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: beacon()},
		buff.Spec{ID: "light", Kind: define.Infinite},
	)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Members: func(q engine.AuraQuery, found func(buff.OwnerID)) {
		for id := range buff.OwnerID(owners / 2) {
			// some members leave and some enter at every search
			found((id + buff.OwnerID(q.Due/500)*q.Bearer) % owners)
		}
	}})
	for id := range buff.OwnerID(owners) {
		spawn(t, e, id)
		add(t, e, id, cat.Spec("venom"))
		addBy(t, e, id, cat.Spec("mark"), id)
	}
	check := func(name string, do func()) {
		t.Helper()
		for range 400 {
			do()
		}
		require.LessOrEqual(t, testing.AllocsPerRun(100, do), 0.0, name)
	}
	check("Tick with 200 pulses", func() { e.Tick(time.Second) })
	to := buff.OwnerID(0)
	check("a mark that takes the place of another", func() {
		to = (to + 1) % owners
		e.AddBuff(to, buff.Application{Spec: cat.Spec("mark"), Source: 1000})
		e.Tick(0)
	})
	add(t, e, 1, cat.Spec("beacon"))
	add(t, e, 3, cat.Spec("beacon"))
	check("a look of two auras with 100 members each", func() { e.Tick(500 * time.Millisecond) })
	require.NotZero(t, carries(e, 1, cat.Spec("light")))
	check("an area that stops and goes on", func() {
		_ = e.Do(buff.PauseArea(0)).Failure
		e.Tick(time.Millisecond)
		_ = e.Do(buff.ResumeArea(0)).Failure
		e.Tick(time.Millisecond)
	})
}
