package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// parked returns the gold of the parked owners.
func parked(v *store.Saver) map[buff.OwnerID]string {
	out := map[buff.OwnerID]string{}
	for id, data := range v.Parked() {
		out[id] = string(data)
	}
	return out
}

// TestPark checks that a parked owner is in no engine, survives a restart, and returns with its
// data, its area and the buffs that the time away has left.
func TestPark(t *testing.T) {
	s := storetest.NewMemory()
	v := play(t, s, noon, engine.Options{}, store.Options{})
	e := v.Engine()
	for id := range buff.OwnerID(3) {
		require.NoError(t, e.Spawn(id, &hero{int(id)}))
	}
	for _, name := range []string{"poison", "boon", "oath"} {
		e.AddBuff(1, buff.Application{Spec: e.Catalog().Spec(name), Source: 2})
	}
	require.NoError(t, e.Do(buff.SetArea(1, 5)).Failure)
	pass(v, 1500*time.Millisecond)
	require.NoError(t, v.Park(1))
	require.NoError(t, v.Park(2))
	require.Nil(t, e.Data(1))
	require.NoError(t, v.SaveAll(t.Context()))

	w := play(t, s, noon.Add(time.Hour), engine.Options{}, store.Options{})
	r := w.Restored()
	require.Equal(t, []int{1, 2, 0}, []int{r.Owners, r.Parked, r.Buffs})
	require.Equal(t, 1, w.Engine().Owners())
	require.Equal(t, map[buff.OwnerID]string{1: "1", 2: "2"}, parked(w))
	require.NoError(t, w.SaveAll(t.Context()), "a cut that does not mention them keeps them")
	x, err := w.Unpark(1)
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, []int{x.Restored, x.Expired})
	require.Empty(t, x.Sources, "the source is parked and will return")
	require.Equal(t, &hero{1}, w.Engine().Data(1))
	area, err := w.Engine().Area(1)
	require.NoError(t, err)
	require.EqualValues(t, 5, area)
	buffs, err := w.Engine().Buffs(1)
	require.NoError(t, err)
	for b := range buffs.All() {
		require.Contains(t, []string{"poison 58.5s", "oath 2562047h47m16.854775807s"}, fmt.Sprint(b.Spec.ID, " ", b.Left(w.Engine().Now())))
	}
}

// TestPark_Refused checks the errors of Park and Unpark, and that they change nothing.
func TestPark_Refused(t *testing.T) {
	s := storetest.NewMemory()
	fails := errors.New("no")
	var marshals, unmarshals error
	o := store.Options{
		Marshal: func(id buff.OwnerID, data any, b []byte) ([]byte, error) {
			b, _ = marshal(id, data, b)
			return b, marshals
		},
		Unmarshal: func(id buff.OwnerID, b []byte) (any, error) {
			h, _ := unmarshal(id, b)
			return h, unmarshals
		},
	}
	v := play(t, s, noon, engine.Options{}, o)
	require.NoError(t, v.Engine().Spawn(1, &hero{1}))
	unpark := func() error { _, err := v.Unpark(1); return err }
	require.ErrorIs(t, v.Park(2), engine.ErrUnknownOwner)
	require.ErrorIs(t, unpark(), engine.ErrOwnerExists)
	marshals = fails
	require.ErrorIs(t, v.Park(1), fails)
	marshals = nil
	require.NotNil(t, v.Engine().Data(1))
	require.NoError(t, v.Park(1))
	require.ErrorIs(t, v.Park(1), engine.ErrUnknownOwner)
	unmarshals = fails
	require.ErrorIs(t, unpark(), fails)
	require.Equal(t, map[buff.OwnerID]string{1: "1"}, parked(v))
	unmarshals = nil
	require.NoError(t, unpark())
	require.ErrorIs(t, unpark(), engine.ErrOwnerExists)
	require.NoError(t, v.Engine().Drop(1))
	require.ErrorIs(t, unpark(), engine.ErrUnknownOwner)

	for id := range buff.OwnerID(4) {
		require.NoError(t, v.Engine().Spawn(id, &hero{1}))
	}
	require.NoError(t, v.Park(0))
	require.NoError(t, v.SaveAll(t.Context()))
	o.PerFrame = 2
	v = play(t, s, noon, engine.Options{}, o)
	require.ErrorIs(t, v.Park(1), engine.ErrBusy, "not all owners are restored")
	_, err := v.Unpark(0)
	require.ErrorIs(t, err, engine.ErrBusy)
}

// TestPark_Spawned checks that a game that spawns a parked owner can still be saved, and that the
// owner is then in the engine only.
func TestPark_Spawned(t *testing.T) {
	s := storetest.NewMemory()
	v := play(t, s, noon, engine.Options{}, store.Options{})
	require.NoError(t, v.Engine().Spawn(1, &hero{1}))
	require.NoError(t, v.Park(1))
	require.NoError(t, v.Engine().Spawn(1, &hero{2}))
	require.NoError(t, v.SaveAll(t.Context()))
	w := play(t, s, noon, engine.Options{}, store.Options{})
	require.Empty(t, parked(w))
	require.Equal(t, &hero{2}, w.Engine().Data(1))
}

