package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/postgres"
)

// TestLeases checks the replies of each SQL statement to two nodes.
func TestLeases(t *testing.T) {
	s := newServers(t)
	disk, err := postgres.Open(t.Context(), s.postgres, postgres.Options{Schema: s.schema})
	require.NoError(t, err)
	defer disk.Close()
	node := func(name string, incarnation int64) *leases {
		l, err := openLeases(t.Context(), s.postgres, s.schema)
		require.NoError(t, err)
		t.Cleanup(l.pool.Close)
		l.node, l.incarnation, l.ttl = name, incarnation, time.Hour
		return l
	}
	beat := func(l *leases, mine ...policy.Lease) policy.View {
		v, err := l.beat(t.Context(), mine, false)
		require.NoError(t, err)
		return v
	}
	claim := func(l *leases) int64 {
		epoch, err := l.claim(t.Context(), "z0")
		require.NoError(t, err)
		return epoch
	}
	past := func(what string) {
		_, err := s.db.Exec(t.Context(), "update "+s.schema+"."+what+" set until = clock_timestamp()")
		require.NoError(t, err)
	}
	a, b, twin := node("a", 1), node("b", 2), node("a", 3)
	require.NoError(t, a.register(t.Context(), []string{"z0"}))
	require.NoError(t, b.register(t.Context(), []string{"z0"}), "twice")
	require.Zero(t, claim(a), "the node is not registered yet")
	v := beat(a)
	require.Equal(t, []policy.ZoneView{{Name: "z0"}}, v.Zones)
	require.Equal(t, []policy.NodeView{{Name: "a"}}, v.Nodes)
	require.True(t, beat(twin).NameTaken)
	require.Len(t, beat(b).Nodes, 2)

	require.EqualValues(t, 1, claim(a))
	require.Zero(t, claim(b), "the lease belongs to a")
	require.Zero(t, claim(a), "even for the node that has it")
	lease := policy.Lease{Zone: "z0", Epoch: 1, Load: 5}
	require.Equal(t, []policy.Lease{{Zone: "z0", Epoch: 1}}, beat(a, lease).Renewed)
	require.Empty(t, beat(b, lease).Renewed, "b renews a lease that it does not have")
	v = beat(b)
	require.Equal(t, "a", v.Zones[0].Node)
	require.False(t, v.Zones[0].Mine)
	require.InDelta(t, 5, v.Zones[0].Load, 0)

	// The lease ends, and b takes it: a can neither renew nor release it, nor write.
	past("leases")
	require.Empty(t, beat(b).Zones[0].Node)
	require.Empty(t, beat(a, lease).Renewed, "it has ended")
	require.EqualValues(t, 2, claim(b))
	require.Empty(t, beat(a, lease).Renewed)
	require.NoError(t, a.release(t.Context(), policy.Action{Zone: "z0", Epoch: 1}))
	require.NoError(t, b.release(t.Context(), policy.Action{Zone: "z0", Epoch: 1}), "a lease of another epoch")
	require.Equal(t, "b", beat(a).Zones[0].Node)
	batch := &store.Batch{Head: store.Head{Zone: "z0", Epoch: 1, Frame: 1}}
	require.ErrorIs(t, disk.Commit(t.Context(), batch), store.ErrFenced)
	batch.Epoch = 2
	require.NoError(t, disk.Commit(t.Context(), batch))

	// The lease is released with a as the wanted next node. A new process with the name of a does
	// not get its leases.
	require.NoError(t, b.release(t.Context(), policy.Action{Zone: "z0", Epoch: 2, To: "a", Failed: true}))
	v = beat(b)
	require.Equal(t, policy.ZoneView{Name: "z0", Epoch: 2, Load: 5, To: "a", Failures: 1}, v.Zones[0])
	require.EqualValues(t, 3, claim(a))
	require.Empty(t, beat(a).Zones[0].To, "it has arrived")
	past("nodes")
	require.False(t, beat(twin).NameTaken)
	require.False(t, beat(twin).Zones[0].Mine)
	require.True(t, beat(a).NameTaken)
	require.NoError(t, twin.leave(t.Context()))
	require.False(t, beat(a).NameTaken)

	require.ErrorIs(t, a.wish(t.Context(), "z9", "b"), ErrZone)
	require.NoError(t, a.wish(t.Context(), "z0", "b"))
	require.Equal(t, "b", beat(a).Zones[0].To)

	// The zone has failed three times. A node that has not seen this yet must not try it a fourth
	// time.
	past("leases")
	_, err = s.db.Exec(t.Context(), "update "+s.schema+".leases set failures = 3")
	require.NoError(t, err)
	require.Len(t, beat(b).Nodes, 2)
	require.Zero(t, claim(b))
	require.NoError(t, a.forgive(t.Context(), "z0"))
	require.NotZero(t, claim(b))
	require.Zero(t, beat(a).Zones[0].Failures)
}
