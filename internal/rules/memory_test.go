package rules

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// In the tests of this package, every use of freed memory is detected.
func init() { poison = true }

// pieces returns the number of pieces in use, the number of their slots, and the number of chunks
// of a Memory.
func (m *Memory) pieces() (taken, slots, chunks int) {
	for k := range m.sizes {
		taken += int(m.sizes[k].taken)
	}
	for _, c := range m.chunks {
		if c != nil {
			slots += int(c.size) * int(c.pieces)
			chunks++
		}
	}
	return taken, slots, chunks
}

// chunkOf returns the chunk of a piece, or nil if the piece is not part of a chunk.
func (m *Memory) chunkOf(p piece) *slotChunk { return m.chunks[p.name().chunk] }

// check panics if the lists of a Memory and its counts do not agree.
func (m *Memory) check() {
	listed := map[uint32]bool{} // whether the chunk is draining
	list := func(first uint32, n int, left bool) {
		before := uint32(0)
		for k := first; k != 0; k = m.chunks[k].next {
			c := m.chunks[k]
			if _, twice := listed[k]; twice || c.prev != before || int(c.size) != n || c.draining != left {
				panic("a list is broken")
			}
			listed[k], before = left, k
		}
	}
	for n := range m.sizes {
		list(m.sizes[n].available, n, false)
		list(m.sizes[n].draining, n, true)
	}
	room := map[uint16]int32{}
	leaving := int32(0)
	for k, c := range m.chunks {
		if c == nil {
			continue
		}
		free := 0
		for at := range int(c.pieces) {
			if c.room[at/64]>>(at%64)&1 != 0 {
				free++
			}
		}
		if _, in := listed[uint32(k)]; free+int(c.taken) != int(c.pieces) || in != (free > 0) || c.draining && free == 0 {
			panic("a chunk does not know what room it has")
		}
		if c.draining {
			leaving++
		} else {
			room[c.size] += int32(free)
		}
	}
	for n := range m.sizes {
		if m.sizes[n].room != room[uint16(n)] {
			panic("a size does not know what room it has")
		}
	}
	if m.draining.Load() != leaving {
		panic("miscounted those that are being left")
	}
}

// manySpec returns a definition of which an owner may have any number of instances.
func manySpec(t testing.TB) (*buff.Catalog, *buff.Spec) {
	c, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: time.Hour, Period: time.Second})
	require.NoError(t, err)
	return c, c.Spec("p")
}

// TestMemory_FreesEmptyChunks checks that the chunks are freed after many owners with buffs, of all
// sizes, have left.
func TestMemory_FreesEmptyChunks(t *testing.T) {
	c, spec := manySpec(t)
	m := &Memory{}
	turn := &Turn{Catalog: c, Memory: m}
	var sets []*Owner
	for k := range 2000 {
		s := NewOwner(buff.OwnerID(k+1), uint32(k), 0, buff.MaxPerOwner)
		for range k % 100 {
			require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec, Source: 2}}).Err)
		}
		sets = append(sets, s)
	}
	m.check()
	taken, slots, chunks := m.pieces()
	used, have := 0, 0
	for _, s := range sets {
		if s.size > 0 && s.name().chunk != 0 {
			used, have = used+s.room(), have+1
		}
	}
	require.Equal(t, have, taken)
	require.LessOrEqual(t, float64(slots), 1.2*float64(used), "of %d chunks", chunks)
	for k := 0; k < len(sets); k += 2 { // every second owner
		s := sets[(k*7)%len(sets)]
		s.Clear(turn, 0, reason.Unload)
		s.Free(turn)
		m.check()
	}
	for _, s := range sets {
		s.Clear(turn, 0, reason.Unload)
		s.Free(turn)
	}
	m.check()
	taken, slots, chunks = m.pieces()
	require.Zero(t, taken)
	require.Zero(t, slots)
	require.Zero(t, chunks)
}

