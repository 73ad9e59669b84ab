package rules_test

import (
	"math"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

func TestApplication_Duration(t *testing.T) {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: time.Second}, buff.Spec{ID: "now", Kind: define.Instant})
	require.NoError(t, err)
	for _, c := range []struct {
		id   string
		d    time.Duration
		want string // the log, or the error
	}{
		{"p", time.Millisecond, "0 apply p x1 end=1"},
		{"p", 1, "0 apply p x1 end=1"}, // rounded up, so that no buff ends early
		{"p", 1900 * time.Microsecond, "0 apply p x1 end=2"},
		{"p", define.MaxDuration, "0 apply p x1 end=34560000000"},
		{"p", 0, `buff: bad duration: "p" for 0s, must be above zero`},
		{"p", -1, `buff: bad duration: "p" for -1ns, must be above zero`},
		{"p", math.MinInt64, `buff: bad duration: "p" for -2562047h47m16.854775808s, must be above zero`},
		{"p", define.MaxDuration + 1, `buff: bad duration: "p" for 9600h0m0.000000001s, above the limit of 9600h0m0s`},
		{"p", math.MaxInt64, `buff: bad duration: "p" for 2562047h47m16.854775807s, above the limit of 9600h0m0s`},
		{"now", time.Second, `buff: bad duration: "now" is instant and takes none, not 1s`},
	} {
		s, turn := rules.NewOwner(1, 0, 0, 8), &rules.Turn{}
		r := s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: catalog.Spec(c.id), Duration: buff.Lasting(c.d)}})
		require.Len(t, turn.Events, 1)
		if r.Failure == nil {
			require.Equal(t, c.want, turn.Events[0].String())
			continue
		}
		require.ErrorIs(t, r.Failure, buff.ErrDuration)
		require.EqualError(t, r.Failure, c.want)
		require.Equal(t, "0 error "+c.id+" why=duration", turn.Events[0].String())
		require.Zero(t, s.Len())
	}
}

// TestOwner_All_EndsCurrentBuff ends each buff in a loop over All.
func TestOwner_All_EndsCurrentBuff(t *testing.T) {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: time.Second})
	require.NoError(t, err)
	s, turn := rules.NewOwner(1, 0, 0, 8), &rules.Turn{}
	apply := func() {
		s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: catalog.Spec("p")}})
	}
	for range 5 {
		apply()
	}
	seen := 0
	for i := range s.All() {
		require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.Remove, Handle: i.Handle}).Failure)
		seen++
	}
	require.Equal(t, 5, seen)
	require.Zero(t, s.Len())

	for range 3 {
		apply()
	}
	for i := range s.All() { // ends all buffs at once: ended buffs are not visited
		require.NotNil(t, i.Spec)
		s.Clear(turn, 0, reason.Unload)
	}
	require.Zero(t, s.Len())
}
