package store_test

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
	"github.com/bufftick/bufftick/store/storetest"
	"github.com/stretchr/testify/require"
)

// leaving is a store whose next commits end their goroutine or fail.
type leaving struct {
	store.Store
	ends, breaks atomic.Int32
}

func (l *leaving) Commit(ctx context.Context, b *store.Batch) error {
	if l.ends.Add(-1) >= 0 {
		runtime.Goexit()
	}
	if l.breaks.Add(-1) >= 0 {
		return store.ErrBroken
	}
	return l.Store.Commit(ctx, b)
}

func (l *leaving) Close() error { return nil }

// TestCommitGoroutineEnds checks that if a Store, Reopen or Marshal ends the Saver's goroutine,
// only one commit or copy fails, and the next cut contains everything.
func TestCommitGoroutineEnds(t *testing.T) { synctest.Test(t, gone) }

func gone(t *testing.T) {
	m := &leaving{Store: storetest.NewMemory()}
	reopens := 0
	var marshals atomic.Bool
	v := play(t, m, noon, engine.Options{}, store.Options{
		Every: time.Millisecond, Beside: true, Share: 1, Unmarshal: unmarshal,
		Reopen: func() (store.Store, error) {
			if reopens++; reopens == 1 {
				runtime.Goexit()
			}
			return m, nil
		},
		Marshal: func(id buff.OwnerID, data any, b []byte) ([]byte, error) {
			if id == 150 && marshals.CompareAndSwap(true, false) {
				runtime.Goexit()
			}
			return marshal(id, data, b)
		},
	})
	for id := range buff.OwnerID(200) {
		require.NoError(t, v.Engine().Spawn(id, &hero{1}))
	}
	m.ends.Store(1)
	require.ErrorContains(t, v.SaveAll(t.Context()), "a commit ended its goroutine")
	m.breaks.Store(1)
	require.ErrorIs(t, v.SaveAll(t.Context()), store.ErrBroken)
	require.ErrorContains(t, v.SaveAll(t.Context()), "a commit ended its goroutine")
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, 2, reopens)
	require.EqualValues(t, 3, v.Stats().Failed)
	cut, err := m.Load(t.Context(), "arena")
	require.NoError(t, err)
	require.Len(t, cut.Owners, 200)

	marshals.Store(true)
	for id := range buff.OwnerID(200) {
		require.NoError(t, v.Touch(id))
		v.Engine().Data(id).(*hero).gold = 2
	}
	pass(v, 50*time.Millisecond) // a cut starts; the loop has copied its first owners
	synctest.Wait()              // the goroutine copies the others
	require.False(t, marshals.Load())
	from := v.Stats().Cuts
	for range 20 {
		pass(v, 50*time.Millisecond)
		synctest.Wait()
	}
	require.Greater(t, v.Stats().Cuts, from)
	require.EqualValues(t, 1, v.Stats().Refused)
	require.ErrorContains(t, v.Stats().Last, "owner 150: Marshal panicked: it ended its goroutine")
	require.EqualValues(t, 1, v.Engine().Stats().Faults)
	require.NoError(t, v.SaveAll(t.Context()))
	cut, err = m.Load(t.Context(), "arena")
	require.NoError(t, err)
	for _, o := range cut.Owners {
		require.Equal(t, "\x002", string(o.Data), o.ID)
	}
}

// TestCopying_BetweenTicks checks that a goroutine that copies owners between two Ticks, while
// the loop changes some of them, saves the state from the start of the cut.
func TestCopying_BetweenTicks(t *testing.T) { synctest.Test(t, beside) }

func beside(t *testing.T) {
	const owners = 5000
	m := storetest.NewMemory()
	e, err := engine.New(engine.Options{Synchronous: true})
	require.NoError(t, err)
	defer e.Close(t.Context())
	var copied atomic.Int64
	v, err := store.New(t.Context(), e, m, "arena", store.Options{Every: time.Hour, Share: 1, Beside: true, Marshal: func(id buff.OwnerID, data any, b []byte) ([]byte, error) {
		copied.Add(1)
		return marshal(id, data, b)
	}})
	require.NoError(t, err)
	defer v.Close()
	for id := range buff.OwnerID(owners) {
		require.NoError(t, e.Spawn(id, &hero{1}))
	}
	pass(v, 50*time.Millisecond)
	for id := owners - 1; id > 0; id -= 3 {
		require.NoError(t, v.Touch(buff.OwnerID(id)))
		e.Data(buff.OwnerID(id)).(*hero).gold++
	}
	synctest.Wait()
	require.EqualValues(t, owners, copied.Load())
	require.Zero(t, v.Stats().Cuts)
	pass(v, 50*time.Millisecond)
	require.NoError(t, v.Committed(t.Context(), 1))
	cut, err := m.Load(t.Context(), "arena")
	require.NoError(t, err)
	require.Len(t, cut.Owners, owners)
	for _, o := range cut.Owners {
		require.Equal(t, "\x001", string(o.Data), o.ID)
	}
}

// TestCopying_WithoutMarshal checks that owners without data are always copied by the goroutine.
func TestCopying_WithoutMarshal(t *testing.T) { synctest.Test(t, besideWithout) }

func besideWithout(t *testing.T) {
	e, err := engine.New(engine.Options{Synchronous: true})
	require.NoError(t, err)
	defer e.Close(t.Context())
	v, err := store.New(t.Context(), e, storetest.NewMemory(), "arena", store.Options{Every: time.Hour, Share: 1})
	require.NoError(t, err)
	defer v.Close()
	for id := range buff.OwnerID(5000) {
		require.NoError(t, e.Spawn(id, nil))
	}
	pass(v, 0)
	synctest.Wait()
	require.Zero(t, store.Uncopied(v))
	require.NoError(t, v.SaveAll(t.Context()))
	require.EqualValues(t, 2, v.Stats().Cuts)
}