// TestPark_Moves checks that an owner can be restored and moved to another zone at once.
func TestPark_Moves(t *testing.T) {
	s := storetest.NewMemory()
	v := play(t, s, noon, engine.Options{}, store.Options{})
	require.NoError(t, v.Engine().Spawn(1, &hero{1}))
	require.NoError(t, v.Park(1))
	require.NoError(t, v.SaveAll(t.Context()))
	_, err := v.Unpark(1)
	require.NoError(t, err)
	_, err = v.Move(1, "harbour")
	require.NoError(t, err)
	require.NoError(t, v.SaveAll(t.Context()))
	places, err := s.Where(t.Context(), []buff.OwnerID{1})
	require.NoError(t, err)
	require.Equal(t, []store.Place{{Owner: 1, Zone: "harbour", Arriving: true}}, places)
}

// world is where the owners are, with their gold.
type world struct{ online, parked map[buff.OwnerID]string }

func worldOf(v *store.Saver) world {
	w := world{map[buff.OwnerID]string{}, parked(v)}
	for id := range v.Engine().OwnerIDs() {
		w.online[id] = fmt.Sprint(v.Engine().Data(id).(*hero).gold)
	}
	return w
}

func (w world) clone() world { return world{maps.Clone(w.online), maps.Clone(w.parked)} }

// outage is a store in which a commit fails before or after its changes are kept, or finds that an
// acknowledged cut is lost.
type outage struct {
	store.Store
	before, after error
}

func (o *outage) Commit(ctx context.Context, b *store.Batch) error {
	if o.before != nil && !(b.Whole && errors.Is(o.before, store.ErrLost)) {
		return o.before
	}
	return errors.Join(o.Store.Commit(ctx, b), o.after)
}

// TestPark_Crash lets a game crash after each sequence of up to five steps: owner 1 logs out or
// in, or is removed or created, and cuts are kept, fail, or need the whole zone. The restored zone must be
// the one of the last cut that was kept.
func TestPark_Crash(t *testing.T) {
	const steps = "oirkful"
	var run func(sequence string)
	run = func(sequence string) {
		if got, want := crash(t, sequence); !maps.Equal(got.online, want.online) || !maps.Equal(got.parked, want.parked) {
			t.Fatalf("after %s: %v, want %v", sequence, got, want)
		}
		for _, s := range steps {
			if len(sequence) < 5 {
				run(sequence + string(s))
			}
		}
	}
	run("")
}

// crash plays a sequence of steps and returns the zone after a restart, and the zone of the last
// cut that was kept.
func crash(t *testing.T, sequence string) (got, want world) {
	o := store.Options{
		Every: -1, Marshal: marshal, Unmarshal: unmarshal,
		Now: func() time.Time { return noon },
	}
	open := func(s store.Store) *store.Saver {
		v, err := store.Open(t.Context(), s, "arena", engine.Options{Synchronous: true}, o)
		require.NoError(t, err)
		return v
	}
	disk := &outage{Store: storetest.NewMemory()}
	v := open(disk)
	e := v.Engine()
	require.NoError(t, e.Spawn(1, &hero{0}))
	require.NoError(t, e.Spawn(2, &hero{0}))
	require.NoError(t, v.Park(2))
	require.NoError(t, v.SaveAll(t.Context()))
	want = worldOf(v)
	for n, step := range sequence {
		failure := error(nil)
		switch step {
		case 'o', 'i', 'r':
			if v.Touch(1) == nil {
				e.Data(1).(*hero).gold = n
			}
			change(t, v, step, n)
			continue
		case 'f':
			disk.before, failure = errDisk, errDisk
		case 'u':
			disk.after, failure = errDisk, errDisk
		case 'l':
			disk.before, failure = store.ErrLost, store.ErrLost
		}
		err := v.SaveAll(t.Context())
		if disk.before == nil || err == nil {
			want = worldOf(v).clone()
		}
		if err != nil {
			require.ErrorIs(t, err, failure)
		}
		disk.before, disk.after = nil, nil
	}
	v.Close()
	require.NoError(t, e.Close(t.Context()))
	w := open(disk)
	defer func() { w.Close(); require.NoError(t, w.Engine().Close(t.Context())) }()
	require.Empty(t, w.Restored().Failed)
	return worldOf(w), want
}

// change logs owner 1 out or in, if it is not already, or removes or creates it.
func change(t *testing.T, v *store.Saver, step rune, gold int) {
	switch step {
	case 'o':
		_ = v.Park(1)
	case 'i':
		_, _ = v.Unpark(1)
	case 'r':
		if _, err := v.Unpark(1); errors.Is(err, engine.ErrUnknownOwner) {
			require.NoError(t, v.Engine().Spawn(1, &hero{gold}))
		} else {
			require.NoError(t, v.Engine().Drop(1))
		}
	}
}

var errDisk = errors.New("the disk has failed")

// ExampleSaver_Park logs a player out, and in again in the next process.
func ExampleSaver_Park() {
	ctx, disk := context.Background(), storetest.NewMemory()
	for range 2 {
		zone, err := store.Open(ctx, disk, "town", engine.Options{}, store.Options{})
		if err != nil {
			panic(err)
		}
		switch _, err := zone.Unpark(7); { // player 7 logs in
		case err == nil:
			fmt.Println("welcome back")
		case errors.Is(err, engine.ErrUnknownOwner):
			fmt.Println("welcome", zone.Engine().Spawn(7, nil))
		}
		if err := zone.Park(7); err != nil { // player 7 logs out
			panic(err)
		}
		if err := zone.Drain(ctx); err != nil {
			panic(err)
		}
	}
	// Output:
	// welcome <nil>
	// welcome back
}
