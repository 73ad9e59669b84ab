package buff

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// TestEmptyReaction: who has nothing to do when something happens does not react.
func TestEmptyReaction(t *testing.T) {
	c := mustCatalog(
		t, Spec{ID: "idle", Duration: time.Minute, On: Hooks{Act: map[string][]Action{"hit": {}}}},
		Spec{ID: "busy", Duration: time.Minute, On: Hooks{Act: map[string][]Action{"hit": {{Do: define.DoRemove, Name: "idle"}}}}},
	)
	s, turn := NewSet(7, 1, 0, 9), &Turn{Catalog: c}
	hit, ok := c.Act("hit")
	require.True(t, ok)
	for _, id := range []string{"idle", "busy"} {
		require.NoError(t, s.Do(turn, 0, Command{Verb: verb.Apply, Application: Application{Spec: c.Spec(id)}}).Err)
		turn.Events = turn.Events[:0]
		require.NoError(t, s.Do(turn, 0, Happened(7, hit, 8, 0)).Err)
	}
	require.Equal(t, "0 react busy hit", turn.Events[0].String())
	require.Equal(t, "0 remove idle why=cancelled", turn.Events[1].String())
	require.Len(t, turn.Events, 2)
}
