package engine_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestInboxProducers checks that while 16 goroutines post and the loop ticks, the commands of each
// goroutine keep their order, and each accepted command is delivered or counted as undelivered.
func TestInboxProducers(t *testing.T) {
	const producers, each, owners = 16, 600, 10
	cat := catalogOf(t,
		buff.Spec{ID: "hit", Kind: define.Instant},
		buff.Spec{ID: "long", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}},
	)
	hit, long := cat.Spec("hit"), cat.Spec("long")
	e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: patient, Limits: engine.Limits{Inbox: 500, Buffs: buff.MaxPerOwner}})
	var handles []buff.Handle
	for id := range buff.OwnerID(owners) {
		spawn(t, e, id+1)
		handles = append(handles, add(t, e, id+1, long))
	}
	e.Tick(0)

	var hits, rung [producers]atomic.Int64 // numbers of accepted commands and of calls
	var accepted, full, nobody atomic.Uint64
	var work sync.WaitGroup
	for p := range producers {
		work.Add(1)
		go func() {
			defer work.Done()
			in := e.Inbox()
			for n := range each {
				to := buff.OwnerID(n%owners + 1)
				var err error
				switch n % 6 {
				case 0, 1:
					err = in.AddBuff(to, buff.Application{Spec: hit, Source: buff.OwnerID(p), Magnitude: int64(n)})
					if err == nil {
						hits[p].Add(1)
					}
				case 2:
					err = in.AddTimeout(to, 0, func(*engine.Context) { rung[p].Add(1) })
					if err == nil {
						hits[p].Add(1)
					}
				case 3:
					err = in.Remove(handles[n/6%owners])
				case 4:
					err = in.Cancel(1 << 20) // an invalid handle
					if err == nil {
						nobody.Add(1)
					}
				case 5:
					err = in.Do(buff.Kill(owners + 1)) // an unknown owner
					if err == nil {
						nobody.Add(1)
					}
				}
				if err == nil {
					accepted.Add(1)
				} else if errors.Is(err, engine.ErrInboxFull) {
					full.Add(1)
				}
			}
		}()
	}
	over := make(chan struct{})
	go func() { work.Wait(); close(over) }()

	var last [producers]int64
	var executed, rang, removed int64
	count := func(f *engine.Frame) {
		for ev := range f.Events() {
			switch ev.Kind {
			case buff.Executed:
				executed++
				require.GreaterOrEqual(t, ev.Magnitude, last[ev.Source], "the commands of one producer changed places")
				last[ev.Source] = ev.Magnitude
			case buff.TimedOut:
				rang++
			case buff.Removed:
				removed++
			}
		}
	}
	for running := true; running; {
		select {
		case <-over:
			running = false
		default:
		}
		count(e.Tick(time.Millisecond))
	}
	count(e.Tick(time.Millisecond))
	count(e.Tick(time.Millisecond))
	var want, called int64
	for p := range producers {
		want += hits[p].Load()
		called += rung[p].Load()
	}
	s := e.Stats()
	require.Equal(t, want, executed+rang)
	require.Equal(t, rang, called)
	require.EqualValues(t, owners, removed, "each buff was removed once")
	require.EqualValues(t, producers*each, accepted.Load()+full.Load())
	require.Equal(t, accepted.Load(), uint64(executed+rang+removed)+s.Undelivered, "accepted = delivered + undelivered")
	require.GreaterOrEqual(t, s.Undelivered, nobody.Load())
	require.Zero(t, s.Inbox)
}
