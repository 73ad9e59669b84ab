package rules

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules/slots"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// In the tests of this package, every use of freed memory is detected.
func init() { slots.Poison = true }

// manySpec returns a definition of which an owner may have any number of instances.
func manySpec(t testing.TB) (*buff.Catalog, *buff.Spec) {
	c, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: time.Hour, Period: time.Second})
	require.NoError(t, err)
	return c, c.Spec("p")
}

// TestKeys checks that each slot of several Owners that share a Memory has the hash of its
// instance, or 0 if it has none, and that the deadlines are correct.
func TestKeys(t *testing.T) {
	c, spec := manySpec(t)
	for seed := range uint64(4) {
		dice := rand.New(rand.NewPCG(seed, 9))
		turn := &Turn{Catalog: c, Memory: &Memory{}}
		sets, handles := make([]*Owner, 8), make([][]buff.Handle, 8)
		for k := range sets {
			sets[k] = NewOwner(buff.OwnerID(k), uint32(k), 0, buff.MaxPerOwner)
		}
		for step := range wheel.Time(4000) {
			k := dice.IntN(len(sets))
			s := sets[k]
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
			s = sets[k]
			requireKeys(t, s)
			turn.Deadlines = turn.Deadlines[:0]
			waiting := 0
			for _, s := range sets {
				for _, due := range s.records.Keys() {
					if due != wheel.Never {
						waiting++
					}
				}
			}
			require.Equal(t, waiting, turn.Waiting)
		}
	}
}

// requireKeys compares the keys of an Owner with its instances.
func requireKeys(t *testing.T, s *Owner) {
	t.Helper()
	for slot := range s.records.Used() {
		want := uint16(0)
		if spec := s.slot(slot).program(); spec != nil {
			want = hashOf(spec, s.slot(slot).source)
		}
		require.Equal(t, want, s.records.Hash(slot), "slot %d", slot)
	}
	for at, filed := range s.records.Keys() {
		if i := s.slot(uint16(at)); i.def != 0 && s.agenda.Empty() {
			due, _, _, _ := i.nextEvent()
			if wheel.Time(due) < filed {
				t.Fatalf("slot %d is due at %d, and its deadline is %d", at, due, filed)
			}
		}
	}
}
