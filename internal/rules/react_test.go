package rules

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/stretchr/testify/require"
)

// TestEmptyReaction checks that a buff with an empty list of actions for an act does not react to
// the act.
func TestEmptyReaction(t *testing.T) {
	c := mustCatalog(
		t, buff.Spec{ID: "idle", Duration: time.Minute, On: define.Hooks{Act: map[string][]define.Action{"hit": {}}}},
		buff.Spec{ID: "busy", Duration: time.Minute, On: define.Hooks{Act: map[string][]define.Action{"hit": {{Do: define.DoRemove, Name: "idle"}}}}},
	)
	s, turn := NewOwner(7, 1, 0, 9), &Turn{Catalog: c}
	hit, ok := c.Act("hit")
	require.True(t, ok)
	for _, id := range []string{"idle", "busy"} {
		require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec(id)}}).Failure)
		turn.Events = turn.Events[:0]
		require.NoError(t, s.Do(turn, 0, buff.Happened(7, hit, 8, 0)).Failure)
	}
	require.Equal(t, "0 react busy hit", turn.Events[0].String())
	require.Equal(t, "0 remove idle why=cancelled", turn.Events[1].String())
	require.Len(t, turn.Events, 2)
}
