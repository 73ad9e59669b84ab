package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// BenchmarkFrame runs frames of a zone of 2,000 owners with two poisons each, alternately in a host
// of the cluster and in a loop with only a store. The ratio of their medians is the overhead of the
// cluster. The loop gets the commands of a frame as values; the host decodes them from messages
// with ids and replies.
func BenchmarkFrame(b *testing.B) {
	catalog, err := buff.NewCatalog(
		buff.Spec{ID: "coin", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget, Limit: 30000}},
		buff.Spec{ID: "poison", Kind: define.Infinite, Period: time.Second, Stack: define.Stacking{By: define.BySource}},
	)
	require.NoError(b, err)
	for _, commands := range []int{0, 5, 50} {
		b.Run(fmt.Sprintf("commands=%d", commands), func(b *testing.B) { frames(b, catalog, commands) })
	}
}

const crowd = 2000

// zoneOf returns a zone with crowd owners, with two poisons each.
func zoneOf(b *testing.B, catalog *buff.Catalog) *store.Saver {
	v, err := store.Open(context.Background(), storetest.NewMemory(), "z0", engine.Options{Catalog: catalog, Synchronous: true},
		store.Options{Every: 25 * time.Millisecond, Window: DefaultWindow})
	require.NoError(b, err)
	b.Cleanup(v.Close)
	for k := range crowd {
		id := buff.OwnerID(k + 1)
		require.NoError(b, v.Engine().Spawn(id, nil))
		for source := range 2 {
			r := v.Engine().AddBuff(id, buff.Application{Spec: catalog.Spec("poison"), Source: buff.OwnerID(crowd + 1 + source)})
			require.NoError(b, r.Failure)
		}
		v.After(v.Engine().Tick(time.Millisecond)) // so that not all pulse at the same time
	}
	return v
}

// benchHost returns a host without a database.
func benchHost(b *testing.B, v *store.Saver) *host {
	own, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	require.NoError(b, err)
	own.Start()
	b.Cleanup(own.Shutdown)
	require.True(b, own.ReadyForConnections(10*time.Second))
	c, err := nats.Connect(own.ClientURL())
	require.NoError(b, err)
	b.Cleanup(c.Close)
	h := &host{n: &Node{o: Options{NATS: c, TTL: 2 * time.Second}, start: time.Now()}, zone: "z0", epoch: 1, ctx: context.Background(), saver: v, eng: v.Engine()}
	h.until.Store(int64(time.Hour))
	h.in.share.Most, h.ackShare.Most = DefaultWaiting, DefaultWaiting
	h.acks, h.totals = policy.NewAcks[answer](DefaultWaiting), policy.NewAcks[uint64](1024)
	h.window = policy.NewWindow(DefaultWindow, 0)
	return h
}

func frames(b *testing.B, catalog *buff.Catalog, commands int) {
	plain, v := zoneOf(b, catalog), zoneOf(b, catalog)
	h := benchHost(b, v)
	var alone, hosted []time.Duration
	number := uint64(0)
	var buf []byte
	for b.Loop() {
		var list []buff.Command
		for k := range commands {
			list = append(list, buff.Apply(buff.OwnerID(1+(number+uint64(k))%crowd), buff.Application{Spec: catalog.Spec("coin")}))
		}
		from := time.Now()
		for _, c := range list {
			plain.Engine().Do(c)
		}
		plain.After(plain.Engine().Tick(50 * time.Millisecond))
		alone = append(alone, time.Since(from))
		for _, c := range list {
			body, err := c.AppendBinary(buf[:0], catalog)
			require.NoError(b, err)
			number++
			m := policy.Message{Body: slices.Clone(body)}
			binary.BigEndian.PutUint64(m.ID[8:], number<<1)
			h.in.put(envelope{m: m, to: "inbox"})
		}
		h.last = h.n.clock() - 50*time.Millisecond
		from = time.Now()
		if !h.frame() {
			b.Fatal("the zone is not played")
		}
		hosted = append(hosted, time.Since(from))
		h.onDisk.Add(1) // acknowledge at once, as the storage is in memory
	}
	slices.Sort(alone)
	slices.Sort(hosted)
	median := func(list []time.Duration) float64 { return float64(list[len(list)/2]) }
	b.ReportMetric(median(alone)/1e3, "µs-alone")
	b.ReportMetric(median(hosted)/1e3, "µs-hosted")
	b.ReportMetric(median(hosted)/median(alone), "ratio")
}
