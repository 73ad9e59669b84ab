package engine_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/stretchr/testify/require"
)

// twin returns an engine and its handles. All engines that it returns have had the same calls.
func twin(t *testing.T, o engine.Options) (*engine.Engine, []buff.Handle, []buff.TimeoutHandle) {
	t.Helper()
	var handles []buff.Handle
	var timeouts []buff.TimeoutHandle
	e := open(t, o)
	spawn(t, e, 1, 2, 3)
	for id := range buff.OwnerID(3) {
		for s := range o.Catalog.All() {
			handles = append(handles, add(t, e, id+1, s))
		}
		x, err := e.AddTimeout(id+1, time.Hour, func(*engine.Context) {})
		require.NoError(t, err)
		timeouts = append(timeouts, x)
	}
	e.Tick(time.Second)
	blob := must(e.Despawn(3))
	_, err := e.Restore(3, nil, blob)
	require.NoError(t, err)
	for b := range must(e.Buffs(3)).All() {
		handles = append(handles, b.Handle)
	}
	return e, handles, timeouts
}

// TestP14_Foreign checks that handles of another engine of this process are invalid here in all
// calls, although both engines have had the same calls. This includes the handles of restored
// owners, and those of a closed engine.
func TestP14_Foreign(t *testing.T) {
	o := engine.Options{Synchronous: true, Seed: 7, Epoch: time.UnixMilli(0), Catalog: catalogOf(t, keepSpecs...)}
	here, own, ownTimeouts := twin(t, o)
	here.Tick(0)
	state := func() (s string) {
		for id := range buff.OwnerID(3) {
			for b := range must(here.Buffs(id + 1)).All() {
				s += fmt.Sprintf("%v\n", b)
			}
		}
		return s
	}
	before := state()
	for range 20 {
		other, handles, timeouts := twin(t, o)
		shut(t, other)
		require.NotEqual(t, here.Number(), other.Number())
		for k, h := range handles {
			require.Equal(t, own[k].Number(), h.Number(), "the owner's number is the same")
			require.NotEqual(t, own[k], h)
			_, found, err := here.Find(h)
			require.False(t, found, "%v", err)
			for name, r := range map[string]buff.Result{
				"Remove": here.Remove(h), "RemoveStacks": here.Do(buff.RemoveStacks(h, 1, reason.Cancelled)), "Extend": here.Do(buff.Extend(h, time.Hour)),
				"ExtendUpTo": here.Do(buff.ExtendUpTo(h, time.Hour, time.Hour)), "SetRemaining": here.Do(buff.SetRemaining(h, time.Hour)), "SetPeriod": here.Do(buff.SetPeriod(h, time.Hour)),
				"Inhibit": here.Do(buff.Inhibit(h)), "Release": here.Do(buff.Release(h)), "PauseBuff": here.Do(buff.PauseBuff(h)), "ResumeBuff": here.Do(buff.ResumeBuff(h)),
				"SetBuffRate": here.Do(buff.SetBuffRate(h, buff.Ratio{Num: 1, Den: 2})), "ConsumeCharges": here.Do(buff.ConsumeCharges(h, 1)),
				"Cancel": here.Cancel(buff.TimeoutHandle(h)),
			} {
				require.ErrorIs(t, r.Failure, buff.ErrStale, "%s %v", name, h)
			}
			require.NoError(t, here.Inbox().Remove(h))
			require.NoError(t, here.Inbox().Do(buff.Extend(h, time.Hour)))
		}
		for _, x := range timeouts {
			require.ErrorIs(t, here.Cancel(x).Failure, buff.ErrStale)
			require.NoError(t, here.Inbox().Cancel(x))
		}
		require.Zero(t, here.Tick(0).Len())
		require.Equal(t, before, state())
	}
	for _, x := range ownTimeouts[:2] { // the third one has left with its owner
		require.Equal(t, buff.Removed, here.Cancel(x).Kind)
	}
}

// TestP14_Origins checks that the first generations of any two of the first 2^k engines are at
// least 2^(32-k) apart, so that no handle is valid in both until a slot has been used that often,
// and that the first engine starts at 0.
func TestP14_Origins(t *testing.T) {
	require.Zero(t, engine.OriginOf(1))
	for k := range 11 {
		n := uint32(1) << k
		seen := map[uint32]bool{}
		for number := range n {
			origin := engine.OriginOf(number + 1)
			require.Zero(t, uint64(origin)%(1<<(32-k)))
			require.False(t, seen[origin])
			seen[origin] = true
		}
	}
	seen := map[uint32]bool{}
	for number := range uint32(100_000) {
		seen[engine.OriginOf(number+1)] = true
	}
	require.Len(t, seen, 100_000)
}

// TestOptions_Number checks that engines with the same number have the same handles, and that a
// replay has the handles of the recorded engine, so that a handler that stores handles works as
// before.
func TestOptions_Number(t *testing.T) {
	var b bytes.Buffer
	o := engine.Options{Synchronous: true, Number: 77, Epoch: time.UnixMilli(0), Catalog: catalogOf(t, keepSpecs...)}
	_, want, wantTimeouts := twin(t, o)
	_, got, gotTimeouts := twin(t, o)
	require.Equal(t, want, got)
	require.Equal(t, wantTimeouts, gotTimeouts)

	o.Number, o.Trace.Record = 0, &b
	e := open(t, o)
	spawn(t, e, 1)
	h := add(t, e, 1, o.Catalog.Spec("venom"))
	require.Equal(t, buff.Refreshed, e.Do(buff.Extend(h, time.Second)).Kind)
	want = nil
	for ev := range e.Tick(5 * time.Second).Events() {
		want = append(want, ev.Handle)
	}
	shut(t, e)
	got, o.Trace.Record = nil, nil
	_, err := replay.Run(&b, o, replay.Game{
		Frame: func(f *engine.Frame) {
			for ev := range f.Events() {
				got = append(got, ev.Handle)
			}
		},
		Timeout: func(int, buff.OwnerID) func(*engine.Context) { return func(*engine.Context) {} },
	})
	require.NoError(t, err)
	require.Contains(t, want, h)
	require.Equal(t, want, got)
}
