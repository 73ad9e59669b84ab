package rules_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestAdoptAtRandom reloads random definitions repeatedly while buffs run. Afterwards all counters
// must be correct, a saved owner must be restorable, and every instance must have the newest
// version of its definition, unless the instance was kept.
func TestAdoptAtRandom(t *testing.T) {
	n := long.Times(50)
	var all rules.Adopted
	for k := range uint64(n) {
		rng := rand.New(rand.NewPCG(long.Seed()+k, 21))
		s := newSaveScript(t, rng, func(spec *buff.Spec) { spec.Reload = define.ReloadRule(rng.IntN(3)) })
		turn := &rules.Turn{Catalog: s.catalog, Seed: 1, Call: func(*rules.Turn, *rules.Call) reason.Reason { return reason.None }}
		set, r, known := rules.NewOwner(7, 3, 0, 40), saveRun{}, newMirror()
		set.SetJournal(known.journal)
		for round, st := range s.steps {
			if spec := st.cmd.Application.Spec; spec != nil {
				newest, ok := s.catalog.Newest(spec)
				require.True(t, ok)
				if newest == nil {
					continue
				}
				st.cmd.Application.Spec = newest
			}
			s.do(t, turn, set, st)
			require.Empty(t, known.read(set, s.catalog), "seed %d, step %d", long.Seed()+k, round)
			if round%5 != 4 {
				continue
			}
			s.reload(t, rng)
			turn.Catalog = s.catalog
			kept := 0
			came := set.Adopt(turn, wheel.Time(st.at))
			clear(known.values) // another catalog may have other attributes
			require.Empty(t, known.read(set, s.catalog), "after the reload, seed %d, step %d", long.Seed()+k, round)
			for i := range set.All() {
				if newest, _ := s.catalog.Newest(i.Spec); newest != i.Spec {
					kept++
				}
				require.Less(t, turn.Now, i.End, "%v should have ended", i.Spec)
			}
			require.GreaterOrEqual(t, came.Kept, kept, "seed %d", long.Seed()+k)
			all.Migrated, all.Ended, all.Kept = all.Migrated+came.Migrated, all.Ended+came.Ended, all.Kept+came.Kept
			require.True(t, set.Run(turn, turn.Now, 1<<30))
			require.Empty(t, set.Counters(s.catalog), "seed %d, step %d", long.Seed()+k, round)
			for _, e := range turn.Events {
				r.restless = r.restless || e.Why == reason.Cascade
			}
			turn.Events = turn.Events[:0]
			blob, _ := set.Save(nil, s.catalog, buff.Moment{Now: turn.Now}, 0)
			if r.restless {
				continue
			}
			back := rules.NewOwner(7, 3, 0, 40)
			_, err := back.Restore(&rules.Turn{Catalog: s.catalog, Now: turn.Now}, buff.Moment{Now: turn.Now}, blob, nil)
			require.NoError(t, err, "seed %d", long.Seed()+k)
			require.Empty(t, back.Counters(s.catalog))
		}
	}
	require.Greater(t, min(all.Migrated, all.Ended, all.Kept), n, "%+v", all)
	t.Logf("%+v", all)
}

// reload gives the script another catalog. Some definitions stay the same, some change, and some
// are removed.
func (s *saveScript) reload(t *testing.T, rng *rand.Rand) {
	var specs []buff.Spec
	for k := range 6 {
		id := fmt.Sprintf("b%d", k)
		was := s.catalog.Spec(id)
		switch {
		case rng.IntN(6) == 0:
			continue
		case was != nil && rng.IntN(3) == 0:
			specs = append(specs, *was)
			specs[len(specs)-1].Links = nil // the linked definitions may have been removed
			continue
		}
		for {
			spec := anySpec(rng, id)
			spec.Reload = define.ReloadRule(rng.IntN(3))
			if was != nil && rng.IntN(2) == 0 { // otherwise nearly all definitions would have other timers
				spec.Stack.Timers = was.Stack.Timers
			}
			if _, err := buff.Build(buff.Definitions{Attributes: scriptAttributes, Specs: []buff.Spec{spec}}); err == nil {
				specs = append(specs, spec)
				break
			}
		}
	}
	next, err := s.catalog.Rebuild(buff.Definitions{Attributes: scriptAttributes, Specs: specs})
	require.NoError(t, err)
	s.catalog = next
}

// TestOwner_Adopt_Counts checks that Adopt counts each buff of an older version once, under the
// right result.
func TestOwner_Adopt_Counts(t *testing.T) {
	lasting := func(rule define.ReloadRule, durations ...time.Duration) (specs []buff.Spec) {
		for k, d := range durations {
			specs = append(specs, buff.Spec{ID: fmt.Sprint("b", k), Duration: d, Reload: rule})
		}
		return specs
	}
	for _, c := range []struct {
		rule define.ReloadRule
		want rules.Adopted
	}{
		{define.ReloadKeep, rules.Adopted{Kept: 3}},
		{define.ReloadEnd, rules.Adopted{Ended: 3}},
		{define.ReloadMigrate, rules.Adopted{Migrated: 1, Ended: 2}}, // two buffs would have ended
	} {
		cat, err := buff.NewCatalog(lasting(c.rule, 10*time.Second, 10*time.Second, 10*time.Second, 10*time.Second)...)
		require.NoError(t, err)
		next, err := cat.Next(lasting(c.rule, 8*time.Second, 5*time.Second, 4*time.Second, 10*time.Second)...)
		require.NoError(t, err)
		s, turn := rules.NewOwner(1, 0, 0, 9), &rules.Turn{Catalog: cat}
		for k := range 4 {
			s.Do(turn, 0, buff.Apply(1, buff.Application{Spec: cat.Spec(fmt.Sprint("b", k))}))
		}
		turn.Catalog = next
		require.Equal(t, c.want, s.Adopt(turn, 5000), "%v", c.rule)
		require.Equal(t, rules.Adopted{Kept: c.want.Kept}, s.Adopt(turn, 5000), "and again: only what was kept is of an older version")
	}
}

// TestDR_OlderVersion checks that an application counts for the diminishing returns of its own
// version, even if it takes an older version because the timers differ.
func TestDR_OlderVersion(t *testing.T) {
	stacking := define.Stacking{By: define.ByTarget, Limit: 5, Timers: define.TimersEach}
	c, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: time.Second, Stack: stacking})
	require.NoError(t, err)
	stacking.Timers = define.TimersShared
	next, err := c.Next(buff.Spec{ID: "p", Duration: time.Second, Stack: stacking, DR: define.DR{Group: "d", Steps: []int{100, 50}, Reset: time.Second}})
	require.NoError(t, err)
	s, turn := rules.NewOwner(1, 0, 0, 9), &rules.Turn{Catalog: c}
	for _, spec := range []*buff.Spec{c.Spec("p"), next.Spec("p"), next.Spec("p")} {
		turn.Catalog = c
		if next.Has(spec) {
			turn.Catalog = next
		}
		s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec}})
	}
	require.Equal(t, "0 stack p x3 end=500", turn.Events[2].String(), "no live instance is of the group, but the one that counted was in effect just now")
	require.NotPanics(t, func() { s.Save(nil, next, buff.Moment{}, 0) }, "what is remembered is of a group")
}
