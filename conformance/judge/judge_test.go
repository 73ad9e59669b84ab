package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	format "github.com/bufftick/bufftick/internal/definition"
)

// TestVectors checks that the interpreter produces the expected logs of the vectors.
func TestVectors(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "vectors", "vectors.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("../shared/vectors/vectors.json is not there: the test was not run")
	}
	text, _, err = format.Fix(path, text)
	require.NoError(t, err)
	all, err := Decode(text)
	require.NoError(t, err)
	require.Len(t, all, 57)
	for _, s := range all {
		t.Run(s.ID, func(t *testing.T) {
			log, decided := s.Play()
			require.True(t, decided)
			require.Equal(t, s.Want, log)
		})
	}
}

// TestScenario_Play_EqualLatePulses checks that equal pulses in a frame are combined into one
// pulse. They are combined even if, between them, a stack that does not count has its last pulse
// (scenario 62198 of seed 20261122). They are not combined if the strongest stack has its last
// pulse between them.
func TestScenario_Play_EqualLatePulses(t *testing.T) {
	scenario := func(first, second int) string {
		return fmt.Sprintf(`[{"buffs": {
			"p": {"align": "owner", "catchup": "skip", "duration": "4s", "period": "1s", "stack": {"by": "target", "effective": 1, "limit": 2, "timers": "each"}}, "y": {"duration": "1s"}
		}, "seen": true, "script": [
			{"apply": "p", "at": 700, "magnitude": %d}, {"at": 700, "by": "-700ms", "extend": "p"}, {"apply": "p", "at": 1931, "magnitude": %d}, {"at": 4001, "inhibit": "y"}
		]}]`, first, second)
	}
	for _, c := range []struct {
		first, second int
		pulses        []string
	}{
		{1, 1, []string{"4000 pulse p x1 seen=4001"}},
		{1, 2, []string{"4000 pulse p x1 seen=4001"}},
		{2, 1, []string{"3000 pulse p x1 seen=4001", "4000 pulse p x1 seen=4001"}},
	} {
		all, err := Decode([]byte(scenario(c.first, c.second)))
		require.NoError(t, err)
		log, decided := all[0].Play()
		require.True(t, decided)
		require.Equal(t, c.pulses, log[4:len(log)-1], "%d and %d", c.first, c.second)
	}
}

// TestScenario_Play_PulseOfStacksApplies checks the magnitude of a buff that is applied by a pulse
// of async stacks. It is the sum of the magnitudes of the stacks, like that of the pulse (scenario
// 340566 of seed 20261122).
func TestScenario_Play_PulseOfStacksApplies(t *testing.T) {
	all, err := Decode([]byte(`[{"buffs": {
		"p": {"duration": "4s", "period": "1s", "stack": {"by": "target", "limit": 3, "timers": "each"}, "on": {"pulse": [{"apply": "q"}]}},
		"q": {"duration": "9s", "stack": {"by": "target", "limit": 5, "timers": "queue"}}
	}, "script": [{"apply": "p", "at": 0, "magnitude": 2}, {"apply": "p", "at": 0, "magnitude": 5}, {"at": 2500, "remove": "p"}]}]`))
	require.NoError(t, err)
	log, decided := all[0].Play()
	require.True(t, decided)
	require.Contains(t, log, "2000 queue q active=7 end=10000")
}

// TestDecode_ExplicitDefaults checks that an instant may have the field `stack` with only default
// values (scenario 619576 of seed 20261122).
func TestDecode_ExplicitDefaults(t *testing.T) {
	for stack, refused := range map[string]bool{
		`{}`: false, `{"by": "none"}`: false, `{"by": "none", "timers": "shared", "refresh": "restart", "phase": "keep", "overflow": "allow", "expire": "all"}`: false,
		`{"by": "target"}`: true, `{"limit": 1}`: true, `{"by": "none", "refresh": "extend"}`: true,
	} {
		all, err := Decode([]byte(`[{"buffs": {"p": {"duration": "instant", "stack": ` + stack + `}}, "script": [{"apply": "p", "at": 0}]}]`))
		require.NoError(t, err)
		require.Equal(t, refused, len(all[0].Refusals()) > 0, stack)
	}
}

// TestScenario_Play_QueueLinksBeforeOverflow checks that an application to a full queue applies its
// links before `on.overflow`, like all joining applications (scenario 947283 of seed 20261122).
func TestScenario_Play_QueueLinksBeforeOverflow(t *testing.T) {
	all, err := Decode([]byte(`[{"buffs": {
		"p": {"duration": "9s", "links": ["y"], "stack": {"by": "target", "limit": 2, "timers": "queue"}, "on": {"overflow": [{"apply": "q"}]}},
		"q": {"duration": "4s"},
		"y": {"duration": "1s"}
	}, "script": [{"apply": "p", "at": 0}, {"apply": "p", "at": 2000}, {"apply": "p", "at": 4000, "magnitude": 1}]}]`))
	require.NoError(t, err)
	log, decided := all[0].Play()
	require.True(t, decided)
	require.Equal(t, []string{"4000 queue p active=1 end=13000", "4000 apply y x1 end=5000", "4000 apply q x1 end=8000"}, log[len(log)-3:])
}

// TestScenario_Play_Lingers checks the ends of two linger times of one buff. If both end at the
// same time, the buff is removed with all stacks. If they end at different times, the end of the
// first removes only the stack of its bearer (scenario 963481 of seed 20261122).
func TestScenario_Play_Lingers(t *testing.T) {
	for at, want := range map[int][]string{
		4000: {"6500 remove p why=expired", "6500 remove p why=expired", "6800 remove q why=out_of_aura"},
		4100: {"6500 remove p why=expired", "6600 remove p why=expired", "6800 stackend q x1 why=out_of_aura", "6900 remove q why=out_of_aura"},
	} {
		all, err := Decode(fmt.Appendf(nil, `[{"buffs": {
			"p": {"aura": {"apply": "q", "interval": "1s", "linger": "300ms", "radius": 1}, "duration": "2500ms"},
			"q": {"duration": "2500ms", "stack": {"by": "target", "limit": 5}}
		}, "script": [
			{"at": 0, "near": "p1", "owner": "o3"}, {"at": 0, "near": "o2", "owner": "o3"},
			{"apply": "p", "at": 4000}, {"apply": "p", "at": %d, "owner": "o2"}, {"at": 6500, "tick": true}, {"at": 6600, "tick": true}, {"at": 7000, "tick": true}
		]}]`, at))
		require.NoError(t, err)
		log, decided := all[0].Play()
		require.True(t, decided)
		require.Equal(t, want, log[len(log)-len(want):], at)
	}
}

// TestScenario_Play_Cascade checks that a cascade ends after sixteen rounds, and that the line of
// the error follows the lines of all commands of the last round, which has two commands here.
func TestScenario_Play_Cascade(t *testing.T) {
	all, err := Decode([]byte(`[{"buffs": {
		"a": {"duration": "1h", "stack": {"by": "target", "limit": 40}, "on": {"refresh": [{"apply": "a"}, {"apply": "b"}]}},
		"b": {"duration": "instant"}
	}, "script": [{"apply": "a", "at": 0}, {"apply": "a", "at": 0}]}]`))
	require.NoError(t, err)
	log, decided := all[0].Play()
	require.True(t, decided)
	require.Equal(t, []string{"0 stack a x18", "0 refresh a x18 end=3600000", "0 exec b x1", "0 error cascade"}, log[len(log)-4:])
}
