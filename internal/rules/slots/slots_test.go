package slots

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// card is a record for tests.
type card struct {
	value int
	_     [6]uint64
	Header
}

// modelOwner is what a Slots is expected to hold: the values of its records, oldest first.
type modelOwner struct {
	records []modelRecord
	gone    []modelRecord // some of the freed ones
}

type modelRecord struct {
	slot       uint16
	generation uint32
	value      int
	key        int64
	hash       uint16
}

// play lets several Slots with a common Memory and their models do what the bytes say, and compares
// them after each step.
func play(t *testing.T, script []byte) (most int) {
	m := &Memory{}
	limits := [...]int{3, 12, 100, Max}
	var owners [len(limits)]Slots[card, int64]
	var models [len(limits)]modelOwner
	for k := range owners {
		owners[k] = New[card, int64](limits[k], Generations{})
	}
	for n := 0; n+1 < len(script); n += 2 {
		k := int(script[n]) % len(owners)
		s, model, arg := &owners[k], &models[k], int(script[n+1])
		switch what := script[n] / 4 % 16; {
		case what < 8:
			slot, record := s.Alloc(m)
			require.Equal(t, len(model.records) < limits[k], record != nil)
			if record == nil {
				break
			}
			r := modelRecord{slot, s.Record(slot).Generation(), n, int64(n), uint16(arg%3)<<8 | uint16(n%5) | 1<<15}
			s.Record(slot).value, *s.Key(slot) = r.value, r.key
			s.SetHash(slot, r.hash)
			model.records = append(model.records, r)
		case what < 14 && len(model.records) > 0:
			at := arg % len(model.records)
			r := model.records[at]
			s.Free(r.slot)
			model.records = append(model.records[:at], model.records[at+1:]...)
			model.gone = append(model.gone, r)
		case what == 14 && len(model.records) > 0:
			r := &model.records[arg%len(model.records)]
			r.value, r.key = n, -int64(n)
			s.Record(r.slot).value, s.Keys()[r.slot] = r.value, r.key
		case what == 15 && arg < 8:
			s.Release(m)
			model.gone, model.records = nil, nil
		}
		model.require(t, s)
		most = max(most, s.Len())
	}
	m.check()
	for k := range owners {
		models[k].require(t, &owners[k])
		owners[k].Release(m)
	}
	taken, _, chunks := m.pieces()
	require.Zero(t, taken)
	require.Zero(t, chunks)
	return most
}

// require checks that a Slots holds what the model expects.
func (model *modelOwner) require(t *testing.T, s *Slots[card, int64]) {
	t.Helper()
	require.Equal(t, len(model.records), s.Len())
	slot, used := s.Oldest(), map[uint16]bool{}
	for _, r := range model.records {
		is := modelRecord{slot, s.Record(slot).Generation(), s.Record(slot).value, *s.Key(slot), s.Hash(slot)}
		if is != r || s.Keys()[slot] != r.key || used[slot] || !s.Has(slot, r.generation) {
			t.Fatalf("%+v, want %+v", is, r)
		}
		used[slot] = true
		if s.Record(slot).Newer() == None {
			require.Equal(t, slot, s.Newest())
		}
		slot = s.Record(slot).Newer()
	}
	require.EqualValues(t, None, slot)
	for _, r := range model.gone {
		require.False(t, s.Has(r.slot, r.generation))
	}
	for slot := range s.Used() {
		if !used[slot] {
			require.Zero(t, s.Hash(slot))
		}
	}
	const mask = 0xff00
	for kind := range uint16(3) {
		want := map[uint16]bool{}
		for _, r := range model.records {
			if r.hash&mask == kind<<8|1<<15 {
				want[r.slot] = true
			}
		}
		p, last := NewPattern(kind<<8|1<<15, mask), -1
		for k, word := range s.Hashes() {
			for found := p.In(word); found != 0; found = found.Rest() {
				slot := found.First(k)
				require.True(t, want[slot] && int(slot) > last)
				last = int(slot)
				delete(want, slot)
			}
		}
		require.Empty(t, want)
	}
}

// TestSlots_Model compares Slots with a model, for random steps.
func TestSlots_Model(t *testing.T) {
	most := 0
	for seed := range uint64(6) {
		dice := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 4000)
		for k := range script {
			script[k] = byte(dice.Uint32())
		}
		most = max(most, play(t, script))
	}
	require.Greater(t, most, largestPiece)
}

func FuzzSlots(f *testing.F) {
	f.Add(bytes.Repeat([]byte{2, 1}, 40))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 36, 1, 0, 0, 60, 1})
	f.Fuzz(func(t *testing.T, script []byte) { play(t, script[:min(len(script), 2000)]) })
}

// TestSlots_Bound checks that access to a slot beyond the piece panics, whatever the memory
// contains.
func TestSlots_Bound(t *testing.T) {
	m := &Memory{}
	s := New[card, int64](Max, Generations{})
	for range 3 {
		s.Alloc(m)
		for _, slot := range []uint16{s.size, s.size + 1, None} {
			for _, f := range []func(){
				func() { s.Record(slot) }, func() { s.Key(slot) }, func() { s.Hash(slot) }, func() { s.SetHash(slot, 1) },
			} {
				require.PanicsWithValue(t, "slots: slot out of range", f)
			}
		}
		require.NotPanics(t, func() { s.Record(s.size - 1); s.Key(s.size - 1); s.Hash(s.size - 1) })
	}
	require.Panics(t, func() { New[[3]uint64, int64](1, Generations{}) }, "a record has 64 bytes")
}

// TestSlots_Limit checks that an owner has no more slots than it may have records.
func TestSlots_Limit(t *testing.T) {
	for _, limit := range []int{1, 3, 5, 10, 12, 21} {
		s := New[card, int64](limit, Generations{})
		for range limit {
			_, r := s.Alloc(nil)
			require.NotNil(t, r)
		}
		require.EqualValues(t, limit, s.size)
		_, r := s.Alloc(nil)
		require.Nil(t, r)
	}
}

// TestSlots_Generations checks that the generations of a slot start at the origin, wrap around
// once, skip 0, and are used up when they reach the origin again; then the slot is not used again.
func TestSlots_Generations(t *testing.T) {
	for _, origin := range []uint32{0, 2, 4, 1 << 31, math.MaxUint32 - 1} {
		s := New[card, int64](2, Generations{Origin: origin})
		slot, _ := s.Alloc(nil)
		require.Equal(t, max(origin+1, 1), s.Record(slot).Generation())
		s.Free(slot)
		s.header(slot).generation = origin - 3 // near the last generation
		uses, last := 0, uint32(0)
		for s.free != None {
			s.Alloc(nil)
			g := s.Record(slot).Generation()
			require.NotContains(t, []uint32{0, last, origin}, g)
			uses, last = uses+1, g
			s.Free(slot)
		}
		want := 3
		if origin == 2 { // the generation 0 is skipped on the way
			want = 2
		}
		require.Equal(t, want, uses)
		require.Equal(t, uint32(math.MaxUint32), s.LastGeneration(), "none is left")
		other, _ := s.Alloc(nil)
		require.EqualValues(t, 1, other, "the slot is retired")
	}
}
