package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestP10_ChunksWhileStuck checks that the events of a worker are read until the next Tick starts,
// and that their memory is free then, even while some owners are stuck. So all lists together have
// room for the events of one Tick at its limit, not for several frames of each worker.
func TestP10_ChunksWhileStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const owners, limit, workers = 1000, 20_000, 3
		p := newPrison(t, owners, engine.Options{Workers: workers, Limits: engine.Limits{Tick: limit}})
		most := 0
		// another worker is held in each round, or the same one
		for round := range buff.OwnerID(3) {
			p.hold(1 + round)
			for range 10 {
				f := p.Tick(20 * time.Second)
				most = max(most, f.Len())
				synctest.Wait()
				require.LessOrEqual(t, engine.EventRoom(p.Engine), limit*5/4+2*workers*1024)
			}
			p.free()
			synctest.Wait()
			p.Tick(0)
		}
		require.Greater(t, most, limit*3/4)
		p.leave(t)
	})
}

// TestSpareChunks checks that the spare chunks kept are no more than a Tick at its limit may need,
// and after a shrink no more than were in use at once, and that a very long chunk is not kept.
func TestSpareChunks(t *testing.T) {
	for _, c := range []struct {
		limit, workers, used int
		rooms                []int
		kept, after          int
	}{
		{1600, 2, 9, []int{1024, 1024, 1024}, 3072, 3072},
		{1600, 2, 9, []int{1024, 1024, 1024, 1024}, 3072, 3072},
		{1600, 2, 9, []int{1848, 2000, 1}, 3848, 3848},
		{1600, 2, 9, []int{1848, 2000, 1, 1}, 3848, 3848},
		{8000, 1, 2, []int{1024, 1024, 1024}, 3072, 2048},
		{8000, 1, 2, []int{4097, 4096}, 8193, 4096},
	} {
		kept, after := engine.SpareRoom(c.limit, c.workers, c.used, c.rooms...)
		require.Equal(t, []int{c.kept, c.after}, []int{kept, after}, "%v", c)
	}
}

// TestChunksOfEmptyTurns checks that a turn without events uses no room in a chunk. The chunk is
// free when the events of the other turns have been read, however long an owner is stuck. When no
// owner is stuck, all merged segments have been counted in their chunks.
func TestChunksOfEmptyTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrison(t, 3, engine.Options{Workers: 2})
		p.Tick(time.Second)
		synctest.Wait()
		p.Tick(0)
		require.Zero(t, engine.Untaken(p.Engine))
		p.hold(1)
		rooms := []int{}
		for n := range 300 {
			r := p.AddBuff(2, buff.Application{Spec: p.late})
			h := r.Handle
			require.NoError(t, r.Failure)
			require.Equal(t, buff.Applied, r.Kind)
			p.Tick(0) // runs only its handler
			synctest.Wait()
			p.Remove(h)
			p.Tick(10 * time.Second)
			synctest.Wait()
			if n%100 == 99 {
				rooms = append(rooms, engine.EventRoom(p.Engine))
			}
		}
		require.LessOrEqual(t, rooms[2], rooms[0]+1024, "%v", rooms)
		p.leave(t)
	})
}

// TestTick_OneSliceIsEnough checks that there is no second slice if the first one processes all due
// events.
func TestTick_OneSliceIsEnough(t *testing.T) {
	for _, m := range modes[:4] {
		cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: 50 * time.Millisecond})
		o := engine.Options{Catalog: cat}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1)
		add(t, e, 1, cat.Spec("beat"))
		e.Tick(0)
		before := engine.Slices(e)
		require.Equal(t, 1, e.Tick(50*time.Millisecond).Len())
		require.Equal(t, before+1, engine.Slices(e), m.name)
	}
}
