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

// TestP10_RoomOfAStall: what a worker leaves is read until the next Tick begins, and is free then, whoever may be stuck: the room
// for events of all lists together is that of one Tick at its limit, and not that of several frames of each
// worker.
func TestP10_RoomOfAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const owners, limit, workers = 1000, 20_000, 3
		p := newPrison(t, owners, engine.Options{Workers: workers, Limits: engine.Limits{Tick: limit}})
		most := 0
		for round := range buff.OwnerID(3) { // another worker is held each time, or the same
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

// TestSpareChunks: no more are kept than a Tick at its limit may need, and of those no more than were used at once; a very
// long one is not kept for good.
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

// TestChunksOfEmptyTurns: a turn that brings no event leaves nothing in its chunk, which is free when the others have been
// read, however long somebody is stuck; and when nobody is, each chunk has been told of all that was taken in.
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
			h, r := p.AddBuff(2, buff.Application{Spec: p.late})
			require.NoError(t, r.Err)
			require.Equal(t, buff.Applied, r.Kind)
			p.Tick(0) // its handler alone
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

// TestSlicesOfAShortTick: where all that is due is done at the end of the first slice, there is no second one.
func TestSlicesOfAShortTick(t *testing.T) {
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
