package rules

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestKeys checks that each slot of several Owners that share a Memory has the hash of its
// instance, or 0 if it has none, up to the end of the piece, and that the deadlines are correct.
func TestKeys(t *testing.T) {
	c, spec := manySpec(t)
	for seed := range uint64(4) {
		dice := rand.New(rand.NewPCG(seed, 9))
		turn := &Turn{Catalog: c, Memory: &Memory{}}
		sets, handles := make([]*Owner, 8), make([][]buff.Handle, 8)
		for k := range sets {
			sets[k] = NewOwner(buff.OwnerID(k), uint32(k), 0, buff.MaxPerOwner)
		}
		moved, long := 0, 0
		for step := range wheel.Time(4000) {
			k := dice.IntN(len(sets))
			s := sets[k]
			piece := s.piece
			turn.Now = step
			switch n := dice.IntN(10); {
			case n < 6 && s.Len() < 90:
				a := buff.Application{Spec: spec, Source: buff.OwnerID(dice.IntN(999)), Duration: buff.Lasting(time.Duration(1+dice.IntN(9)) * time.Second)}
				handles[k] = append(handles[k], s.Do(turn, step, buff.Command{Verb: verb.Apply, Application: a}).Handle)
			case n < 8 && len(handles[k]) > 0:
				s.Do(turn, step, buff.Command{Verb: verb.Remove, Handle: handles[k][dice.IntN(len(handles[k]))]})
			case n == 8:
				for !s.Run(turn, step, 1+dice.IntN(3)) {
				}
			case dice.IntN(20) == 0:
				s.Clear(turn, step, reason.Unload)
				s.Free(turn)
				sets[k], handles[k] = NewOwner(buff.OwnerID(k), uint32(k), 0, buff.MaxPerOwner), nil
			}
			turn.Events = turn.Events[:0]
			if s = sets[k]; s.piece != piece {
				moved++
			}
			long = max(long, int(s.used))
			requireKeys(t, s)
			turn.Deadlines = turn.Deadlines[:0]
			waiting := 0
			for _, s := range sets {
				for _, due := range s.filed() {
					if due != wheel.Never {
						waiting++
					}
				}
			}
			require.Equal(t, waiting, turn.Waiting)
		}
		require.Greater(t, moved, 100)
		require.Greater(t, long, largestPiece)
	}
}

// requireKeys compares the keys of an Owner with its instances.
func requireKeys(t *testing.T, s *Owner) {
	t.Helper()
	room := s.room()
	require.Len(t, s.piece.keys(), keyWords(room))
	for at := range room {
		want := uint16(0)
		if at < int(s.used) {
			if spec := s.slot(uint16(at)).program(); spec != nil {
				want = hashOf(spec, s.slot(uint16(at)).source)
			}
		}
		if got := uint16(s.piece.keys()[room+at/4] >> (at % 4 * 16)); got != want {
			t.Fatalf("lane %d of %d, with %d slots: the hash is %#x, not %#x", at, room, int(s.used), got, want)
		}
	}
	for at, filed := range s.filed() {
		if i := s.slot(uint16(at)); i.def != 0 && s.scheduler.scratch == nil {
			due, _ := i.nextDue()
			if due < filed {
				t.Fatalf("slot %d is due at %d, and its deadline is %d", at, due, filed)
			}
		}
	}
}
