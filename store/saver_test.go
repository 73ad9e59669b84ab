package store_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// hero is the game's own data of an owner.
type hero struct{ gold int }

func marshal(_ buff.OwnerID, data any, b []byte) ([]byte, error) {
	return fmt.Appendf(b, "%d", data.(*hero).gold), nil
}

func unmarshal(_ buff.OwnerID, b []byte) (any, error) {
	h := &hero{}
	_, err := fmt.Sscan(string(b), &h.gold)
	return h, err
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func specs(t testing.TB) *buff.Catalog {
	c, err := buff.NewCatalog(
		buff.Spec{ID: "poison", Duration: time.Minute, Period: time.Second},
		buff.Spec{ID: "boon", Duration: 10 * time.Second, Clock: define.Wall},
		buff.Spec{ID: "coin", Kind: define.Infinite, Stack: define.Stacking{Limit: 1000}},
		buff.Spec{ID: "oath", Kind: define.Infinite, OnSourceGone: define.FateRemove},
	)
	require.NoError(t, err)
	return c
}

// play opens a zone at a calendar time. Every After starts a cut.
func play(t testing.TB, s store.Store, at time.Time, eo engine.Options, o store.Options) *store.Saver {
	t.Helper()
	if eo.Catalog == nil {
		eo.Catalog = specs(t)
	}
	eo.Synchronous = eo.Workers == 0
	o.Now = func() time.Time { return at }
	if o.Marshal == nil {
		o.Marshal, o.Unmarshal = marshal, unmarshal
	}
	v, err := store.Open(t.Context(), s, "arena", eo, o)
	require.NoError(t, err)
	t.Cleanup(func() { v.Close(); require.NoError(t, v.Engine().Close(t.Context())) })
	return v
}

func pass(v *store.Saver, d time.Duration) *engine.Frame { return v.After(v.Engine().Tick(d)) }

// TestAge_EngineOlderThanSave checks that the age of a cut excludes the time that the engine ran
// before it was saved.
func TestAge_EngineOlderThanSave(t *testing.T) {
	e, err := engine.New(engine.Options{Synchronous: true})
	require.NoError(t, err)
	e.Tick(time.Hour)
	v, err := store.New(t.Context(), e, storetest.NewMemory(), "arena", store.Options{Every: time.Second})
	require.NoError(t, err)
	defer v.Close()
	require.NoError(t, v.SaveAll(t.Context()))
	pass(v, 50*time.Millisecond)
	st := v.Stats()
	require.Equal(t, 50*time.Millisecond, st.Age)
	require.False(t, st.Alarm)
}

// TestSaver checks that a killed zone is restored with its owners, data, buffs, clocks and areas,
// and without removed owners.
func TestSaver(t *testing.T) {
	s := storetest.NewMemory()
	v := play(t, s, noon, engine.Options{}, store.Options{})
	require.True(t, v.Restored().Fresh)
	e := v.Engine()
	for id := range buff.OwnerID(4) {
		require.NoError(t, e.Spawn(id, &hero{int(id)}))
		e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("poison"), Source: 2})
	}
	e.AddBuff(1, buff.Application{Spec: e.Catalog().Spec("boon")})
	e.AddBuff(1, buff.Application{Spec: e.Catalog().Spec("oath"), Source: 77})
	require.NoError(t, e.Do(buff.SetArea(3, 5)).Failure)
	require.NoError(t, e.Do(buff.PauseArea(5)).Failure)
	pass(v, 1500*time.Millisecond)
	require.NoError(t, e.Drop(2))
	require.NoError(t, v.Touch(1))
	e.Data(1).(*hero).gold = 100
	require.NoError(t, v.SaveAll(t.Context()))
	require.EqualValues(t, 2, v.Stats().Frame)
	e.Tick(time.Second) // lost, because no cut starts afterwards

	w := play(t, s, noon.Add(5*time.Second), engine.Options{}, store.Options{})
	r := w.Restored()
	require.Equal(t, store.Restored{
		Frame: 2, Away: 3500 * time.Millisecond, Owners: 3, Buffs: 5, Sources: []buff.OwnerID{77},
	}, r)
	require.Equal(t, buff.Moment{Now: 0, Wall: noon.Add(5 * time.Second).UnixMilli(), Uptime: 1500}, w.Engine().Moment())
	require.Equal(t, &hero{100}, w.Engine().Data(1))
	left := func(id buff.OwnerID) (out []string) {
		buffs, err := w.Engine().Buffs(id)
		require.NoError(t, err)
		for b := range buffs.All() {
			out = append(out, fmt.Sprint(b.Spec.ID, " ", int64(b.End), " ", int64(b.NextPulse)))
		}
		return out
	}
	require.Equal(t, []string{"poison 58500 500", "boon 5000 9223372036854775807", "oath 9223372036854775807 9223372036854775807"}, left(1))
	require.Equal(t, []string{"poison 9223372036854775807 9223372036854775807"}, left(3), "its area stands still")
	require.ErrorIs(t, w.Touch(2), engine.ErrUnknownOwner)
}

