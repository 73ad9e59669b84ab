package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// answers records calls of functions of WhenCommitted.
type answers struct {
	names []string
	errs  []error
}

func (a *answers) to(v *store.Saver, name string) {
	v.WhenCommitted(func(err error) { a.names, a.errs = append(a.names, name), append(a.errs, err) })
}

// TestWhenCommitted checks that After calls a function once, when a cut with everything that was
// done before is on disk, and not for an earlier cut.
func TestWhenCommitted(t *testing.T) {
	m := storetest.NewMemory()
	v := play(t, m, noon, engine.Options{}, store.Options{Every: time.Nanosecond})
	require.NoError(t, v.Engine().Spawn(1, &hero{1}))
	var got answers
	got.to(v, "spawned")
	require.Empty(t, got.names, "no cut has started")
	pass(v, 50*time.Millisecond) // its cut has the owner
	require.NoError(t, v.Engine().Spawn(2, &hero{2}))
	got.to(v, "spawned later")
	require.NoError(t, v.Committed(t.Context(), 1))
	require.Empty(t, got.names, "only the loop calls it")
	frame := v.Engine().Tick(50 * time.Millisecond)
	require.NoError(t, v.Engine().Spawn(3, &hero{3}))
	got.to(v, "spawned before After")
	v.After(frame)
	for len(got.names) < 3 {
		require.NoError(t, v.Committed(t.Context(), frame.Number))
		cut, err := m.Load(t.Context(), "arena")
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(cut.Owners), len(got.names))
		frame = pass(v, 50*time.Millisecond)
	}
	require.EqualValues(t, 3, frame.Number)
	require.Equal(t, []string{"spawned", "spawned later", "spawned before After"}, got.names)
	require.Equal(t, make([]error, 3), got.errs)
}

// TestWhenCommitted_StoreFails checks that neither a failed commit nor one with an unknown result
// calls a function, and that the next commit does.
func TestWhenCommitted_StoreFails(t *testing.T) {
	for _, faults := range []storetest.Faults{{Fail: 1}, {Uncertain: 1}} {
		m := storetest.NewMemory()
		disk := storetest.NewFaulty(m, 1, faults)
		v := play(t, disk, noon, engine.Options{}, store.Options{Every: -1})
		require.NoError(t, v.Engine().Spawn(1, &hero{1}))
		var got answers
		got.to(v, "first")
		require.ErrorIs(t, v.SaveAll(t.Context()), storetest.ErrFault)
		pass(v, 50*time.Millisecond)
		got.to(v, "second")
		require.ErrorIs(t, v.SaveAll(t.Context()), storetest.ErrFault)
		pass(v, 50*time.Millisecond)
		require.Empty(t, got.names)
		disk.SetFaults(storetest.Faults{})
		require.NoError(t, v.SaveAll(t.Context()))
		require.Equal(t, []string{"first", "second"}, got.names)
		require.Equal(t, make([]error, 2), got.errs)
	}
}

// TestWhenCommitted_Fenced checks that a function gets the error if its cut will never be on disk.
func TestWhenCommitted_Fenced(t *testing.T) {
	m := storetest.NewMemory()
	v := play(t, m, noon, engine.Options{}, store.Options{Every: -1})
	var got answers
	got.to(v, "before")
	require.NoError(t, v.SaveAll(t.Context()))
	play(t, m, noon, engine.Options{}, store.Options{})
	got.to(v, "after")
	require.ErrorIs(t, v.SaveAll(t.Context()), store.ErrFenced)
	v.WhenCommitted(func(err error) { // one that tries again is called once in a frame
		got.errs = append(got.errs, err)
		got.to(v, "again")
	})
	pass(v, 50*time.Millisecond)
	require.Equal(t, []string{"before", "after"}, got.names)
	pass(v, 50*time.Millisecond)
	require.Equal(t, []string{"before", "after", "again"}, got.names)
	require.NoError(t, got.errs[0])
	for _, err := range got.errs[1:] {
		require.ErrorIs(t, err, store.ErrFenced)
	}
}

