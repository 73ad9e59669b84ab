package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/stretchr/testify/require"
)

// TestP21_InboxAndMailbox checks the case that an owner is busy, its mailbox is full, and the
// Inbox has more commands than a Tick takes: each command is delivered, counted as undelivered, or
// waits, and the owner gets its commands in order.
func TestP21_InboxAndMailbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant})
		e, err := engine.New(engine.Options{Catalog: cat, Workers: 2, Budget: brief, Limits: engine.Limits{Mailbox: 30, Tick: 80, Inbox: 100}})
		require.NoError(t, err)
		spawn(t, e, 1)
		_, err = e.AddTimeout(1, 0, func(*engine.Context) { <-gate })
		require.NoError(t, err)
		e.Tick(time.Millisecond)
		require.True(t, e.Busy(1))
		accepted, refused := 0, 0
		for k := range 150 {
			if err := e.Inbox().AddBuff(1, buff.Application{Spec: cat.Spec("hit"), Magnitude: int64(k)}); err == nil {
				accepted++
			} else {
				require.ErrorIs(t, err, engine.ErrInboxFull)
				refused++
			}
		}
		require.Equal(t, []int{100, 50}, []int{accepted, refused})
		delivered := 0
		for k, want := range []struct{ inbox, mail, undelivered int }{{80, 20, 0}, {60, 30, 10}, {40, 30, 30}} {
			delivered += len(hits(e.Tick(0)))
			s := e.Stats()
			require.Equal(t, want, struct{ inbox, mail, undelivered int }{s.Inbox, engine.Waits(e, 0), int(s.Undelivered)}, "Tick %d", k)
			require.Equal(t, accepted, delivered+s.Inbox+engine.Waits(e, 0)+int(s.Undelivered))
		}
		close(gate)
		synctest.Wait()
		var got []int64
		for e.Stats().Inbox+e.Stats().Busy > 0 {
			got = append(got, hits(e.Tick(0))...)
			synctest.Wait()
		}
		require.Equal(t, append(upTo(0, 30), upTo(60, 100)...), got)
		require.Equal(t, accepted, len(got)+int(e.Stats().Undelivered))
		shut(t, e)
	})
}

// TestP29_InboxAndEvents checks that events of the loop's calls that fill the Frame do not prevent
// the delivery of accepted commands of the Inbox, and vice versa.
func TestP29_InboxAndEvents(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant})
	hit := buff.Application{Spec: cat.Spec("hit")}
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Events: 10, Inbox: 30, Tick: 160}})
	spawn(t, e, 1)
	for round := range 3 {
		for range 10 {
			add(t, e, 1, hit.Spec)
		}
		r := e.AddBuff(1, hit)
		require.ErrorIs(t, r.Failure, engine.ErrOverloaded)
		for e.Inbox().AddBuff(1, hit) == nil {
		}
		require.Equal(t, 30, e.Stats().Inbox)
		require.Equal(t, 10+20, e.Tick(0).Len(), "round %d", round)
		require.Equal(t, 10, e.Stats().Inbox)
		require.Equal(t, 10, e.Tick(0).Len())
	}
	require.EqualValues(t, 3, e.Stats().InboxRefused)
	require.Zero(t, e.Stats().Undelivered)
}

// TestInbox_ReleasesCommands checks that the Inbox keeps no references to the data of delivered
// commands.
func TestInbox_ReleasesCommands(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	kept := make([]weak.Pointer[[1000]byte], 3)
	for k := range kept {
		big := new([1000]byte)
		kept[k] = weak.Make(big)
		// there is no such owner
		require.NoError(t, e.Inbox().AddTimeout(1, 0, func(*engine.Context) { big[0]++ }))
	}
	runtime.GC()
	require.NotNil(t, kept[0].Value(), "it waits")
	e.Tick(0)
	runtime.GC()
	for k := range kept {
		require.Nil(t, kept[k].Value(), "%d", k)
	}
	runtime.KeepAlive(e)
}

