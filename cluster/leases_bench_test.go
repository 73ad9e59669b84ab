package cluster

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/store/postgres"
)

// BenchmarkBeat measures a beat, which a node sends every half second: it renews twelve leases and
// reads all zones.
func BenchmarkBeat(b *testing.B) {
	address := os.Getenv("BUFFTICK_POSTGRES")
	if address == "" {
		address = "postgres://postgres@127.0.0.1:5432/test?sslmode=disable"
	}
	for _, n := range []int{12, 120, 1200, 12000} {
		b.Run(fmt.Sprintf("zones=%d", n), func(b *testing.B) {
			ctx := context.Background()
			schema := fmt.Sprintf("bufftick_beat_%d_%d", os.Getpid(), time.Now().UnixNano())
			s, err := postgres.Open(ctx, address, postgres.Options{Schema: schema})
			if err != nil {
				b.Skip(err)
			}
			l, err := openLeases(ctx, address, schema)
			require.NoError(b, err)
			defer func() {
				_, err := l.pool.Exec(ctx, "drop schema "+schema+" cascade")
				require.NoError(b, err)
				l.pool.Close()
				require.NoError(b, s.Close())
			}()
			l.node, l.incarnation, l.ttl = "a", 1, 2*time.Second
			require.NoError(b, l.register(ctx, zones(n)))
			_, err = l.beat(ctx, nil, false)
			require.NoError(b, err)
			var mine []policy.Lease
			for _, zone := range zones(12) {
				epoch, err := l.claim(ctx, zone)
				require.NoError(b, err)
				mine = append(mine, policy.Lease{Zone: zone, Epoch: uint64(epoch)})
			}
			for b.Loop() {
				v, err := l.beat(ctx, mine, false)
				require.NoError(b, err)
				require.Len(b, v.Zones, n)
				require.Len(b, v.Renewed, 12)
			}
		})
	}
}
