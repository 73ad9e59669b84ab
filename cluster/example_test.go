package cluster_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
)

// Example runs two zones on this node and sends a command to one of them.
func Example() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "haste", Duration: 8 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	conn, err := nats.Connect("nats://nats.example:4222")
	if err != nil {
		fmt.Println("NATS:", err)
		return
	}
	defer conn.Close()
	ctx := context.Background()
	home := map[string]buff.OwnerID{"arena": 7, "harbour": 8}
	node, err := cluster.Join(ctx, cluster.Options{
		Postgres: "postgres://game@db.example/world", NATS: conn, Node: "node-7", Zones: []string{"arena", "harbour"},
		New: func(zone string) (cluster.Zone, error) {
			return cluster.Zone{
				Engine: engine.Options{Catalog: catalog},
				Begin: func(z *store.Saver, r store.Restored) error {
					if !r.Fresh {
						return nil // the owners are restored from the last cut
					}
					// Each owner is in one zone of the world.
					return z.Engine().Spawn(home[zone], nil)
				},
			}, nil
		},
	})
	if err != nil {
		fmt.Println("joining:", err)
		return
	}
	client, err := cluster.NewClient(cluster.ClientOptions{NATS: conn, Catalog: catalog})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	reply, err := client.Ask(ctx, "arena", buff.Apply(7, buff.Application{Spec: catalog.Spec("haste")}), cluster.Durable)
	fmt.Println(reply.Result, err)
	fmt.Println("drained:", node.Drain(ctx))
}