// TestMemory_GrowingOwners checks that owners that grow at the same time leave no nearly empty
// chunks, and that their buffs stay the same.
func TestMemory_GrowingOwners(t *testing.T) {
	c, spec := manySpec(t)
	m := &Memory{}
	turn := &Turn{Catalog: c, Memory: m}
	var sets []*Owner
	for k := range 400 {
		sets = append(sets, NewOwner(buff.OwnerID(k+1), uint32(k), 0, buff.MaxPerOwner))
	}
	apply := func(s *Owner) buff.Handle {
		return s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec, Source: s.ID()}}).Handle
	}
	for buffs := range 60 { // one owner in ten never has more than half of the buffs, and its buffs come and go
		for k, s := range sets {
			if k%10 != 0 || buffs < 30 {
				apply(s)
			} else {
				s.Do(turn, 0, buff.Command{Verb: verb.Remove, Handle: apply(s), Reason: reason.Cancelled})
			}
			turn.Events = turn.Events[:0]
		}
		m.check()
	}
	used := 0
	for k, s := range sets {
		used += s.room()
		have := 0
		for i := range s.All() {
			require.Equal(t, s.ID(), i.Source)
			have++
		}
		require.Equal(t, map[bool]int{false: 60, true: 30}[k%10 == 0], have)
	}
	_, slots, chunks := m.pieces()
	require.LessOrEqual(t, float64(slots), 1.1*float64(used), "of %d chunks", chunks)
}

// TestMemory_SmallGame checks that a game with ten players has small chunks.
func TestMemory_SmallGame(t *testing.T) {
	m := &Memory{}
	for range 10 {
		m.alloc(12)
	}
	_, slots, _ := m.pieces()
	require.LessOrEqual(t, slots, 16*12)
	m.check()
}

// TestOwner_SlotLimit checks that an owner has no more slots than it may have buffs.
func TestOwner_SlotLimit(t *testing.T) {
	c, spec := manySpec(t)
	turn := &Turn{Catalog: c, Memory: &Memory{}}
	for _, limit := range []int{1, 3, 5, 10, 12, 21} {
		s := NewOwner(1, 0, 0, limit)
		for range limit {
			require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec, Source: 2}}).Err)
		}
		require.Equal(t, limit, s.room())
		require.ErrorIs(t, s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec, Source: 2}}).Err, buff.ErrFull)
	}
}

// TestMemory_KeepsAvailableChunk checks that adding and removing an owner again and again does not allocate a chunk
// while other owners have pieces of the same size.
func TestMemory_KeepsAvailableChunk(t *testing.T) {
	m := &Memory{}
	for range fewPieces {
		m.alloc(8)
	}
	m.release(m.alloc(8))
	require.Zero(t, testing.AllocsPerRun(100, func() { m.release(m.alloc(8)) }))
	m.check()
}

// TestMemory_NoPieceTwice checks that no piece is in use twice, in chunks of many pieces, whatever
// pieces are allocated and freed.
func TestMemory_NoPieceTwice(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{1, 3, 8, largestPiece} {
		m := &Memory{}
		var all []piece
		there := map[*record]bool{}
		for step := range 4000 {
			if len(all) > 0 && dice.IntN(1000) < step/5 {
				k := dice.IntN(len(all))
				x := all[k]
				m.release(x)
				delete(there, x.record(0))
				all[k] = all[len(all)-1]
				all = all[:len(all)-1]
			} else {
				x := m.alloc(n)
				require.False(t, there[x.record(0)], "size %d, step %d", n, step)
				there[x.record(0)] = true
				all = append(all, x)
			}
			if step%100 == 0 {
				m.check()
			}
		}
		require.Greater(t, len(m.chunks), 3)
	}
}

// TestMemory_Drain checks that a chunk is drained once the other chunks have room for its pieces,
// and not earlier. An owner in the draining chunk gets a piece in another chunk while there is one.
// If there is none left, the draining chunk is used again.
func TestMemory_Drain(t *testing.T) {
	const n = 8
	m := &Memory{}
	var pieces [3 * fewPieces]piece
	for k := range fewPieces + 2 {
		pieces[k] = m.alloc(n)
	}
	first := m.chunkOf(pieces[0])
	require.NotSame(t, first, m.chunkOf(pieces[fewPieces]))
	give := func(k int) {
		m.release(pieces[k])
		m.check()
	}
	give(0)
	require.False(t, first.draining, "there is room for two, and it holds three")
	_, ok := m.relocate(pieces[1])
	require.False(t, ok, "it is not being left")
	give(1)
	require.True(t, first.draining)
	other, ok := m.relocate(pieces[2])
	require.True(t, ok)
	require.NotSame(t, first, m.chunkOf(other))
	m.alloc(n)
	_, ok = m.relocate(pieces[3])
	require.False(t, ok, "there is no room elsewhere")
	m.check()
	require.Same(t, first, m.chunkOf(m.alloc(n)))
	require.False(t, first.draining, "its room is needed")
	m.check()

	m = &Memory{}
	for k := range 2*fewPieces + 1 { // the last piece is in a chunk with more free pieces than one whole chunk holds
		pieces[k] = m.alloc(n)
	}
	give(0)
	require.True(t, m.chunkOf(pieces[1]).draining, "three quarters are little enough")
}

