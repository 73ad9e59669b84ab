package rules_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// TestTurn_ReleasesReferences checks that a Turn keeps no reference to executed commands and
// finished handler calls, because it serves many owners.
func TestTurn_ReleasesReferences(t *testing.T) {
	const bombs = 20
	c, err := buff.NewCatalog(buff.Spec{ID: "fuse", Duration: time.Second, On: define.Hooks{Apply: []define.Action{{Do: define.DoCall, Name: "light"}}}})
	require.NoError(t, err)
	var kept []weak.Pointer[[1000]byte]
	went := 0
	var set *rules.Owner
	turn := &rules.Turn{Catalog: c, Call: func(turn *rules.Turn, call *rules.Call) reason.Reason {
		if call.Do != nil {
			call.Do.(func())()
			return reason.None
		}
		for range bombs {
			big := new([1000]byte)
			kept = append(kept, weak.Make(big))
			cmd := buff.AddTimeoutFunc(1, time.Millisecond, func() { big[0]++; went++ })
			turn.Issue(set, &cmd)
		}
		return reason.None
	}}
	set = rules.NewOwner(1, 0, 0, 40)
	set.Do(turn, 0, buff.Apply(1, buff.Application{Spec: c.Spec("fuse")}))
	turn.Now = 500
	require.True(t, set.Run(turn, turn.Now, 100))
	require.Equal(t, bombs, went)
	set = nil
	runtime.GC()
	alive := 0
	for _, k := range kept {
		if k.Value() != nil {
			alive++
		}
	}
	require.LessOrEqual(t, alive, 1, "but for the handler that was called last")
	runtime.KeepAlive(turn)
}
