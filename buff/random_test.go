package buff_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

var (
	scripts = flag.Int("scripts", 10_000, "random scripts to hold against the model")
	seed    = flag.Uint64("seed", 1, "of the first random script; the others count on from it")
)

// TestRandomScripts holds the Set against the model. A failure names the seed:
// go test ./buff -run TestRandomScripts -scripts 1 -seed N.
func TestRandomScripts(t *testing.T) {
	n := *scripts
	if testing.Short() {
		n = min(n, 1_000)
	}
	lines, long, now := 0, 0, *seed
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", now)
		}
	}()
	for i := range uint64(n) {
		now = *seed + i
		s, err := randomScript(seeded(now))
		require.NoError(t, err)
		log := compare(t, s, now)
		lines += len(log)
		if log == nil {
			long++
		}
		if t.Failed() {
			return
		}
	}
	require.Greater(t, lines, 10*n, "the scripts do too little")
	require.Less(t, long, n/50+1, "too many scripts are given up")
	t.Logf("%d scripts, %d lines, %d scripts given up", n, lines, long)
}

// compare runs the script on the model and three times on a Set: in one turn for
// each step and without a wheel; in frames and turns cut at random, without a
// wheel; and the same with a wheel. All four logs must be one. It returns the log,
// nil if the script is too long to be held against anything.
func compare(t *testing.T, s *script, seed uint64) []string {
	t.Helper()
	m := &model{specs: s.specs, limit: s.limit, handlers: s.catalog.Handlers(), dice: seeded(s.handlers)}
	want := replay(s, m.run, m.do, &m.log)
	if len(want) >= maxLines {
		return nil
	}
	cuts, both := rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, 3))
	for _, way := range []struct {
		name string
		*drive
	}{
		{"one turn for each step", newDrive(t, s, nil, nil)},
		{"random frames", newDrive(t, s, cuts, nil)},
		{"random frames and a wheel", newDrive(t, s, both, newTinyWheel(both))},
	} {
		name, d := way.name, way.drive
		got := replay(s, d.run, d.do, &d.log)
		if line := differ(want, got); line >= 0 {
			t.Errorf("seed %d, %s, line %d:\nmodel: %s\nSet:   %s\nbefore:\n%s\nscript:\n%s", seed, name, line+1,
				at(want, line), at(got, line), tail(want[:line]), s)
			break
		}
	}
	return want
}

// replay does the script's steps; what a command answers is written to the log.
func replay(s *script, run func(int64), do func(int64, op) string, log *[]string) []string {
	for i, st := range s.steps {
		if !st.once || i == 0 {
			run(st.at)
		}
		r := do(st.at, st.op)
		*log = append(*log, fmt.Sprintf("step %d: %s", i+1, r))
	}
	run(s.end)
	return *log
}

func differ(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if at(a, i) != at(b, i) {
			return i
		}
	}
	return -1
}

func at(log []string, i int) string {
	if i < len(log) {
		return log[i]
	}
	return "(nothing)"
}

func tail(log []string) (out string) {
	for _, line := range log[max(0, len(log)-12):] {
		out += "  " + line + "\n"
	}
	return out
}

func (s *script) String() (out string) {
	for _, spec := range s.specs {
		out += fmt.Sprintf("  %s: %v %v period %v first %v tail %v stack %+v death %v source %v fault %v on %+v\n", spec.ID, spec.Kind, spec.Duration,
			spec.Period, spec.First, spec.Tail, spec.Stack, spec.OnDeath, spec.OnSourceGone, spec.OnFault, spec.On)
	}
	for i, st := range s.steps {
		out += fmt.Sprintf("  step %d at %d once %v: %v\n", i+1, st.at, st.once, st.op)
	}
	return out
}

// TestPulsesAreWholePeriods counts the pulses of buffs that nothing interferes
// with: as many as whole periods fit into the duration.
func TestPulsesAreWholePeriods(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 4))
	for range 300 {
		spec := buff.Spec{
			ID: "p", Duration: time.Duration(1+rng.IntN(5000)) * time.Millisecond, Period: time.Duration(50+rng.IntN(400)) * time.Millisecond,
			First: buff.First(rng.IntN(3)), Tail: buff.Tail(rng.IntN(2)),
		}
		want := int(spec.Duration / spec.Period)
		if spec.First != buff.FirstNone {
			want++
		}
		if spec.Tail == buff.TailPartial && spec.Duration%spec.Period != 0 {
			want++
		}
		c, err := buff.NewCatalog(spec)
		require.NoError(t, err)
		s, turn := buff.NewSet(1, 0, 0, 1), &buff.Turn{}
		s.Do(turn, 0, buff.Command{Verb: buff.Apply, Application: buff.Application{Spec: c.Spec("p")}})
		require.True(t, s.Run(turn, 1<<40, 1<<30))
		pulses := 0
		for _, e := range turn.Events {
			if e.Kind == buff.Pulsed {
				pulses++
			}
		}
		require.Equal(t, want, pulses, "%v every %v, first %v, tail %v", spec.Duration, spec.Period, spec.First, spec.Tail)
	}
}
