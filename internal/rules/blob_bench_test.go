package rules

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// twenty returns an Owner with twenty plain buffs that pulse.
func twenty(b *testing.B) (*Owner, *buff.Catalog) {
	c := mustCatalog(b, buff.Spec{ID: "poison", Duration: time.Hour, Period: 3 * time.Second})
	s, turn := NewOwner(7, 3, 0, 100), &Turn{Catalog: c}
	for k := range 20 {
		s.Do(turn, wheel.Time(k), buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("poison"), Source: 9}})
	}
	return s, c
}

func BenchmarkSave(b *testing.B) {
	s, c := twenty(b)
	blob, _ := s.Save(nil, c, blobMoment, 0)
	b.ReportAllocs()
	for b.Loop() {
		blob, _ = s.Save(blob[:0], c, blobMoment, 0)
	}
	b.ReportMetric(float64(len(blob)), "B/blob")
}

// BenchmarkSaveCold saves one of many owners that are not in the cache. Each owner has two dozen
// buffs of ten definitions and of all ages.
func BenchmarkSaveCold(b *testing.B) {
	const owners, buffs, again = 16384, 24, 100
	var specs []buff.Spec
	for k, id := range []string{"rot", "poison", "shred", "bleeding", "slow", "mark", "blessing", "regeneration", "wrath", "ward"} {
		s := buff.Spec{ID: id, Duration: time.Duration(100*k+300) * time.Second, Period: time.Duration(k%3) * 700 * time.Millisecond, Stack: define.Stacking{By: define.ByNone}}
		if k > 5 {
			s.Kind, s.Duration = define.Infinite, 0
		}
		specs = append(specs, s)
	}
	c := mustCatalog(b, specs...)
	turn := &Turn{Catalog: c}
	all := slices.Collect(c.All())
	rng := rand.New(rand.NewPCG(1, 2))
	sets := make([]*Owner, owners)
	for n := range sets {
		s := NewOwner(buff.OwnerID(n), uint32(n), 0, 100)
		sets[n] = s
		for k := range buffs + again {
			if k >= buffs {
				s.Do(turn, wheel.Time(k), buff.Remove(s.slot(uint16(rng.IntN(buffs))).handle()))
			}
			s.Do(turn, wheel.Time(k), buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: all[rng.IntN(len(all))], Source: buff.OwnerID(rng.IntN(owners))}})
			turn.Events = turn.Events[:0]
		}
	}
	var blob []byte
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n = (n + 1365) % owners
		blob, _ = sets[n].Save(blob[:0], c, buff.Moment{Now: buffs + again + wheel.Time(n)}, 0)
	}
	b.ReportMetric(float64(len(blob)), "B/blob")
}

func BenchmarkRestore(b *testing.B) {
	s, c := twenty(b)
	blob, _ := s.Save(nil, c, blobMoment, 0)
	turn := &Turn{Catalog: c, Now: blobMoment.Now}
	b.ReportAllocs()
	for b.Loop() {
		into := NewOwner(7, 3, 0, 100)
		if _, err := into.Restore(turn, blobMoment, blob, nil); err != nil {
			b.Fatal(err)
		}
		turn.Events = turn.Events[:0]
	}
}

// TestOwner_Restore_Allocations checks that Restore allocates only what the owner keeps, with one
// allocation for each kind of data.
func TestOwner_Restore_Allocations(t *testing.T) {
	specs := []buff.Spec{
		{ID: "plain", Duration: time.Minute, Period: 3 * time.Second, Stack: define.Stacking{By: define.ByNone}},
		{ID: "charges", Duration: time.Minute, Charges: define.Charges{N: 5}, Stack: define.Stacking{By: define.ByNone}},
		{ID: "params", Duration: time.Minute, Params: []define.Param{{Name: "a", Value: define.Const(3)}, {Name: "b", Value: define.Const(0.1)}}, Stack: define.Stacking{By: define.ByNone}},
	}
	for _, k := range []struct {
		carries []string
		want    float64
	}{
		{nil, 1},                                    // the Owner
		{[]string{"plain"}, 2},                      // its buffs and their keys, without a Memory
		{[]string{"plain", "charges"}, 4},           // the extras, and the state that holds them
		{[]string{"plain", "charges", "params"}, 6}, // their numbers
	} {
		c := mustCatalog(t, specs...)
		s, turn := NewOwner(7, 3, 0, 100), &Turn{Catalog: c}
		for n := range 19 * min(len(k.carries), 1) {
			r := s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec(k.carries[n%len(k.carries)]), Source: 9}})
			require.NoError(t, r.Failure)
		}
		blob, _ := s.Save(nil, c, blobMoment, 0)
		got := testing.AllocsPerRun(100, func() {
			turn.Now, turn.Events = blobMoment.Now, turn.Events[:0]
			into := NewOwner(7, 3, 0, 100)
			if _, err := into.Restore(turn, blobMoment, blob, nil); err != nil {
				t.Error(err)
			}
		})
		require.LessOrEqual(t, got, k.want, "%v", k.carries)
	}
}

// TestOwner_Restore_ReusesMemory checks that the parts that a Restore has set aside or placed on
// the owner share no memory with later calls of Restore that use the same Turn.
func TestOwner_Restore_ReusesMemory(t *testing.T) {
	c := blobCatalog(t)
	blob, _ := fullSet(t, c, 3).Save(nil, c, blobMoment, 0)
	other, _ := fullSet(t, c, 1).Save(nil, c, blobMoment, 0)
	for _, catalog := range []*buff.Catalog{c, mustCatalog(t, blobSpecs()[1:9]...)} {
		fresh, _, want, err := restoreHere(catalog, blob)
		require.NoError(t, err)
		turn := &Turn{Catalog: catalog, Seed: 1, Now: blobMoment.Now}
		s := NewOwner(7, 3, 0, buff.MaxPerOwner)
		got, err := s.Restore(turn, blobMoment, blob, nil)
		require.NoError(t, err)
		require.Equal(t, want, got)
		for _, b := range [][]byte{other, blob, other[:len(other)-1], other} {
			_, _ = NewOwner(8, 4, 0, buff.MaxPerOwner).Restore(turn, blobMoment, b, nil)
			turn.Catalog = c // names that were found in another catalog must not be reused
		}
		a, _ := fresh.Save(nil, catalog, blobMoment, 0)
		b, _ := s.Save(nil, catalog, blobMoment, 0)
		require.Equal(t, a, b)
	}
}

// BenchmarkSaveFull saves an owner with buffs of each kind, most of which are not plain.
func BenchmarkSaveFull(b *testing.B) {
	c := blobCatalog(b)
	s := fullSet(b, c, 2)
	blob, _ := s.Save(nil, c, blobMoment, 0)
	b.ReportAllocs()
	for b.Loop() {
		blob, _ = s.Save(blob[:0], c, blobMoment, 0)
	}
}

// BenchmarkRestoreFull restores the owner of BenchmarkSaveFull.
func BenchmarkRestoreFull(b *testing.B) {
	c := blobCatalog(b)
	blob, _ := fullSet(b, c, 2).Save(nil, c, blobMoment, 0)
	turn := &Turn{Catalog: c, Now: blobMoment.Now}
	b.ReportAllocs()
	for b.Loop() {
		into := NewOwner(7, 3, 0, buff.MaxPerOwner)
		if _, err := into.Restore(turn, blobMoment, blob, nil); err != nil {
			b.Fatal(err)
		}
		turn.Events = turn.Events[:0]
	}
}
