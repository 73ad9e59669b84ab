package inspect

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestIncidents_Lifetime checks that an incident lasts as long as its problem is found, and
// continues if the problem soon recurs. The last 100 incidents are kept when they are over.
func TestIncidents_Lifetime(t *testing.T) {
	var l incidents
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	slow := problem{key: "slow", kind: "slow", level: "watch", text: "It is slow."}
	stack := 0
	stuck := problem{key: "stuck 7 venom", kind: "stuck", level: "alarm", text: "7 is stuck.", involved: []buff.OwnerID{7}, stack: func() string { stack++; return "f\n\tfile.go:1\n" }}
	changes, open := l.see(at(100), []problem{slow, stuck})
	require.Equal(t, 2, open)
	same, open := l.see(at(101), []problem{slow, stuck})
	require.Equal(t, changes, same, "nothing new")
	require.Equal(t, 2, open)
	require.Equal(t, 1, stack, "the stack is that of its begin")

	_, open = l.see(at(105), []problem{slow})
	require.Equal(t, 1, open)
	all := l.all()
	require.Len(t, all, 2)
	require.True(t, all[1].over)
	require.Equal(t, at(101), all[1].until)
	require.Equal(t, "f\n\tfile.go:1\n", all[1].stack)

	l.see(at(110), []problem{slow, stuck}) // 9 s later
	require.Len(t, l.all(), 2, "the same one goes on")
	l.see(at(111), nil)
	l.see(at(130), []problem{stuck})
	require.Len(t, l.all(), 3, "another one")

	for i := range 200 {
		l.see(at(200+i), []problem{{key: fmt.Sprint("x", i), kind: "x", level: "watch"}})
	}
	all = l.all()
	require.Len(t, all, maxIncidents)
	require.Equal(t, "x199", all[len(all)-1].key)
	require.EqualValues(t, 203, all[len(all)-1].order)
}

// TestIncidents_Momentary checks that incidents without a duration are counted, and name at most
// ten players.
func TestIncidents_Momentary(t *testing.T) {
	var l incidents
	for i := range buff.OwnerID(30) {
		_, open := l.see(time.Unix(int64(i), 0), []problem{{key: "panic venom", kind: "panic", level: "watch", moment: true, times: 2, involved: []buff.OwnerID{i}}})
		require.Zero(t, open, "it is over at once")
	}
	all := l.all()
	require.Len(t, all, 1)
	require.Equal(t, 60, all[0].times)
	require.Len(t, all[0].involved, maxInvolved)
	require.True(t, all[0].over)
}
