package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// commandsOf returns random commands of many kinds for known and unknown owners, with valid and
// stale handles.
func commandsOf(dice *rand.Rand, specs []*buff.Spec, handles []buff.Handle) (out []buff.Command) {
	for range dice.IntN(100) {
		id := buff.OwnerID(dice.IntN(60)) // 50 of these exist
		h := buff.Handle(dice.Uint64())
		if len(handles) > 0 && dice.IntN(4) > 0 {
			h = handles[dice.IntN(len(handles))]
		}
		spec := specs[dice.IntN(len(specs))]
		out = append(out, [...]buff.Command{
			buff.Apply(id, buff.Application{Spec: spec, Source: buff.OwnerID(dice.IntN(3)), Stacks: dice.IntN(3)}),
			buff.Apply(id, buff.Application{Spec: spec}),
			buff.Apply(id, buff.Application{Spec: spec, Source: 7}),
			buff.Remove(h),
			buff.RemoveStacks(h, 1, reason.Dispelled),
			buff.RemoveSpec(id, spec, 0, reason.Replaced),
			buff.Extend(h, time.Second),
			buff.Dispel(id, buff.Query{Type: "curse"}),
			buff.Pause(id),
			buff.Resume(id),
			buff.SetRemaining(h, 5*time.Second),
			buff.AddTimeout(id, time.Second, "act"),
			buff.LoseSource(7),
			buff.Kill(id),
			buff.Revive(id),
		}[dice.IntN(15)])
	}
	return out
}

// TestDoAllBounded checks that Limits.Events applies within one call of DoAll, and that each
// command has its own Result.
func TestDoAllBounded(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Events: 100}})
	spawn(t, e, 1)
	commands := make([]buff.Command, 1000)
	for k := range commands {
		commands[k] = buff.Apply(1, buff.Application{Spec: cat.Spec("hit")})
	}
	for k, r := range e.DoAll(nil, commands) {
		if k < 100 {
			require.NoError(t, r.Failure)
		} else {
			require.ErrorIs(t, r.Failure, engine.ErrOverloaded)
		}
	}
	require.Equal(t, 100, e.Tick(time.Second).Len())
}

// TestDoAll checks that DoAll has the same results, events and recording as calls of Do one after
// the other, also for busy owners.
func TestDoAll(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		var rec [2]bytes.Buffer
		var logs [2][]string
		for k := range 2 {
			cat := catalogOf(t,
				buff.Spec{ID: "venom", Duration: 9 * time.Second, Period: time.Second, Stack: define.Stacking{By: define.BySource, Limit: 5}, On: define.Hooks{Pulse: call("act")}},
				buff.Spec{ID: "curse", Dispel: define.DispelRule{Type: "curse"}, Duration: 20 * time.Second, Stack: define.Stacking{By: define.ByTarget}},
				buff.Spec{ID: "alone", Duration: 3 * time.Second},
			)
			o := engine.Options{Catalog: cat, Synchronous: true, Seed: 5, Number: 3, Handlers: engine.Handlers{"act": func(c *engine.Context, e buff.Event) {
				// for another owner
				c.AddBuff(1+c.Owner()%50, buff.Application{Spec: cat.Spec("curse")})
			}}}
			if recorded {
				o.Trace.Record = &rec[k]
			}
			e := open(t, o)
			for id := range buff.OwnerID(50) {
				spawn(t, e, id+1)
			}
			specs := []*buff.Spec{cat.Spec("venom"), cat.Spec("curse"), cat.Spec("alone")}
			dice := rand.New(rand.NewPCG(1, 2))
			var handles []buff.Handle
			for range 300 {
				commands := commandsOf(dice, specs, handles)
				kept := fmt.Sprint(commands)
				var results []buff.Result
				if k == 0 {
					results = e.DoAll(nil, commands)
				} else {
					for _, c := range commands {
						results = append(results, e.Do(c))
					}
				}
				require.Len(t, results, len(commands))
				require.Equal(t, kept, fmt.Sprint(commands), "they are the caller's")
				for _, r := range results {
					if r.Kind == buff.Applied {
						handles = append(handles, r.Handle)
					}
					logs[k] = append(logs[k], fmt.Sprint(r))
				}
				if dice.IntN(2) == 0 {
					require.NoError(t, e.Inbox().Do(buff.Apply(3, buff.Application{Spec: specs[1]})))
				}
				logs[k] = append(logs[k], lines(e.Tick(250*time.Millisecond))...)
			}
		}
		require.Greater(t, len(logs[0]), 20_000)
		require.Equal(t, logs[1], logs[0])
		require.Equal(t, rec[1].Bytes(), rec[0].Bytes())
		require.Equal(t, recorded, rec[0].Len() > 0)
	}
}

// TestDoAllBusy checks that prefetching does not read busy owners, and that they execute their
// commands later.
func TestDoAllBusy(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "mark", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget}})
	e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: time.Millisecond})
	spawn(t, e, 1, 2)
	gate, in := make(chan struct{}), make(chan struct{})
	_, err := e.AddTimeout(1, 0, func(c *engine.Context) {
		close(in)
		<-gate
	})
	require.NoError(t, err)
	e.Tick(time.Second)
	<-in
	mark := buff.Application{Spec: cat.Spec("mark")}
	results := e.DoAll(nil, []buff.Command{buff.Apply(1, mark), buff.Apply(2, mark), buff.Apply(3, mark)})
	require.True(t, results[0].Queued)
	require.Equal(t, buff.Applied, results[1].Kind)
	require.ErrorIs(t, results[2].Failure, engine.ErrUnknownOwner)
	close(gate)
	require.NoError(t, e.Close(context.Background()))
}

// TestDoAllAllocates checks that DoAll does not allocate if there is room for the results.
func TestDoAllAllocates(t *testing.T) {
	e, cat := steady(t, 1000, 0)
	var commands []buff.Command
	for id := range buff.OwnerID(100) {
		commands = append(commands, buff.Apply(id, buff.Application{Spec: cat.Spec("mark")}))
	}
	results := make([]buff.Result, 0, len(commands))
	do := func() {
		results = e.DoAll(results[:0], commands)
		for k, r := range results {
			if e.Remove(r.Handle).Kind != buff.Removed {
				t.Errorf("command %d: %v", k, r)
			}
		}
		e.Tick(0)
	}
	for range 20 {
		do()
	}
	require.Zero(t, testing.AllocsPerRun(100, do))
}

// TestEngine_DoAll_InvalidCommand checks that an invalid command panics as in Do, even if it
// resembles the command that DoAll executes on a fast path.
func TestEngine_DoAll_InvalidCommand(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	spawn(t, e, 1)
	for _, change := range []func(c *buff.Command){
		func(c *buff.Command) { c.Tag = 1 },
		func(c *buff.Command) { c.Query.Tag = 1 },
		func(c *buff.Command) { c.Whose = 100 },
		func(c *buff.Command) { c.Reason = reason.Limit },
	} {
		c := buff.Remove(buff.Handle(1))
		change(&c)
		require.Panics(t, func() { e.Do(c) })
		require.Panics(t, func() { e.DoAll(nil, []buff.Command{c}) })
	}
}