// TestWhenCommitted_Limit checks that a function above the limit is called at once with
// an error, and that functions wait again after a commit.
func TestWhenCommitted_Limit(t *testing.T) {
	v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: -1})
	called := 0
	for range store.MaxPending {
		v.WhenCommitted(func(err error) {
			require.NoError(t, err)
			called++
		})
	}
	var got answers
	got.to(v, "too many")
	require.Equal(t, []string{"too many"}, got.names)
	require.ErrorIs(t, got.errs[0], engine.ErrOverloaded)
	require.ErrorContains(t, got.errs[0], `65536 functions wait until zone "arena" is on disk`)
	v.WhenCommitted(func(error) { panic("no") })
	require.ErrorContains(t, v.Stats().Last, "a function of WhenCommitted panicked: no")
	require.Zero(t, called)
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, store.MaxPending, called)
	got.to(v, "next")
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, []string{"too many", "next"}, got.names)
	require.NoError(t, got.errs[1])
}

// TestWhenCommitted_End checks that Drain calls functions after its cut, and Close with an error.
func TestWhenCommitted_End(t *testing.T) {
	v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: -1})
	var got answers
	got.to(v, "drain")
	require.NoError(t, v.Drain(t.Context()))
	require.Equal(t, answers{[]string{"drain"}, []error{nil}}, got)

	w := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: -1})
	got = answers{}
	got.to(w, "close")
	w.Close()
	require.Equal(t, answers{[]string{"close"}, []error{store.ErrClosed}}, got)
}

// TestWhenCommitted_Panic checks that a panic is reported, and that the other functions are called.
func TestWhenCommitted_Panic(t *testing.T) {
	v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: -1})
	var got answers
	v.WhenCommitted(func(error) { panic("no") })
	got.to(v, "next")
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, []string{"next"}, got.names)
	require.EqualValues(t, 1, v.Stats().Refused)
	require.ErrorContains(t, v.Stats().Last, "a function of WhenCommitted panicked: no")
}

// TestInboxRun_Saver checks that a function of Inbox.Run may use the Saver, and that what it does
// is in the cut of its frame.
func TestInboxRun_Saver(t *testing.T) {
	m := storetest.NewMemory()
	v := play(t, m, noon, engine.Options{}, store.Options{Every: time.Nanosecond, Window: 4})
	for id := range buff.OwnerID(4) {
		require.NoError(t, v.Engine().Spawn(id, &hero{1}))
	}
	require.NoError(t, v.Committed(t.Context(), pass(v, 50*time.Millisecond).Number))
	require.NoError(t, v.Park(3))
	answered := make(chan error, 1)
	done := make(chan error, 1)
	go func() {
		done <- v.Engine().Inbox().Run(t.Context(), func(e *engine.Engine) {
			err := v.Touch(0)
			e.Data(0).(*hero).gold = 9
			v.Mark(store.CommandID{5})
			if err == nil {
				err = v.Park(1)
			}
			if err == nil {
				_, err = v.Move(2, "harbour")
			}
			if err == nil {
				_, err = v.Unpark(3)
			}
			v.WhenCommitted(func(e error) { answered <- e })
			if err != nil {
				panic(err)
			}
		})
	}()
	for len(answered) == 0 { // until the function has run, and its cut is on disk
		require.NoError(t, v.Committed(t.Context(), pass(v, 50*time.Millisecond).Number))
	}
	require.NoError(t, <-done)
	require.NoError(t, <-answered)
	w := play(t, m, noon, engine.Options{}, store.Options{Window: 4})
	require.Equal(t, 2, w.Restored().Owners)
	require.Equal(t, 1, w.Restored().Parked)
	require.Equal(t, &hero{9}, w.Engine().Data(0))
	_, seen := w.Seen(store.CommandID{5})
	require.True(t, seen)
}
