package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cluster"
)

// far is a simulated remote host. It is a network namespace that is connected by a veth pair.
type far struct {
	t                 *testing.T
	name, cable       string
	here, there, mask string
}

func (f *far) ip(args ...string) {
	out, err := exec.Command("ip", args...).CombinedOutput()
	require.NoError(f.t, err, "ip %v: %s", args, out)
}

// newFar creates the namespace. If this is not permitted, it skips the test.
func newFar(t *testing.T) *far {
	n := os.Getpid() % 250
	f := &far{
		t: t, name: fmt.Sprintf("realm-%d", os.Getpid()), cable: fmt.Sprintf("realm%d", os.Getpid()%1e6),
		here: fmt.Sprintf("198.18.%d.1", n), there: fmt.Sprintf("198.18.%d.2", n),
	}
	if out, err := exec.Command("ip", "netns", "add", f.name).CombinedOutput(); err != nil {
		t.Skipf("no network namespaces here: %v: %s", err, out)
	}
	t.Cleanup(func() { f.ip("netns", "del", f.name) }) // also deletes the veth pair
	if out, err := exec.Command("ip", "link", "add", f.cable, "type", "veth", "peer", "name", "far", "netns", f.name).CombinedOutput(); err != nil {
		t.Skipf("no veth here: %v: %s", err, out)
	}
	f.ip("addr", "add", f.here+"/30", "dev", f.cable)
	f.ip("link", "set", f.cable, "up")
	f.ip("-n", f.name, "addr", "add", f.there+"/30", "dev", "far")
	f.ip("-n", f.name, "link", "set", "far", "up")
	return f
}

// TestPartition disconnects a node on another host in two ways. It checks that other nodes take
// over the zones of this node, that the node gets zones again after it has reconnected, and that no
// acknowledged payment is lost or applied twice.
func TestPartition(t *testing.T) {
	address(t)
	f := newFar(t)
	s, err := openServers(t.Context(), "", false, false)
	require.NoError(t, err)
	n, err := openNodes(s, []place{{host: f.here, within: []string{"ip", "netns", "exec", f.name}}, {host: "127.0.0.1"}, {host: "127.0.0.1"}}, 6, 10)
	require.NoError(t, err)
	b := newBook(6, 10, 0.05)
	conn, err := nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", s.port))
	require.NoError(t, err)
	defer conn.Close()
	c, err := cluster.NewClient(cluster.ClientOptions{NATS: conn, Prefix: s.schema, Catalog: catalog})
	require.NoError(t, err)
	defer c.Close()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	var bots sync.WaitGroup
	for _, one := range b.bots {
		bots.Go(func() { b.run(ctx, c, one, 50*time.Millisecond) })
	}
	for b.acknowledged() == 0 { // the table may not exist before the first payment
		require.True(t, pause(ctx, 50*time.Millisecond))
	}
	has := f.zonesOf(ctx, s, n.seats[0].name())
	has(true)
	for _, cut := range []struct {
		name       string
		begin, end []string
	}{
		{"the link is down", []string{"link", "set", f.cable, "down"}, []string{"link", "set", f.cable, "up"}},
		// Packets to the host carry a wrong MAC address and are dropped, but packets from the host
		// arrive.
		{"one direction is down", []string{"neigh", "replace", f.there, "lladdr", "02:00:00:00:00:01", "dev", f.cable, "nud", "permanent"}, []string{"neigh", "del", f.there, "dev", f.cable}},
	} {
		b.begin()
		since := time.Now()
		f.ip(cut.begin...)
		has(false)
		gap, ok := b.end(ctx, cut.name, time.Now())
		require.True(t, ok)
		t.Logf("%s: other nodes have all zones after %.1f s; the widest gap of any zone was %.2f s", cut.name, time.Since(since).Seconds(), gap.Seconds())
		f.ip(cut.end...)
		back := time.Now()
		has(true)
		t.Logf("the node has zones again %.1f s after the network was restored", time.Since(back).Seconds())
	}
	stop()
	bots.Wait()
	require.NoError(t, n.close())
	v, err := b.audit(t.Context(), s.address(), s.schema)
	require.NoError(t, err)
	t.Logf("%d acknowledged, %d lost, %d doubled, %d with an unknown outcome", v.acked, v.lost, v.doubled, v.unknown)
	require.Empty(t, b.wrong)
	require.Zero(t, v.lost)
	require.Zero(t, v.doubled)
	require.Zero(t, v.nowhere+v.twice)
	require.Greater(t, v.acked, int64(100))
	require.NoError(t, s.close())
}

// zonesOf returns a function that waits for a state in the database. If "some" is true, it waits
// until the node has zones; otherwise it waits until the node has no zones.
func (f *far) zonesOf(ctx context.Context, s *servers, node string) func(some bool) {
	db, err := pgx.ConnectConfig(ctx, s.config)
	require.NoError(f.t, err)
	f.t.Cleanup(func() { _ = db.Close(context.Background()) })
	return func(some bool) {
		f.t.Helper()
		for {
			var n int
			err := db.QueryRow(ctx, "select count(*) from "+s.schema+".leases where node = $1 and until > clock_timestamp()", node).Scan(&n)
			require.NoError(f.t, err)
			if n > 0 == some {
				return
			}
			require.True(f.t, pause(ctx, 50*time.Millisecond))
		}
	}
}
