package slots

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// In the tests of this package, every use of freed memory is detected.
func init() { Poison = true }

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
		there := map[*cacheLine]bool{}
		for step := range 4000 {
			if len(all) > 0 && dice.IntN(1000) < step/5 {
				k := dice.IntN(len(all))
				x := all[k]
				m.release(x)
				delete(there, x.base)
				all[k] = all[len(all)-1]
				all = all[:len(all)-1]
			} else {
				x := m.alloc(n)
				require.False(t, there[x.base], "size %d, step %d", n, step)
				there[x.base] = true
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

// TestPiece_Layout checks that the slots, the rows and the name of a piece are within the lines of
// the piece and do not overlap, for pieces of all lengths.
func TestPiece_Layout(t *testing.T) {
	for n := 1; n <= 2*largestPiece; n++ {
		lines := make([]cacheLine, pieceLines(n)+1)
		p := newPiece(lines, n, pieceName{chunk: 1<<32 - 1, at: 1<<16 - 1})
		slots, rows := p.lines(), p.rows()
		require.Len(t, slots, n)
		require.Len(t, rows, n+hashWords(n))
		poison(slots)
		for k := range rows {
			rows[k] = uint64(k + 1)
		}
		require.Equal(t, pieceName{chunk: 1<<32 - 1, at: 1<<16 - 1}, p.name())
		require.Zero(t, lines[pieceLines(n)], "beyond its lines")
		checkPoison(slots)
		for k := range rows {
			require.Equal(t, uint64(k+1), rows[k])
		}
	}
	require.LessOrEqual(t, chunkLines/pieceLines(1), mostPieces, "each has its bit")
}

// TestPoison checks that a write to a freed slot is detected, and that a freed slot has no valid
// content.
func TestPoison(t *testing.T) {
	m := &Memory{}
	s := New[card, int64](Max, Generations{})
	s.Alloc(m)
	m.alloc(1) // this piece keeps the chunk from being freed
	stale := s.Record(0)
	s.Alloc(m)
	require.NotSame(t, stale, s.Record(0), "the records have moved")
	require.EqualValues(t, poisonWord, stale.value)
	stale.value++
	require.PanicsWithValue(t, "slots: write to a freed slot", func() { m.alloc(1) })
}

// TestMemory_Concurrent runs Slots that grow and leave on several goroutines, with one Memory.
func TestMemory_Concurrent(t *testing.T) {
	m := &Memory{}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for round := range 50 {
				var owners [20]Slots[card, int64]
				for k := range owners {
					s := New[card, int64](Max, Generations{})
					for n := range (k*round + w) % 70 {
						slot, r := s.Alloc(m)
						r.value = w
						if n%3 == 0 {
							s.Free(slot)
						}
					}
					owners[k] = s
				}
				for k := range owners {
					s := &owners[k]
					for slot := s.Oldest(); slot != None; slot = s.Record(slot).Newer() {
						if s.Record(slot).value != w {
							panic("another goroutine has written to it")
						}
					}
					s.Release(m)
				}
			}
		})
	}
	wg.Wait()
	m.check()
	taken, slots, _ := m.pieces()
	require.Zero(t, taken)
	require.Zero(t, slots)
}

// TestMemory_GrowingOwners checks that owners that grow at the same time leave no nearly empty
// chunks, and that all chunks are freed after all owners have left.
func TestMemory_GrowingOwners(t *testing.T) {
	m := &Memory{}
	owners := make([]Slots[card, int64], 400)
	for k := range owners {
		owners[k] = New[card, int64](Max, Generations{})
	}
	for n := range 60 { // one owner in ten never has more than half of the records, which come and go
		for k := range owners {
			slot, r := owners[k].Alloc(m)
			r.value = k
			if k%10 == 0 && n >= 30 {
				owners[k].Free(slot)
			}
		}
		m.check()
	}
	used := 0
	for k := range owners {
		s, n := &owners[k], 0
		used += int(s.size)
		for slot := s.Oldest(); slot != None; slot = s.Record(slot).Newer() {
			require.Equal(t, k, s.Record(slot).value)
			n++
		}
		require.Equal(t, map[bool]int{false: 60, true: 30}[k%10 == 0], n)
	}
	_, slots, chunks := m.pieces()
	require.LessOrEqual(t, float64(slots), 1.1*float64(used), "of %d chunks", chunks)
	for k := range owners {
		owners[k*7%len(owners)].Release(m)
		m.check()
	}
	taken, slots, chunks := m.pieces()
	require.Zero(t, taken)
	require.Zero(t, slots)
	require.Zero(t, chunks)
}
