package buff_test

import (
	"encoding"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestWords writes every word and reads it again.
func TestWords(t *testing.T) {
	roundTrip[buff.First](t, "none", "start", "every")
	roundTrip[buff.Tail](t, "none", "partial", "fit")
	roundTrip[buff.By](t, "none", "source", "target", "key")
	roundTrip[buff.Refresh](t, "restart", "none", "extend", "pandemic", "max", "residual-tick")
	roundTrip[buff.Phase](t, "keep", "reset", "execute")
	roundTrip[buff.Overflow](t, "allow", "deny", "clear", "replace-oldest")
	roundTrip[buff.Expire](t, "all", "one", "half", "n")
	roundTrip[buff.Align](t, "start", "owner")
	roundTrip[buff.Haste](t, "snapshot", "next", "rescale")
	roundTrip[buff.Catchup](t, "all", "coalesce", "skip")
	roundTrip[buff.Clock](t, "online", "uptime", "wall")
	roundTrip[buff.Timers](t, "shared", "each", "queue")
	roundTrip[buff.LevelRule](t, "ignore", "higherWins", "segregate", "sum")
	roundTrip[buff.ChargeRule](t, "reset", "keep", "add")
	roundTrip[buff.GroupRule](t, "always", "never", "higher", "equalOrHigher", "sameSourceOnly", "hide")
	roundTrip[buff.Evict](t, "reject", "oldest", "lowest-priority", "soonest-to-end")
	roundTrip[buff.Inhibition](t, "keep", "reset", "execute")
	roundTrip[buff.ImmuneRule](t, "suppress", "remove", "ignore")
	roundTrip[buff.Grade](t, "basic", "strong", "death", "undispellable")
	roundTrip[buff.Per](t, "all", "stack", "charge")
	roundTrip[buff.Scope](t, "target", "pair")
	roundTrip[buff.Polarity](t, "neutral", "positive", "negative")
	roundTrip[buff.SaveMode](t, "always", "never", "ifRemaining")
	roundTrip[buff.Offline](t, "none", "coalesce", "all")
	roundTrip[buff.OfflineExpire](t, "notify", "silent", "run")
	roundTrip[buff.AtMin](t, "nothing", "kill")
	roundTrip[buff.Sync](t, "all", "owner", "none", "source", "party")
	roundTrip[buff.ReloadRule](t, "keep", "migrate", "end")
	roundTrip[buff.Snapshot](t, "cast", "apply", "pulse")
	roundTrip[buff.Whose](t, "owner", "source")
	roundTrip[buff.Fate](t, "", "remove", "keep", "pause", "adopt")
	roundTrip[buff.Reason](t, "", "expired", "cancelled", "dispelled", "stolen", "replaced", "overflow", "consumed", "broken", "death", "source_gone",
		"immunity", "condition", "out_of_aura", "interrupt", "unload", "reload", "fault")
	require.EqualError(t, new(buff.Expire).UnmarshalText([]byte("most")), `unknown word "most": want all, one, half or n`)
	require.EqualError(t, new(buff.Phase).UnmarshalText([]byte("")), `unknown word "": want keep, reset or execute`)
	for _, w := range []string{"none", "limit", "panic"} {
		require.Error(t, new(buff.Reason).UnmarshalText([]byte(w)), "%q does not end a buff", w)
	}
	require.Error(t, new(buff.Fate).UnmarshalText([]byte("default")))
	require.Equal(t, []string{"timed", "instant", "infinite", "buff.Kind(3)"}, []string{buff.Timed.String(), buff.Instant.String(), buff.Infinite.String(), buff.Kind(3).String()})
	require.Equal(t, "call apply remove kill", fmt.Sprint(buff.DoCall, buff.DoApply, buff.DoRemove, buff.DoKill))
	var denials []string
	for r := buff.Limit; r <= buff.Goexit; r++ {
		denials = append(denials, r.String())
	}
	require.Equal(t, "limit full exclusive slot immune requirement chance dr resist level dead param duration stacks badlevel value cascade panic goexit", strings.Join(denials, " "))
	for r := range buff.Goexit + 2 {
		require.Equal(t, r >= buff.Expired && r <= buff.Fault, r.Removes(), "%v", r)
	}
}

// roundTrip takes the words of the values from 0 on; "" for one that cannot be
// written.
func roundTrip[E interface {
	~uint8
	fmt.Stringer
}, P interface {
	*E
	encoding.TextUnmarshaler
}](t *testing.T, words ...string) {
	for i, w := range words {
		if w == "" {
			continue
		}
		require.Equal(t, w, E(i).String())
		var e E
		require.NoError(t, P(&e).UnmarshalText([]byte(w)))
		require.Equal(t, E(i), e)
	}
	require.Contains(t, E(200).String(), "(")
}
