package buff_test

import (
	"encoding"
	"fmt"
	"strings"
	"testing"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/stretchr/testify/require"
)

// TestWords writes every word of the enumerations and reads it again.
func TestWords(t *testing.T) {
	roundTrip[define.First](t, "none", "start", "every")
	roundTrip[define.Tail](t, "none", "partial", "fit")
	roundTrip[define.By](t, "none", "source", "target", "key")
	roundTrip[define.Refresh](t, "restart", "none", "extend", "pandemic", "max", "residual_tick")
	roundTrip[define.Phase](t, "keep", "reset", "execute")
	roundTrip[define.Overflow](t, "allow", "deny", "clear", "replace_oldest")
	roundTrip[define.Expire](t, "all", "one", "half", "n")
	roundTrip[define.Align](t, "start", "owner")
	roundTrip[define.Haste](t, "snapshot", "next", "rescale")
	roundTrip[define.Catchup](t, "all", "coalesce", "skip")
	roundTrip[define.Clock](t, "online", "uptime", "wall")
	roundTrip[define.Timers](t, "shared", "each", "queue")
	roundTrip[define.LevelRule](t, "ignore", "higher_wins", "segregate", "sum")
	roundTrip[define.ChargeRule](t, "reset", "keep", "add")
	roundTrip[define.ShieldRule](t, "fill", "add", "reset", "keep")
	roundTrip[define.GroupRule](t, "always", "never", "higher", "equal_or_higher", "same_source_only", "hide")
	roundTrip[define.Evict](t, "reject", "oldest", "lowest_priority", "soonest_to_end")
	roundTrip[define.Inhibition](t, "keep", "reset", "execute")
	roundTrip[define.ImmuneRule](t, "suppress", "remove", "ignore")
	roundTrip[define.Grade](t, "basic", "strong", "death", "undispellable")
	roundTrip[define.Per](t, "all", "stack", "charge")
	roundTrip[define.Scope](t, "target", "pair")
	roundTrip[define.Polarity](t, "neutral", "positive", "negative")
	roundTrip[define.SaveMode](t, "always", "never", "if_remaining")
	roundTrip[define.Offline](t, "none", "coalesce", "all")
	roundTrip[define.OfflineExpire](t, "notify", "silent", "run")
	roundTrip[define.AtMin](t, "nothing", "kill")
	roundTrip[define.Sync](t, "all", "owner", "none", "source", "party")
	roundTrip[define.ReloadRule](t, "keep", "migrate", "end")
	roundTrip[define.Snapshot](t, "cast", "apply", "pulse")
	roundTrip[define.Whose](t, "owner", "source")
	roundTrip[define.Fate](t, "", "remove", "keep", "pause", "adopt")
	roundTrip[reason.Reason](t, "", "expired", "cancelled", "dispelled", "stolen", "replaced", "overflow", "consumed", "broken", "death", "source_gone",
		"immunity", "condition", "out_of_aura", "interrupt", "unload", "reload", "fault")
	require.EqualError(t, new(define.Expire).UnmarshalText([]byte("most")), `unknown word "most": want all, one, half or n`)
	require.EqualError(t, new(define.Phase).UnmarshalText([]byte("")), `unknown word "": want keep, reset or execute`)
	for _, w := range []string{"none", "limit", "panic"} {
		require.Error(t, new(reason.Reason).UnmarshalText([]byte(w)), "%q does not end a buff", w)
	}
	require.Error(t, new(define.Fate).UnmarshalText([]byte("default")))
	require.Equal(t, []string{"timed", "instant", "infinite", "define.Kind(3)"}, []string{define.Timed.String(), define.Instant.String(), define.Infinite.String(), define.Kind(3).String()})
	require.Equal(t, "call apply remove kill", fmt.Sprint(define.DoCall, define.DoApply, define.DoRemove, define.DoKill))
	var denials []string
	for r := reason.Limit; r <= reason.Last; r++ {
		denials = append(denials, r.String())
	}
	require.Equal(t, "limit full exclusive slot immune requirement chance dr resist level dead param duration stacks badlevel value cascade panic goexit cost", strings.Join(denials, " "))
	for r := range reason.Last + 2 {
		require.Equal(t, r >= reason.Expired && r <= reason.Fault, r.Removes(), "%v", r)
	}
}

// roundTrip tests the words of the values from 0 on; "" stands for a value that cannot be written.
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
