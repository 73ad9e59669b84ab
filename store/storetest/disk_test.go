package storetest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/store/storetest"
)

// TestDisk checks that synced data survives every crash, and that unsynced data has every
// possible outcome.
func TestDisk(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	d := storetest.NewDisk(&storetest.Trace{
		Start: []byte("...."),
		Ops: []storetest.Op{
			{Kind: storetest.Write, At: 0, Data: []byte("ab")},
			{Kind: storetest.Sync},
			{Kind: storetest.Ack, At: 7},
			{Kind: storetest.Write, At: 2, Data: []byte("cd")},
			{Kind: storetest.Write, At: 2, Data: []byte("ef")},
			{Kind: storetest.Truncate, At: 6},
			{Kind: storetest.Sync},
		},
	})
	crashes := func() map[string]bool {
		seen := map[string]bool{}
		for range 5000 {
			seen[string(d.Crash(dice))] = true
		}
		return seen
	}
	require.Equal(t, map[string]bool{"....": true}, crashes())
	require.True(t, d.Step())
	require.Subset(t, crashes(), map[string]bool{"....": true, "ab..": true, "a...": true}, "kept, dropped, torn")
	d.Step()
	require.Equal(t, map[string]bool{"ab..": true}, crashes())
	require.Zero(t, d.Acknowledged())
	for range 3 {
		d.Step()
	}
	require.EqualValues(t, 7, d.Acknowledged())
	require.Subset(t, crashes(), map[string]bool{"ab..": true, "abcd": true, "abef": true, "abed": true}, "reordered, and torn")
	d.Step()
	require.Contains(t, crashes(), "ab..\x00\x00")
	require.True(t, d.Step())
	require.Equal(t, map[string]bool{"abef\x00\x00": true}, crashes())
	require.False(t, d.Step())
}
