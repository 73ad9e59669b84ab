package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// steady is an engine whose owners each carry a pulse every second, with a handler.
func steady(tb testing.TB, owners, workers int) (*engine.Engine, *buff.Catalog) {
	tb.Helper()
	cat := catalogOf(tb,
		buff.Spec{ID: "venom", Kind: buff.Infinite, Period: time.Second, On: buff.Hooks{Pulse: call("none")}},
		buff.Spec{ID: "long", Duration: buff.MaxDuration},
		buff.Spec{ID: "mark", Duration: time.Hour, Period: time.Minute, Stack: buff.Stacking{By: buff.ByTarget}},
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
		h, _ = e.AddBuff(5, mark)
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
		for b := range e.Buffs(5) {
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

// TestNoAllocationsWithWorkers: the pool makes a goroutine only if it has never had
// as many at once.
func TestNoAllocationsWithWorkers(t *testing.T) {
	e, _ := steady(t, 1000, 2)
	run := func() { e.Tick(time.Second) }
	for range 200 {
		run()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 1.0)
}
