package rules

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/stretchr/testify/require"
)

// TestOutgoing_KeepsTheShareOfItsPulse checks that an application of a pulse to another owner keeps
// the share of the pulse, also in its binary form, because the application may wait, be saved, or
// be sent to another machine.
func TestOutgoing_KeepsTheShareOfItsPulse(t *testing.T) {
	c, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health"}}}, Specs: []buff.Spec{
		{
			ID: "leech", Duration: 1500 * time.Millisecond, Period: time.Second, Tail: define.TailPartial, Stack: define.Stacking{By: define.ByTarget, Limit: 3},
			On: define.Hooks{Pulse: []define.Action{{Do: define.DoApply, Name: "drink", To: define.ToSource}}},
		},
		{ID: "drink", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoChange, Change: &define.Change{Attr: "health", By: define.Const(10), PerStack: true}}}}},
	}})
	require.NoError(t, err)
	victim, turn := NewOwner(1, 1, 0, 10), &Turn{Catalog: c}
	require.NoError(t, victim.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("leech"), Source: 2, Stacks: 3}}).Failure)
	turn.Now = 1500
	require.True(t, victim.Run(turn, 1500, 100))
	require.Len(t, turn.Outbox, 2, "a whole pulse, and half of one")

	drinker, at := NewOwner(2, 2, 0, 10), &Turn{Catalog: c}
	for k, want := range []string{"1500 change drink health by=30 value=30", "1500 change drink health by=15 value=45"} {
		data, err := turn.Outbox[k].Command.AppendBinary(nil, c)
		require.NoError(t, err)
		var over buff.Command
		require.NoError(t, over.UnmarshalBinary(data, c))
		at.Events = at.Events[:0]
		require.NoError(t, drinker.Do(at, 1500, over).Failure)
		require.Len(t, at.Events, 2)
		require.Equal(t, "1500 exec drink x1", at.Events[0].String())
		require.Equal(t, want, at.Events[1].String())
	}
	require.EqualValues(t, 500, at.Events[0].Elapsed)
	require.EqualValues(t, 1000, at.Events[0].Period)
}