// TestSaver_CountsLost checks that timeouts with a function, and handlers that a call of the loop
// has deferred to the next Tick, are counted as Lost.
func TestSaver_CountsLost(t *testing.T) {
	cat, err := buff.NewCatalog(buff.Spec{ID: "boon", Kind: define.Infinite, On: define.Hooks{Apply: []define.Action{{Do: define.DoCall, Name: "cheer"}}}})
	require.NoError(t, err)
	v := play(t, storetest.NewMemory(), noon, engine.Options{Catalog: cat, Handlers: engine.Handlers{"cheer": func(*engine.Context, buff.Event) {}}}, store.Options{Every: -1})
	require.NoError(t, v.Engine().Spawn(1, &hero{}))
	_, err = v.Engine().AddTimeout(1, time.Hour, func(*engine.Context) {})
	require.NoError(t, err)
	r := v.Engine().AddBuff(1, buff.Application{Spec: cat.Spec("boon")})
	require.NoError(t, r.Failure)
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, 2, v.Stats().Lost)
	pass(v, 50*time.Millisecond)
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, 1, v.Stats().Lost)
}

// TestCloseDuringCut checks that a Saver that is closed during a cut saves nothing more, and that
// the loop continues.
func TestCloseDuringCut(t *testing.T) {
	v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: time.Millisecond, Share: 1})
	for id := range buff.OwnerID(200) {
		require.NoError(t, v.Engine().Spawn(id, &hero{1}))
	}
	pass(v, 50*time.Millisecond)
	require.NotZero(t, store.Uncopied(v))
	v.Close()
	for range 20 {
		pass(v, 50*time.Millisecond)
	}
	require.ErrorIs(t, v.SaveAll(t.Context()), store.ErrClosed)
	require.Zero(t, v.Stats().Cuts)
}

// TestClock checks that no frame copies all owners, and that cuts continue, even if the clock
// stops, goes back or panics.
func TestClock(t *testing.T) {
	for name, clock := range map[string]func() time.Duration{
		"still": func() time.Duration { return 0 },
		"back": func() func() time.Duration {
			at := time.Hour
			return func() time.Duration { at -= time.Second; return at }
		}(),
		"panics": func() time.Duration { panic("no time") },
	} {
		t.Run(name, func(t *testing.T) {
			v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: time.Hour, Clock: clock})
			const owners = 6000 // 0.5 ms is 5,000 owners at the minimum cost
			for id := range buff.OwnerID(owners) {
				require.NoError(t, v.Engine().Spawn(id, &hero{1}))
			}
			pass(v, 50*time.Millisecond)
			require.NotZero(t, v.Stats().Left)
			require.Less(t, v.Stats().Left, owners)
			require.NoError(t, v.SaveAll(t.Context()))
			require.Equal(t, name == "panics", v.Stats().Refused == 1, v.Stats().Refused)
			if name == "panics" {
				require.ErrorContains(t, v.Stats().Last, "Clock panicked: no time")
			}
		})
	}
}

// polite is a store that calls GiveWay in a commit and checks that the owners are sorted.
type polite struct {
	store.Store
	in, on chan struct{}
	passed atomic.Bool
	sorted bool
}

func (p *polite) Commit(ctx context.Context, b *store.Batch) error {
	p.in <- struct{}{}
	<-p.on
	record.GiveWay(context.Background()) // a no-op, because the context is not from a Saver
	record.GiveWay(ctx)
	p.passed.Store(true)
	p.sorted = slices.IsSortedFunc(b.Owners, func(x, y store.Owner) int { return cmp.Compare(x.ID, y.ID) })
	return p.Store.Commit(ctx, b)
}

// TestCommit_WaitsForTick checks that a commit waits for a running Tick, and that its owners are
// sorted, regardless of the order in which they were copied.
func TestCommit_WaitsForTick(t *testing.T) { synctest.Test(t, giveWay) }

func giveWay(t *testing.T) {
	const owners = 3000 // three pieces
	p := &polite{Store: storetest.NewMemory(), in: make(chan struct{}), on: make(chan struct{})}
	gate := make(chan struct{})
	e, err := engine.New(engine.Options{Workers: 2, Budget: time.Hour, Handlers: engine.Handlers{
		"wait": func(*engine.Context, buff.Event) { <-gate },
	}})
	require.NoError(t, err)
	defer e.Close(t.Context())
	v, err := store.New(t.Context(), e, p, "arena", store.Options{Every: time.Hour})
	require.NoError(t, err)
	defer v.Close()
	for k := range owners {
		require.NoError(t, e.Spawn(buff.OwnerID(k*1117%owners), nil))
	}
	require.NoError(t, e.Do(buff.AddTimeout(1, 500*time.Millisecond, "wait")).Failure)
	pass(v, 50*time.Millisecond)
	synctest.Wait() // all owners are copied
	pass(v, 50*time.Millisecond)
	<-p.in
	ticked := make(chan struct{})
	go func() { e.Tick(time.Second); close(ticked) }()
	synctest.Wait()
	p.on <- struct{}{}
	synctest.Wait()
	require.False(t, p.passed.Load(), "a Tick runs")
	close(gate)
	<-ticked
	require.NoError(t, v.Committed(t.Context(), 1))
	require.True(t, p.passed.Load())
	require.True(t, p.sorted)
}
