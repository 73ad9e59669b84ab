package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

var roomSpecs = []buff.Spec{
	{ID: "oath", Kind: define.Infinite, OnSourceGone: define.FateRemove},
	{ID: "hit", Kind: define.Instant},
	{ID: "slow", Duration: time.Hour},
	{ID: "dot", Kind: define.Infinite, Period: time.Second, Clock: define.Wall, Save: define.Saving{Offline: define.OfflineAll, OfflineCap: 100_000}},
	{ID: "told", Kind: define.Infinite, Period: time.Second, Clock: define.Wall, Save: define.Saving{Offline: define.OfflineAll, OfflineCap: 100_000}, On: define.Hooks{Pulse: call("hear")}},
}

// away returns the blob of an owner with n buffs of a definition. The owner was saved the given
// time before the instant 0 of the engine.
func away(t *testing.T, o engine.Options, spec string, n int, since time.Duration) []byte {
	t.Helper()
	o.Epoch, o.Trace.Record = o.Epoch.Add(-since), nil
	o.Limits.Events, o.Limits.Handlers = 0, 0
	e := open(t, o)
	spawn(t, e, 1)
	for i := range n {
		r := e.AddBuff(1, buff.Application{Spec: o.Catalog.Spec(spec), Source: buff.OwnerID(i + 1)})
		require.NoError(t, r.Failure)
	}
	blob, err := e.Save(1)
	require.NoError(t, err)
	return blob
}

func roomOptions(t *testing.T) engine.Options {
	specs := append([]buff.Spec{}, roomSpecs...)
	for i := range specs {
		if specs[i].Kind != define.Instant {
			specs[i].Stack.By = define.BySource
		}
	}
	return engine.Options{
		Catalog: catalogOf(t, specs...), Synchronous: true, Epoch: time.UnixMilli(1_700_000_000_000),
		Handlers: engine.Handlers{"hear": func(*engine.Context, buff.Event) {}},
	}
}

// TestP29_Restore checks that the immediate effects of the blobs of a frame, including the pulses
// of the time away, do not exceed Limits.Events, and that a blob without enough room is refused as
// a whole.
func TestP29_Restore(t *testing.T) {
	o := roomOptions(t)
	blob := away(t, o, "dot", 4, 100*time.Second) // 4 restored, 400 pulses
	o.Limits.Events = 1000
	e := open(t, o)
	for id := range buff.OwnerID(2) {
		r, err := e.Restore(id+1, nil, blob)
		require.NoError(t, err)
		require.Equal(t, 4, r.Restored)
	}
	for range 3 {
		r, err := e.Restore(3, nil, blob)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		require.EqualError(t, err, "engine: overloaded: restore owner 3: buff: too much at once: 404 events, and there is room for 192")
		require.Zero(t, r)
		require.Equal(t, 2, e.Owners())
	}
	require.EqualValues(t, 3, e.Stats().Refused)
	f := e.Tick(0)
	require.Equal(t, 808, f.Len())
	_, err := e.Restore(3, nil, blob)
	require.NoError(t, err, "there is room again")
	require.Equal(t, 4, countOf(e, 3))
	require.Equal(t, 404, e.Tick(0).Len())

	// If a blob can never fit, the error says so at once, and how much room it needs.
	most := away(t, o, "dot", 3, 1000*time.Second)
	for range 2 {
		_, err = e.Restore(9, nil, most)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		require.ErrorContains(t, err, "3003 events, and there is room for 1000")
		e.Tick(0)
	}
}

// TestP29_RestoreCalls checks that the calls of handlers by the pulses of the time away do not
// exceed the limit either.
func TestP29_RestoreCalls(t *testing.T) {
	o := roomOptions(t)
	blob := away(t, o, "told", 2, 100*time.Second)
	o.Limits.Handlers = 199
	e := open(t, o)
	_, err := e.Restore(1, nil, blob)
	require.ErrorIs(t, err, engine.ErrOverloaded)
	require.ErrorContains(t, err, "200 handlers, and there is room for 199")
	require.Zero(t, e.Owners())
	heard := 0
	o.Limits.Handlers = 200
	o.Handlers = engine.Handlers{"hear": func(*engine.Context, buff.Event) { heard++ }}
	e = open(t, o)
	_, err = e.Restore(1, nil, blob)
	require.NoError(t, err)
	e.Tick(0)
	require.Equal(t, 200, heard)
}