// TestPiece_Bound checks that access to a slot or key beyond the piece panics, whatever the memory
// contains.
func TestPiece_Bound(t *testing.T) {
	c, spec := manySpec(t)
	turn := &Turn{Catalog: c, Memory: &Memory{}}
	s := NewOwner(1, 0, 0, buff.MaxPerOwner)
	for range 3 {
		s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec, Source: 2}})
		for _, at := range []uint16{s.size, s.size + 1, noSlot} {
			for _, f := range []func(){
				func() { s.slot(at) }, func() { s.key(at) }, func() { s.hash(at) }, func() { s.setHash(at, 1) },
			} {
				require.PanicsWithValue(t, "rules: slot out of range", f)
			}
		}
		require.NotPanics(t, func() { s.slot(s.size - 1); s.key(s.size - 1); s.hash(s.size - 1) })
	}
}

// TestPiece_Layout checks that the slots, the keys and the name of a piece are within the lines of
// the piece and do not overlap, for pieces of all lengths.
func TestPiece_Layout(t *testing.T) {
	for n := 1; n <= 2*largestPiece; n++ {
		lines := make([]cacheLine, pieceLines(n)+1)
		p := newPiece(lines, n, pieceName{chunk: 1<<32 - 1, at: 1<<16 - 1})
		slots, keys := p.slots(), p.keys()
		require.Len(t, slots, n)
		require.Len(t, keys, keyWords(n))
		for k := range slots {
			slots[k] = poisoned
		}
		for k := range keys {
			keys[k] = wheel.Time(k + 1)
		}
		require.Equal(t, pieceName{chunk: 1<<32 - 1, at: 1<<16 - 1}, p.name())
		require.Zero(t, lines[pieceLines(n)], "beyond its lines")
		checkPoison(slots)
		for k := range keys {
			require.Equal(t, wheel.Time(k+1), keys[k])
		}
		require.Same(t, &slots[n-1], p.record(uint16(n-1)))
		require.Same(t, &keys[n-1], p.word(n-1))
	}
}

// TestPoison checks that reading or writing a freed slot is detected.
func TestPoison(t *testing.T) {
	c, spec := manySpec(t)
	m := &Memory{}
	turn := &Turn{Catalog: c, Memory: m}
	s := NewOwner(1, 0, 0, buff.MaxPerOwner)
	apply := func() {
		s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec, Source: 2}})
	}
	apply()
	m.alloc(1) // this piece keeps the chunk from being freed
	stale := s.slot(0)
	apply()
	require.NotSame(t, stale.record, s.record(0), "it has grown")
	require.Panics(t, func() { stale.program() })
	stale.stacks++
	require.PanicsWithValue(t, "rules: write to a freed slot", func() { m.alloc(1) })
}

// TestMemory_Concurrent runs Owners that grow and leave on several goroutines, each with its own
// Turn, with one shared Memory.
func TestMemory_Concurrent(t *testing.T) {
	c, spec := manySpec(t)
	m := &Memory{}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			turn := &Turn{Catalog: c, Memory: m}
			for round := range 50 {
				var sets [20]*Owner
				for k := range sets {
					s := NewOwner(buff.OwnerID(k+1), uint32(k), 0, buff.MaxPerOwner)
					for i := range (k*round + w) % 70 {
						h := s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec, Source: buff.OwnerID(w + 1)}}).Handle
						if i%3 == 0 {
							s.Do(turn, 0, buff.Command{Verb: verb.Remove, Handle: h, Reason: reason.Cancelled})
						}
					}
					sets[k] = s
				}
				for _, s := range sets {
					for i := range s.All() {
						if i.Source != buff.OwnerID(w+1) || i.Spec != spec {
							panic("somebody else has written to it")
						}
					}
					s.Clear(turn, 0, reason.Unload)
					s.Free(turn)
				}
				turn.Events = turn.Events[:0]
			}
		})
	}
	wg.Wait()
	m.check()
	taken, slots, _ := m.pieces()
	require.Zero(t, taken)
	require.Zero(t, slots)
}
