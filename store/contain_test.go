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

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// leaving is a store whose next commits end their goroutine, or fail.
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

// TestGone: a Store, a Reopen and a Marshal that end the goroutine of the Saver cost it a commit, or a
// copy, and no more: the next cut has all of it.
func TestGone(t *testing.T) { synctest.Test(t, gone) }

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
	pass(v, 50*time.Millisecond) // a cut begins, and the loop has copied the first of all
	synctest.Wait()              // the goroutine comes to the other ones
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

// TestBeside: what a goroutine copies between two Ticks, while the loop changes some of it, is the cut as it was
// when it began. The loop has copied the first few.
func TestBeside(t *testing.T) { synctest.Test(t, beside) }

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

// TestBesideWithout: an engine whose owners have no data is always copied so.
func TestBesideWithout(t *testing.T) { synctest.Test(t, besideWithout) }

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

// TestLost: what is in no cut is counted: a timeout by function, and a handler that a call of the loop has
// put off to the next Tick. Behind that Tick there is none.
func TestLost(t *testing.T) {
	cat, err := buff.NewCatalog(buff.Spec{ID: "boon", Kind: define.Infinite, On: buff.Hooks{Apply: []buff.Action{{Do: define.DoCall, Name: "cheer"}}}})
	require.NoError(t, err)
	v := play(t, storetest.NewMemory(), noon, engine.Options{Catalog: cat, Handlers: engine.Handlers{"cheer": func(*engine.Context, buff.Event) {}}}, store.Options{Every: -1})
	require.NoError(t, v.Engine().Spawn(1, &hero{}))
	_, err = v.Engine().AddTimeout(1, time.Hour, func(*engine.Context) {})
	require.NoError(t, err)
	_, r := v.Engine().AddBuff(1, buff.Application{Spec: cat.Spec("boon")})
	require.NoError(t, r.Err)
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, 2, v.Stats().Lost)
	pass(v, 50*time.Millisecond)
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, 1, v.Stats().Lost)
}

// TestCloseMidway: a Saver that was closed while a cut was under way saves no more, and the loop goes on.
func TestCloseMidway(t *testing.T) {
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

// TestClock: a clock that stands still, goes back or panics lets no frame copy all owners, and stops no cut.
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
			const owners = 6000 // half a ms is 5,000 of the cheapest
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

// polite is a store that gives way within a commit, and looks at the order of what it is given.
type polite struct {
	store.Store
	in, on chan struct{}
	passed atomic.Bool
	sorted bool
}

func (p *polite) Commit(ctx context.Context, b *store.Batch) error {
	p.in <- struct{}{}
	<-p.on
	store.GiveWay(context.Background()) // no zone is known: it does nothing
	store.GiveWay(ctx)
	p.passed.Store(true)
	p.sorted = slices.IsSortedFunc(b.Owners, func(x, y store.Owner) int { return cmp.Compare(x.ID, y.ID) })
	return p.Store.Commit(ctx, b)
}

// TestGiveWay: a commit waits for a Tick that runs, and is given its owners in order, whatever the order in which
// they were copied.
func TestGiveWay(t *testing.T) { synctest.Test(t, giveWay) }

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
	require.NoError(t, e.Do(buff.AddTimeout(1, 500*time.Millisecond, "wait")).Err)
	pass(v, 50*time.Millisecond)
	synctest.Wait() // all are copied
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
