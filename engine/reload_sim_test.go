package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
)

// reload replaces the catalog by a random successor. Later applications still name the first
// version of their definition.
func (s *sim) reload() {
	d := s.dice
	var specs []buff.Spec
	for _, old := range s.specs {
		spec := *old
		// other definitions refer to these
		if d.IntN(8) == 0 && !slices.Contains([]string{"shield", "rage", "light", "bless"}, spec.ID) {
			continue
		}
		if spec.Kind != define.Instant {
			spec.Reload = define.ReloadRule(d.IntN(3))
		}
		if spec.Kind == define.Timed && d.IntN(3) == 0 {
			spec.Duration += time.Duration(d.IntN(3000)) * time.Millisecond
		}
		if spec.Period > 0 && d.IntN(3) == 0 {
			spec.Period += time.Duration(d.IntN(500)) * time.Millisecond
		}
		if s.plan.shared && d.IntN(3) == 0 {
			changeShared(&spec, d.IntN(3))
		}
		specs = append(specs, spec)
	}
	next, err := s.catalog.Next(specs...)
	require.NoError(s.tb, err)
	s.catalog = next
	r, err := s.eng.Reload(next)
	require.NoError(s.tb, err)
	s.frames = append(s.frames, r.String())
}

// changeShared changes the parts of a definition that the cross-owner index uses.
func changeShared(s *buff.Spec, n int) {
	switch s.ID {
	case "mark", "venom":
		s.PerSource.Limit = n
	case "pet", "curse", "shield":
		s.OnSourceGone = []define.Fate{define.FateKeep, define.FateRemove, define.FateAdopt}[n]
	case "lamp", "oath":
		s.Aura = []define.Aura{{}, {Apply: "light", Radius: 2, Interval: time.Second}, {Apply: "rage", Radius: 1, Interval: time.Second}}[n]
	}
}

// TestReload_WorkersDoNotMatter checks that while definitions are reloaded, the same calls and the
// same seed give the same frames and reports with any number of workers.
func TestReload_WorkersDoNotMatter(t *testing.T) {
	seeds := uint64(long.Times(3))
	for seed := range seeds {
		p := plan{seed: seed, owners: 100, steps: 80, outbox: true, inbox: true, churn: true, shared: seed%2 == 1, reload: true}
		run := func(o engine.Options) []string {
			s := newSim(t, p, o)
			s.run(whole)
			return s.finish().frames
		}
		want := run(engine.Options{Synchronous: true})
		require.Greater(t, len(want), 5_000, "the world does too little")
		for _, workers := range []int{1, 2, 8} {
			requireSame(t, want, run(engine.Options{Workers: workers, Budget: patient}), p, ", workers ", workers)
		}
	}
}
