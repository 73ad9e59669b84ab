package engine_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
)

// requireSame compares two logs and reports the first difference.
func requireSame(t *testing.T, want, got []string, msg ...any) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			from := max(0, i-4)
			require.Equal(t, want[from:i+1], got[from:i+1], append([]any{"line %d: " + fmt.Sprint(msg...)}, i)...)
		}
	}
	require.Equal(t, len(want), len(got), msg...)
}

func requireSameOwners(t *testing.T, want, got map[buff.OwnerID][]string, msg ...any) {
	t.Helper()
	require.Len(t, got, len(want), msg...)
	for id := range want {
		requireSame(t, want[id], got[id], append([]any{"owner ", id, " "}, msg...)...)
	}
}

// TestP45_WorkersDoNotMatter checks that the same calls and the same seed give the same frames,
// event by event, with any number of workers and processors and any Limits.Turn.
func TestP45_WorkersDoNotMatter(t *testing.T) {
	seeds := uint64(long.Times(2))
	for seed := range seeds {
		p := plan{seed: seed, owners: 200, steps: 60, outbox: true, inbox: true, churn: true, shared: seed%2 == 1}
		run := func(o engine.Options) []string {
			s := newSim(t, p, o)
			s.run(whole)
			return s.finish().frames
		}
		want := run(engine.Options{Synchronous: true})
		require.Greater(t, len(want), 10_000, "the world does too little")
		for _, workers := range []int{1, 2, 8} {
			for _, turn := range []int{0, 1} {
				for _, procs := range []int{1, 2} {
					if !long.On() && (turn+procs+int(seed))%2 == 0 {
						continue // the other seed covers this case
					}
					before := runtime.GOMAXPROCS(procs)
					got := run(engine.Options{Workers: workers, Budget: patient, Limits: engine.Limits{Turn: turn}})
					runtime.GOMAXPROCS(before)
					requireSame(t, want, got, p, ", workers ", workers, ", turn limit ", turn, ", processors ", procs)
				}
			}
		}
	}
}

// TestP09_SplitDoesNotMatter checks that dividing a span of time into other Ticks makes no
// difference to an owner, if there are no commands between owners and none from the Inbox.
func TestP09_SplitDoesNotMatter(t *testing.T) {
	for seed := range uint64(5) {
		p := plan{seed: seed, owners: 40, steps: 40, churn: true}
		run := func(m mode, cut func(time.Duration) []time.Duration) map[buff.OwnerID][]string {
			var o engine.Options
			m.set(&o)
			s := newSim(t, p, o)
			s.run(cut)
			return s.finish().events
		}
		want := run(modes[0], whole)
		dice := rand.New(rand.NewPCG(seed, 99))
		random := func(d time.Duration) (out []time.Duration) {
			for d > 0 {
				dt := time.Duration(dice.Int64N(int64(d)) + 1)
				out = append(out, dt)
				d -= dt
			}
			return out
		}
		for _, m := range []mode{modes[0], modes[3]} {
			requireSameOwners(t, want, run(m, every(50*time.Millisecond)), p, " 50ms ", m.name)
			requireSameOwners(t, want, run(m, random), p, " random ", m.name)
		}
	}
}

// TestP06_FrameRates checks that the same script, in one Tick and at 10, 20, 60, 144 and 1000
// frames a second, gives each owner the same events and the same final buffs. The frames are not
// whole milliseconds.
func TestP06_FrameRates(t *testing.T) {
	scripts := long.Times(20)
	events := 0
	for seed := long.Seed(); seed < long.Seed()+uint64(scripts); seed++ {
		p := plan{seed: seed, owners: 4, steps: 6, churn: seed%2 == 1}
		run := func(cut func(time.Duration) []time.Duration) (map[buff.OwnerID][]string, []string) {
			s := newSim(t, p, engine.Options{Synchronous: true})
			s.run(cut)
			var left []string
			for id := range buff.OwnerID(p.owners) {
				for b := range there(s.eng.Buffs(id + 1)).All() {
					left = append(left, fmt.Sprintf("%d: %v", id+1, b))
				}
			}
			return s.finish().events, left
		}
		want, left := run(whole)
		for id := range want {
			events += len(want[id])
		}
		for _, fps := range []int{10, 20, 60, 144, 1000} {
			hint := fmt.Sprintf("go test ./engine -run TestP06_FrameRates -seed %d: %d frames a second", seed, fps)
			got, carried := run(every(time.Second / time.Duration(fps)))
			requireSameOwners(t, want, got, hint)
			requireSame(t, left, carried, hint)
		}
	}
	t.Logf("%d scripts, %d events", scripts, events)
	require.Greater(t, events, 20*scripts, "too little happens")
}

// TestP06_NoDrift checks that the n-th pulse is due at start + n × period, whatever the frame
// rate.
func TestP06_NoDrift(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Duration: 70 * time.Second, Period: 700 * time.Millisecond})
	for _, fps := range []time.Duration{7, 60, 144, 1000} {
		e := open(t, engine.Options{Catalog: cat, Synchronous: true})
		spawn(t, e, 1)
		e.Tick(333 * time.Millisecond)
		add(t, e, 1, cat.Spec("beat"))
		pulses := int64(0)
		for e.Now() < 80_000 {
			for ev := range e.Tick(time.Second / fps).Events() {
				if ev.Kind == buff.Pulsed {
					pulses++
					require.EqualValues(t, 333+700*pulses, ev.At)
					require.LessOrEqual(t, ev.At, ev.Seen)
				}
			}
		}
		require.EqualValues(t, 100, pulses)
	}
}