// TestSaver_Every checks that cuts start at intervals of game time, only when the previous cut is
// on disk, and contain the changes.
func TestSaver_Every(t *testing.T) {
	v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: 250 * time.Millisecond})
	require.NoError(t, v.Engine().Spawn(1, &hero{}))
	require.NoError(t, v.Engine().Spawn(2, &hero{}))
	v.Engine().AddBuff(1, buff.Application{Spec: v.Engine().Catalog().Spec("poison")})
	var got []int
	for range 60 {
		f := pass(v, 50*time.Millisecond)
		was := v.Stats().Cuts
		if (f.Number-1)%5 == 0 {
			require.NoError(t, v.Committed(t.Context(), f.Number))
			require.Equal(t, was+1, max(v.Stats().Cuts, was+1))
			got = append(got, v.Stats().Owners)
		}
	}
	require.Equal(t, []int{2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, got, "its pulse each second")
	require.EqualValues(t, 12, v.Stats().Cuts)
}

// TestSaver_StoreFails checks that the game continues while the store fails, and that the next
// commit contains all changes.
func TestSaver_StoreFails(t *testing.T) {
	m := storetest.NewMemory()
	f := storetest.NewFaulty(m, 1, storetest.Faults{Fail: 1})
	v := play(t, f, noon, engine.Options{}, store.Options{Every: time.Second, Alarm: 2 * time.Second})
	require.NoError(t, v.Engine().Spawn(1, &hero{1}))
	require.NoError(t, v.Engine().Spawn(3, &hero{3}))
	require.ErrorIs(t, v.SaveAll(t.Context()), storetest.ErrFault)
	require.NoError(t, v.Engine().Drop(3))
	require.ErrorIs(t, v.SaveAll(t.Context()), storetest.ErrFault)
	pass(v, 3*time.Second)
	require.True(t, v.Stats().Alarm)
	require.Contains(t, v.Stats().Problem(), "The last commit failed; the last cut on disk is ")
	f.SetFaults(storetest.Faults{Uncertain: 1})
	require.NoError(t, v.Engine().Spawn(2, &hero{2}))
	require.ErrorIs(t, v.SaveAll(t.Context()), storetest.ErrFault)
	f.SetFaults(storetest.Faults{})
	require.NoError(t, v.SaveAll(t.Context()))
	st := v.Stats()
	require.NoError(t, st.Err)
	require.Equal(t, 2, st.Owners)
	cut, err := m.Load(t.Context(), "arena")
	require.NoError(t, err)
	require.Len(t, cut.Owners, 2)
	pass(v, time.Second)
	require.False(t, v.Stats().Alarm)
	require.Empty(t, v.Stats().Problem())
}

// TestSaver_Fenced checks that a Saver that has lost its zone reports it and stops saving,
// while the game continues.
func TestSaver_Fenced(t *testing.T) {
	m := storetest.NewMemory()
	v := play(t, m, noon, engine.Options{}, store.Options{})
	require.NoError(t, v.Engine().Spawn(1, &hero{1}))
	require.NoError(t, v.SaveAll(t.Context()))
	play(t, m, noon, engine.Options{}, store.Options{})
	require.ErrorIs(t, v.SaveAll(t.Context()), store.ErrFenced)
	require.ErrorIs(t, v.SaveAll(t.Context()), store.ErrFenced)
	pass(v, time.Hour)
	require.ErrorIs(t, v.Committed(t.Context(), 1<<40), store.ErrFenced)
	e, err := engine.New(engine.Options{Synchronous: true})
	require.NoError(t, err)
	defer e.Close(t.Context())
	_, err = store.New(t.Context(), e, m, "arena", store.Options{})
	require.ErrorIs(t, err, store.ErrTaken)
}

