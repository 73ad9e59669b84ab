package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
)

// onlooker knows the owners of an engine only from Engine.Changes.
type onlooker struct {
	eng      *engine.Engine
	changes  *engine.Changes
	ids      map[uint32]buff.OwnerID
	known    map[uint32]map[int]buff.Instance
	dead     map[uint32]bool
	reported int // number of changes of owners so far
}

func newOnlooker(e *engine.Engine) *onlooker {
	return &onlooker{
		eng: e, changes: e.Changes(),
		ids: map[uint32]buff.OwnerID{}, known: map[uint32]map[int]buff.Instance{}, dead: map[uint32]bool{},
	}
}

// read applies the changes.
func (o *onlooker) read(tb testing.TB) {
	for x := range o.changes.All() {
		o.reported++
		if x.Gone {
			require.Equal(tb, o.ids[x.Number], x.Owner)
			delete(o.ids, x.Number)
			delete(o.known, x.Number)
			continue
		}
		if x.Came {
			require.NotContains(tb, o.ids, x.Number, "told of %d, and it has not left", x.Owner)
			o.ids[x.Number], o.known[x.Number] = x.Owner, map[int]buff.Instance{}
			for b := range x.Buffs.All() {
				o.known[x.Number][b.Handle.Slot()] = b
			}
		}
		o.dead[x.Number] = x.Dead
		require.Equal(tb, o.ids[x.Number], x.Owner)
		// tests of package internal/rules check which of them have changed
		for at := range x.Journal.Slots() {
			if b, ok := x.Buffs.At(at); ok {
				o.known[x.Number][at] = b
			} else {
				delete(o.known[x.Number], at)
			}
		}
	}
}

// look reads the changes and compares the onlooker's state with the engine's, except for busy
// owners.
func (o *onlooker) look(tb testing.TB, owners int) {
	o.read(tb)
	there := map[buff.OwnerID]uint32{}
	for n, id := range o.ids {
		require.NotContains(tb, there, id, "known twice")
		there[id] = n
	}
	for id := range buff.OwnerID(owners + 2) {
		buffs, err := o.eng.Buffs(id)
		if err != nil {
			if !o.eng.Busy(id) { // there is no such owner
				require.NotContains(tb, there, id)
			}
			continue
		}
		known := o.known[there[id]]
		require.NotNil(tb, known, "%d is not known", id)
		n := 0
		for b := range buffs.All() {
			n++
			was := known[b.Handle.Slot()]
			was.NextPulse = b.NextPulse
			if was.Spec != nil && was.Spec.Lineage() == b.Spec.Lineage() && was.Spec.Revision() == b.Spec.Revision() {
				was.Spec = b.Spec
			}
			require.Equal(tb, b, was, "of %d", id)
		}
		require.Len(tb, known, n, "of %d", id)
	}
}

// TestChanges checks that a reader of Changes knows the state of all owners after each Tick, with
// any number of workers. TestSimulation does the same with stuck workers.
func TestChanges(t *testing.T) {
	seeds := uint64(long.Times(6))
	reported := 0
	for seed := range seeds {
		p := plan{seed: seed, owners: 3 + int(seed), steps: 60, outbox: true, inbox: true, churn: true, shared: true, stats: seed%2 == 0, reload: seed%3 == 0}
		o := engine.Options{Synchronous: seed%4 == 0, Workers: 1 + int(seed%5), Budget: patient}
		if o.Synchronous {
			o.Workers = 0
		}
		s := newSim(t, p, o)
		if seed%2 == 0 {
			s.run(whole) // the reader may start at any time
		}
		s.onlooker = newOnlooker(s.eng)
		s.run(every(200 * time.Millisecond))
		reported += s.onlooker.reported
		s.finish()
	}
	require.Greater(t, reported, 300)
}

// TestEngine_Changes_Death checks that the death of an owner without buffs is reported, and its
// revival.
func TestEngine_Changes_Death(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true, Catalog: catalogOf(t)})
	require.NoError(t, e.Spawn(7, nil))
	o := newOnlooker(e)
	o.read(t)
	for _, dead := range []bool{true, false} {
		do := buff.Revive
		if dead {
			do = buff.Kill
		}
		require.NoError(t, e.Do(do(7)).Failure)
		e.Tick(time.Second)
		before := o.reported
		o.read(t)
		require.Equal(t, before+1, o.reported)
		require.Equal(t, dead, o.dead[0])
	}
	before := o.reported
	e.Tick(time.Second)
	o.read(t)
	require.Equal(t, before, o.reported, "nothing has changed")
	require.PanicsWithValue(t, "engine: Changes called twice", func() { e.Changes() })
}

// TestEngine_Changes_ReusedNumber checks that an owner that was spawned and removed between two
// loops over Changes is not reported, even if its number belonged before to another owner that was
// reported completely.
func TestEngine_Changes_ReusedNumber(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true, Catalog: catalogOf(t)})
	o := newOnlooker(e)
	for _, id := range []buff.OwnerID{7, 8} {
		require.NoError(t, e.Spawn(id, nil))
		if id == 7 {
			o.read(t)
		}
		require.NoError(t, e.Drop(id))
		e.Tick(time.Second)
		o.read(t)
	}
	require.Equal(t, 2, o.reported, "that 7 came, and that it left")
}

// TestChangesAllocations checks that Changes allocates nothing in a steady state.
func TestChangesAllocations(t *testing.T) {
	c := catalogOf(t, buff.Spec{ID: "a", Duration: time.Minute, Stack: define.Stacking{By: define.ByTarget}})
	e := open(t, engine.Options{Synchronous: true, Catalog: c})
	changes := e.Changes()
	for id := range buff.OwnerID(100) {
		require.NoError(t, e.Spawn(id, nil))
	}
	n := 0
	frame := func() {
		for id := buff.OwnerID(0); id < 100; id += 3 {
			e.AddBuff(id, buff.Application{Spec: c.Spec("a")})
		}
		e.Tick(50 * time.Millisecond)
		for x := range changes.All() {
			for at, what := range x.Journal.Slots() {
				if b, ok := x.Buffs.At(at); ok && what == journal.Time {
					n += b.Stacks
				}
			}
		}
	}
	for range 10 {
		frame()
	}
	n = 0
	require.Zero(t, testing.AllocsPerRun(50, frame))
	require.Equal(t, 51*34, n)
}

// TestMarks_Next checks that marks.next finds numbers up to the limit, for several sizes of the
// set.
func TestMarks_Next(t *testing.T) {
	for _, limit := range []int{64, 128, 64 * 63, 64 * 64, 64 * 65} {
		last := uint32(limit - 1)
		n, ok := engine.NextMark([]uint32{0, 63, last}, limit, 0, limit)
		require.True(t, ok)
		require.Zero(t, n)
		n, ok = engine.NextMark([]uint32{0, last}, limit, 1, limit)
		require.True(t, ok)
		require.Equal(t, last, n)
		_, ok = engine.NextMark([]uint32{0, last}, limit, 1, limit-1)
		require.False(t, ok)
		_, ok = engine.NextMark(nil, limit, 0, limit)
		require.False(t, ok)
	}
}
