package rules

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/stretchr/testify/require"
)

// TestDR_ExpiredRecords checks that expired records of diminishing returns are deleted when the
// next record is added, even if nothing else happens.
func TestDR_ExpiredRecords(t *testing.T) {
	c := mustCatalog(t, buff.Spec{
		ID: "stun", Duration: time.Second, Stack: define.Stacking{By: define.BySource},
		DR: define.DR{Group: "stun", Steps: []int{100, 50, 0}, Reset: 5 * time.Second, Scope: define.ScopePair},
	})
	s, turn := NewOwner(7, 3, 0, 100), &Turn{Catalog: c}
	apply := func(source buff.OwnerID) {
		s.Do(turn, turn.Now, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("stun"), Source: source}})
	}
	for source := range buff.OwnerID(3) {
		apply(source + 1)
	}
	require.Equal(t, 3, s.Memories())
	turn.Now = turn.Now.Add(20_000)
	require.True(t, s.Run(turn, turn.Now, 1000))
	apply(9)
	require.Equal(t, 1, s.Memories())
}