// TestInbox_ReleasesCommandsWhenRecorded checks that the Inbox of an engine that is being recorded
// keeps no references to the data of delivered commands.
func TestInbox_ReleasesCommandsWhenRecorded(t *testing.T) {
	var rec bytes.Buffer
	e := open(t, engine.Options{Synchronous: true, Trace: engine.Trace{Record: &rec}})
	big := new([1000]byte)
	kept := weak.Make(big)
	require.NoError(t, e.Inbox().AddTimeout(1, 0, func(*engine.Context) { big[0]++ }))
	e.Tick(0)
	runtime.GC()
	require.Nil(t, kept.Value())
	runtime.KeepAlive(e)
}

// TestInbox_Statistics checks that while sixteen goroutines post to four producers and others read
// statistics, the loop delivers exactly the accepted commands, those of each producer in order,
// and that the statistics are right.
func TestInbox_Statistics(t *testing.T) {
	const posters, each = 16, 400
	cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Inbox: 64, Tick: 100}})
	spawn(t, e, 1)
	var work sync.WaitGroup
	var accepted [posters]int
	var refused [posters]uint64
	for p := range posters {
		work.Go(func() {
			in := e.Inbox().For(fmt.Sprint(p % 4))
			for k := range each {
				err := in.AddBuff(1, buff.Application{Spec: cat.Spec("hit"), Source: buff.OwnerID(p), Magnitude: int64(k)})
				if err == nil {
					accepted[p]++
				} else if errors.Is(err, engine.ErrInboxFull) {
					refused[p]++
				}
				if n := in.Stats().Waiting; n < 0 || n > 64 {
					panic(fmt.Sprint("Len is ", n))
				}
				_ = in.Stats()
			}
		})
	}
	over := make(chan struct{})
	go func() { work.Wait(); close(over) }()
	var got [posters]int
	last := [posters]int64{}
	tick := func() {
		for ev := range e.Tick(0).Events() {
			got[ev.Source]++
			require.GreaterOrEqual(t, ev.Magnitude, last[ev.Source])
			last[ev.Source] = ev.Magnitude
		}
	}
	for running := true; running; tick() {
		select {
		case <-over:
			running = false
		default:
		}
	}
	for e.Stats().Inbox > 0 {
		tick()
	}
	require.Equal(t, accepted, got)
	var all uint64
	for p := range posters {
		require.EqualValues(t, each, accepted[p]+int(refused[p]))
		all += refused[p]
	}
	require.Equal(t, all, e.Stats().InboxRefused)
	require.NoError(t, e.Inbox().For("0").Do(buff.Kill(1)), "there is room again")
}

// TestP45_ReplayParts checks that a recording has the commands of each Tick in order, and that its
// replay has the same frames, whichever producers posted the commands.
func TestP45_ReplayParts(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant, On: define.Hooks{Exec: call("spread")}})
	hit := cat.Spec("hit")
	o := engine.Options{Catalog: cat, Workers: 2, Budget: patient, Limits: engine.Limits{Tick: 40, Inbox: 50}, Handlers: engine.Handlers{
		"spread": func(c *engine.Context, e buff.Event) {
			for k := range e.Magnitude % 7 {
				c.AddBuff(buff.OwnerID(1+(e.Magnitude+k)%3), buff.Application{Spec: hit, Magnitude: 0})
			}
		},
	}}
	var rec bytes.Buffer
	o.Trace.Record = &rec
	e := open(t, o)
	spawn(t, e, 1, 2, 3)
	var want []string
	for k := range 40 {
		for n := range 20 {
			in := e.Inbox().For([]string{"", "a", "b"}[n%3])
			_ = in.AddBuff(buff.OwnerID(1+n%3), buff.Application{Spec: hit, Magnitude: int64(20*k + n)})
		}
		want = append(want, lines(e.Tick(time.Millisecond))...)
	}
	for e.Stats().Inbox > 0 || engine.Owed(e) > 0 {
		want = append(want, lines(e.Tick(time.Millisecond))...)
	}
	shut(t, e)
	for _, workers := range []int{1, 4} {
		var got []string
		o.Workers, o.Trace.Record = workers, nil
		_, err := replay.Run(bytes.NewReader(rec.Bytes()), o, replay.Game{Frame: func(f *engine.Frame) { got = append(got, lines(f)...) }})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.Greater(t, len(want), 500)
}