// TestP29_Calls checks that at the limit of events every call that would emit more events is
// refused, without partial effects.
func TestP29_Calls(t *testing.T) {
	for name, call := range map[string]func(e *engine.Engine) error{
		"Despawn":     func(e *engine.Engine) error { _, err := e.Despawn(1); return err },
		"Drop":        func(e *engine.Engine) error { return e.Drop(1) },
		"Restore":     func(e *engine.Engine) error { _, err := e.Restore(9, nil, nil); return err },
		"LoseSource":  func(e *engine.Engine) error { return e.Do(buff.LoseSource(7)).Failure },
		"Compensate":  func(e *engine.Engine) error { return e.Do(buff.Compensate(buff.Query{}, time.Minute)).Failure },
		"SetArea":     func(e *engine.Engine) error { return e.Do(buff.SetArea(1, 5)).Failure },
		"PauseArea":   func(e *engine.Engine) error { return e.Do(buff.PauseArea(0)).Failure },
		"ResumeArea":  func(e *engine.Engine) error { return e.Do(buff.ResumeArea(0)).Failure },
		"SetAreaRate": func(e *engine.Engine) error { return e.Do(buff.SetAreaRate(0, buff.Ratio{Num: 1, Den: 2})).Failure },
	} {
		t.Run(name, func(t *testing.T) {
			o := roomOptions(t)
			o.Limits.Events = 10
			e := open(t, o)
			spawn(t, e, 1, 2)
			for id := range buff.OwnerID(2) {
				for _, spec := range []string{"oath", "slow"} {
					r := e.AddBuff(id+1, buff.Application{Spec: o.Catalog.Spec(spec), Source: 7})
					require.NoError(t, r.Failure)
				}
			}
			for range 6 {
				add(t, e, 1, o.Catalog.Spec("hit"))
			}
			state := func() (s string) {
				for id := range buff.OwnerID(2) {
					for b := range must(e.Buffs(id + 1)).All() {
						s += fmt.Sprintf("%d %v %v; ", id, b.Handle, b.End)
					}
				}
				return s
			}
			before := state()
			err := call(e)
			require.ErrorIs(t, err, engine.ErrOverloaded)
			require.ErrorContains(t, err, "10 events for the next Frame")
			require.Equal(t, before, state())
			require.EqualValues(t, 1, e.Stats().Refused)
			require.Equal(t, 10, e.Tick(time.Second).Len())
			if name != "Restore" { // there is no blob
				require.NoError(t, call(e), "there is room again")
			}
		})
	}
}

// TestP29_LoseSource checks that a LoseSource is executed for all owners or for none: there is
// room for all of its events, or the frame has no other events yet.
func TestP29_LoseSource(t *testing.T) {
	o := roomOptions(t)
	o.Limits.Events = 10
	for owners, whole := range map[int]bool{9: true, 10: false, 20: false} {
		e := open(t, o)
		for id := range buff.OwnerID(owners) {
			spawn(t, e, id+1)
			r := e.AddBuff(id+1, buff.Application{Spec: o.Catalog.Spec("oath"), Source: 7})
			require.NoError(t, r.Failure)
			e.Tick(0)
		}
		add(t, e, 1, o.Catalog.Spec("hit"))
		err := e.Do(buff.LoseSource(7)).Failure
		require.Equal(t, whole, err == nil, "%d: %v", owners, err)
		if err != nil {
			require.ErrorIs(t, err, engine.ErrOverloaded)
			require.Equal(t, 1, e.Tick(0).Len())
			require.NoError(t, e.Do(buff.LoseSource(7)).Failure)
		}
		e.Tick(0)
		for id := range buff.OwnerID(owners) {
			require.Zero(t, countOf(e, id+1))
		}
	}
}

// TestP29_BusyAmongMany checks that a command for many owners has no effect at all if one of them
// is busy and its mailbox is full.
func TestP29_BusyAmongMany(t *testing.T) {
	o := roomOptions(t)
	o.Synchronous, o.Workers, o.Budget, o.Limits.Mailbox = false, 1, brief, 3
	e := open(t, o)
	cell, in := make(chan struct{}), make(chan struct{})
	spawn(t, e, 1, 2)
	for id := range buff.OwnerID(2) {
		for _, spec := range []string{"oath", "slow"} {
			r := e.AddBuff(id+1, buff.Application{Spec: o.Catalog.Spec(spec), Source: 7})
			require.NoError(t, r.Failure)
		}
	}
	_, err := e.AddTimeout(2, 0, func(*engine.Context) { close(in); <-cell })
	require.NoError(t, err)
	e.Tick(time.Millisecond)
	<-in
	defer close(cell)
	for range 3 {
		require.True(t, e.Do(buff.Kill(2)).Queued)
	}
	require.ErrorIs(t, e.Do(buff.LoseSource(7)).Failure, engine.ErrOverloaded)
	r := e.Do(buff.Compensate(buff.Query{}, time.Hour))
	require.ErrorIs(t, r.Failure, engine.ErrOverloaded)
	require.Zero(t, r.Amount)
	require.Equal(t, 2, countOf(e, 1))
	require.Zero(t, e.Tick(0).Len())
}

func countOf(e *engine.Engine, id buff.OwnerID) (n int) {
	for range must(e.Buffs(id)).All() {
		n++
	}
	return n
}