// TestSaver_MarshalFails checks that the last state of an owner is kept as long as its data
// cannot be encoded, and that an owner whose data cannot be decoded stays on disk.
func TestSaver_MarshalFails(t *testing.T) {
	m := storetest.NewMemory()
	fails := false
	o := store.Options{Unmarshal: unmarshal, Marshal: func(id buff.OwnerID, data any, b []byte) ([]byte, error) {
		if id == 1 && fails {
			panic("no")
		}
		return marshal(id, data, b)
	}}
	v := play(t, m, noon, engine.Options{}, o)
	require.NoError(t, v.Engine().Spawn(1, &hero{1}))
	require.NoError(t, v.SaveAll(t.Context()))
	fails = true
	require.NoError(t, v.Touch(1))
	v.Engine().Data(1).(*hero).gold = 2
	require.NoError(t, v.SaveAll(t.Context()))
	require.EqualValues(t, 1, v.Stats().Refused)
	require.ErrorContains(t, v.Stats().Last, "Marshal panicked: no")

	o.Unmarshal = func(buff.OwnerID, []byte) (any, error) { panic("nor this") }
	w := play(t, m, noon, engine.Options{}, o)
	require.Len(t, w.Restored().Failed, 1)
	require.ErrorContains(t, w.Restored().Failed[0], "owner 1: store: Unmarshal panicked: nor this")
	require.Zero(t, w.Engine().Owners())
	require.NoError(t, w.SaveAll(t.Context()))

	o.Unmarshal = unmarshal
	require.Equal(t, &hero{1}, play(t, m, noon, engine.Options{}, o).Engine().Data(1))
}

// TestSaver_PerFrame checks that owners are restored over several frames, and that no cut is made
// before all are restored.
func TestSaver_PerFrame(t *testing.T) {
	m := storetest.NewMemory()
	v := play(t, m, noon, engine.Options{}, store.Options{})
	for id := range buff.OwnerID(10) {
		require.NoError(t, v.Engine().Spawn(id, &hero{1}))
	}
	require.NoError(t, v.SaveAll(t.Context()))
	w := play(t, m, noon, engine.Options{}, store.Options{PerFrame: 4})
	for _, left := range []int{6, 2, 0} {
		require.Equal(t, left, w.Restored().Left)
		require.Equal(t, left > 0, w.SaveAll(t.Context()) != nil)
		pass(w, 50*time.Millisecond)
	}
	require.Equal(t, 10, w.Engine().Owners())
}

// TestSaver_Drain checks that earlier commands are executed and saved, and that later ones are
// refused.
func TestSaver_Drain(t *testing.T) {
	m := storetest.NewMemory()
	v := play(t, m, noon, engine.Options{}, store.Options{Every: -1})
	require.NoError(t, v.Engine().Spawn(1, &hero{1}))
	in := v.Engine().Inbox()
	require.NoError(t, in.AddBuff(1, buff.Application{Spec: v.Engine().Catalog().Spec("poison")}))
	require.NoError(t, v.Drain(t.Context()))
	require.ErrorIs(t, in.Do(buff.Kill(1)), engine.ErrClosed)
	require.NoError(t, v.Drain(t.Context()))
	require.Equal(t, 1, play(t, m, noon, engine.Options{}, store.Options{}).Restored().Buffs)
}

// TestCommittedAfterDrain checks that Committed returns an error for a frame that will never
// be saved.
func TestCommittedAfterDrain(t *testing.T) {
	v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: -1})
	require.NoError(t, v.Drain(t.Context()))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, v.Committed(over, 1<<40), store.ErrClosed)
}

// TestSaver_DrainEarly checks that a zone that is drained before all owners are restored loses
// nothing. Drain restores the other owners first, even if their events do not fit into one frame.
func TestSaver_DrainEarly(t *testing.T) {
	for _, events := range []int{1000, 3} {
		m := storetest.NewMemory()
		v := play(t, m, noon, engine.Options{}, store.Options{Every: -1})
		for id := range buff.OwnerID(10) {
			require.NoError(t, v.Engine().Spawn(id, &hero{1}))
			v.Engine().AddBuff(id, buff.Application{Spec: v.Engine().Catalog().Spec("poison")})
		}
		require.NoError(t, v.SaveAll(t.Context()))
		w := play(t, m, noon, engine.Options{Limits: engine.Limits{Events: events}}, store.Options{Every: -1, PerFrame: 2})
		require.Equal(t, 8, w.Restored().Left)
		require.NoError(t, w.Engine().Inbox().AddBuff(1, buff.Application{Spec: w.Engine().Catalog().Spec("coin")}))
		require.NoError(t, w.Drain(t.Context()))
		require.Zero(t, w.Restored().Left)
		if events == 1000 {
			require.EqualValues(t, 2, w.Stats().Frame, "there is room for all without a Tick")
		}
		r := play(t, m, noon, engine.Options{}, store.Options{}).Restored()
		require.Empty(t, r.Failed)
		require.Equal(t, 10, r.Owners)
		require.Equal(t, 11, r.Buffs)
	}
}

