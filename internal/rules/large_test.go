package rules_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestLargeNumbers checks that a buff of a year, which does not fit into 32 bits of milliseconds,
// pulses and ends like any other buff, and that the next buff in the same slot needs no extra.
func TestLargeNumbers(t *testing.T) {
	day := 24 * time.Hour
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "year", Duration: 365 * day, Period: 60 * day, Haste: define.HasteNext, Stack: define.Stacking{Limit: 2, Expire: define.ExpireOne}},
		buff.Spec{ID: "hour", Duration: time.Hour, Period: time.Second},
	)
	require.NoError(t, err)
	set, turn := rules.NewOwner(7, 3, 0, 4), &rules.Turn{Catalog: cat}
	told := func() (log []string) {
		for i := range turn.Events {
			log = append(log, string(turn.Events[i].AppendLog(nil, false)))
		}
		turn.Events = turn.Events[:0]
		return log
	}
	year := set.Do(turn, 0, buff.Apply(7, buff.Application{Spec: cat.Spec("year"), Stacks: 2})).Handle
	require.Equal(t, 1, set.Large())
	set.Do(turn, 0, buff.Apply(7, buff.Application{Spec: cat.Spec("hour")}))
	require.Equal(t, 1, set.Large())
	require.Equal(t, []string{"0 apply year x2 end=31536000000", "0 apply hour x1 end=3600000"}, told())

	blob, _ := set.Save(nil, cat, buff.Moment{}, 0)
	for name, s := range map[string]*rules.Owner{"as it was": set, "restored": rules.NewOwner(7, 3, 0, 4)} {
		if s != set {
			_, err := s.Restore(turn, buff.Moment{}, blob, nil)
			require.NoError(t, err)
			require.Equal(t, 1, s.Large())
			for i := range s.All() {
				if i.Spec == cat.Spec("year") {
					year = i.Handle
				}
			}
			turn.Events = turn.Events[:0]
			again, _ := s.Save(nil, cat, buff.Moment{}, 0)
			require.Equal(t, blob, again)
		}
		s.Do(turn, 0, buff.SetPeriod(year, 100*day))
		s.Do(turn, 0, buff.RemoveSpec(7, cat.Spec("hour"), 1, reason.Cancelled))
		turn.Events = turn.Events[:0]
		require.True(t, s.Run(turn, wheel.Time(800*day/time.Millisecond), 1<<20))
		require.Equal(t, []string{
			"5184000000 pulse year x2", "13824000000 pulse year x2", "22464000000 pulse year x2", "31104000000 pulse year x2",
			"31536000000 stackend year x1 why=expired end=63072000000",
			"39744000000 pulse year x1", "48384000000 pulse year x1", "57024000000 pulse year x1",
			"63072000000 remove year why=expired",
		}, told(), name)
		require.Zero(t, s.Len())
		s.Do(turn, turn.Now, buff.Apply(7, buff.Application{Spec: cat.Spec("hour")}))
		require.Zero(t, s.Large(), "another one has its place")
		s.Do(turn, turn.Now, buff.RemoveSpec(7, cat.Spec("hour"), 1, reason.Cancelled))
		turn.Events = turn.Events[:0]
	}
}

// TestLargeAges checks the order of buffs by age on an owner with more applications than 32 bits
// can count.
func TestLargeAges(t *testing.T) {
	defer rules.Fits(3)()
	cat, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: 2 * time.Millisecond, Stack: define.Stacking{By: define.ByNone}})
	require.NoError(t, err)
	set, turn := rules.NewOwner(7, 3, 0, 9), &rules.Turn{Catalog: cat}
	for k := range 6 {
		set.Do(turn, 0, buff.Apply(buff.OwnerID(k+1), buff.Application{Spec: cat.Spec("p"), Source: buff.OwnerID(k + 1)}))
	}
	require.Equal(t, 3, set.Large(), "the first three fit")
	turn.Events = turn.Events[:0]
	require.True(t, set.Run(turn, 2, 1<<20))
	for k := range 6 {
		require.Equal(t, buff.OwnerID(k+1), turn.Events[k].Source)
	}
}

// TestLargeBlob checks that a blob does not depend on where the numbers of an instance are stored.
func TestLargeBlob(t *testing.T) {
	for seed := range uint64(200) {
		s := newSaveScript(t, rand.New(rand.NewPCG(seed, 13)), func(*buff.Spec) {})
		play := func() (blobs [][]byte, large int) {
			turn := &rules.Turn{Catalog: s.catalog, Seed: seed}
			set := rules.NewOwner(7, 3, 0, 40)
			for _, st := range s.steps {
				s.do(t, turn, set, st)
				turn.Events, turn.Outbox = turn.Events[:0], turn.Outbox[:0]
				blob, _ := set.Save(nil, s.catalog, buff.Moment{Now: wheel.Time(st.at)}, 0)
				blobs, large = append(blobs, blob), large+set.Large()
			}
			return blobs, large
		}
		want, none := play()
		restore := rules.Fits(0)
		got, all := play()
		restore()
		require.Zero(t, none)
		require.Positive(t, all)
		require.Equal(t, want, got, "seed %d", seed)
	}
}