// TestDurable checks that Durable returns once the command is on disk, and that a command with
// an id is executed once, even after a restart.
func TestDurable(t *testing.T) {
	m := storetest.NewMemory()
	o := store.Options{Every: time.Millisecond, Window: 10}
	v := play(t, m, noon, engine.Options{}, o)
	require.NoError(t, v.Engine().Spawn(1, &hero{1}))
	pay := buff.Apply(1, buff.Application{Spec: v.Engine().Catalog().Spec("coin"), Stacks: 5})
	ask := func(v *store.Saver, id byte) error {
		done := make(chan error)
		go func() {
			_, err := v.Durable(t.Context(), store.CommandID{id}, pay)
			done <- err
		}()
		for {
			select {
			case err := <-done:
				return err
			default:
				pass(v, 50*time.Millisecond)
			}
		}
	}
	require.NoError(t, ask(v, 1))
	require.ErrorIs(t, ask(v, 1), store.ErrDone)
	require.NoError(t, ask(v, 2))
	cut, err := m.Load(t.Context(), "arena")
	require.NoError(t, err)
	require.Equal(t, []store.CommandID{{1}, {2}}, cut.Commands)

	w := play(t, m, noon, engine.Options{}, o)
	pay.Application.Spec = w.Engine().Catalog().Spec("coin")
	require.ErrorIs(t, ask(w, 2), store.ErrDone)
	buffs, err := w.Engine().Buffs(1)
	require.NoError(t, err)
	sum := 0
	for b := range buffs.All() {
		sum += b.Stacks
	}
	require.Equal(t, 10, sum)
	pay = buff.Kill(99)
	require.NoError(t, ask(w, 3), "the rules have refused it")
}

// failing is a store whose disk does not keep a write.
type failing struct{ store.Store }

func (f failing) Commit(context.Context, *store.Batch) error { return store.ErrBroken }
func (f failing) Close() error                               { return nil }

// TestReopen checks that a broken store is reopened before the next commit or, if this fails,
// before a later commit. A panic in Reopen fails one commit. No change is lost.
func TestReopen(t *testing.T) {
	m := storetest.NewMemory()
	tries := 0
	v := play(t, failing{m}, noon, engine.Options{}, store.Options{Reopen: func() (store.Store, error) {
		switch tries++; tries {
		case 1:
			panic("no disk")
		case 2:
			return nil, io.ErrUnexpectedEOF
		case 3:
			return failing{m}, nil
		}
		return m, nil
	}})
	for id, want := range []error{store.ErrBroken, nil, io.ErrUnexpectedEOF, store.ErrBroken} {
		require.NoError(t, v.Engine().Spawn(buff.OwnerID(id), &hero{id}))
		err := v.SaveAll(t.Context())
		if want == nil {
			require.ErrorContains(t, err, "no disk")
		} else {
			require.ErrorIs(t, err, want)
		}
	}
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, 4, tries)
	require.Empty(t, v.Stats().Problem())
	cut, err := m.Load(t.Context(), "arena")
	require.NoError(t, err)
	require.Len(t, cut.Owners, 4)
}

// TestZoneFails checks that a panic in Options.Zone does not affect the loop, and that the cut
// has the previous data.
func TestZoneFails(t *testing.T) {
	m := storetest.NewMemory()
	calls := 0
	v := play(t, m, noon, engine.Options{}, store.Options{Zone: func(b []byte) []byte {
		if calls++; calls > 1 {
			panic("no weather")
		}
		return append(b, "rain"...)
	}})
	for range 2 {
		require.NoError(t, v.Engine().Spawn(buff.OwnerID(calls), &hero{}))
		require.NoError(t, v.SaveAll(t.Context()))
		cut, err := m.Load(t.Context(), "arena")
		require.NoError(t, err)
		require.Equal(t, "rain", string(cut.Data))
	}
	require.ErrorContains(t, v.Stats().Last, "Zone panicked: no weather")
}
