package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/cluster"
)

// The environment of a node's process.
const (
	envNode     = "REALM_NODE"
	envPostgres = "REALM_POSTGRES"
	envNATS     = "REALM_NATS"
	envSchema   = "REALM_SCHEMA"
	envWorld    = "REALM_WORLD" // zones and bots of each
	envPage     = "REALM_PAGE"  // address of its page; "": none
)

// runNode is the process of one node: it plays what it gets until it is told to end, and gives it away.
func runNode() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	moves := make(chan os.Signal, 1)
	signal.Notify(moves, syscall.SIGUSR1) // from here on: it ends who does not hear it
	var zones, bots int
	if _, err := fmt.Sscanf(os.Getenv(envWorld), "%d %d", &zones, &bots); err != nil {
		return fmt.Errorf("realm: %s: %w", envWorld, err)
	}
	conn, err := nats.Connect(os.Getenv(envNATS), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		return fmt.Errorf("realm: NATS: %w", err)
	}
	defer conn.Close()
	schema := os.Getenv(envSchema)
	show := &pages{address: os.Getenv(envPage), zones: map[string]http.Handler{}}
	node, err := join(ctx, cluster.Options{
		Postgres: os.Getenv(envPostgres), Schema: schema, NATS: conn, Prefix: schema,
		Node: os.Getenv(envNode), Zones: zoneNames(zones), New: play(zones, bots, show),
	})
	if node == nil || err != nil {
		return err
	}
	defer node.Close()
	if err := show.serve(node); err != nil {
		return err
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-moves:
			if err := moveOne(ctx, node); err != nil {
				fmt.Fprintln(os.Stderr, "realm: moving a zone:", err) // PostgreSQL may be gone
			}
		}
	}
	deadline, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := node.Drain(deadline); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// join joins as soon as PostgreSQL can be reached: it may be gone when a node starts. It returns nil if the node is
// told to end before.
func join(ctx context.Context, o cluster.Options) (*cluster.Node, error) {
	for {
		wait, cancel := context.WithTimeout(ctx, 5*time.Second)
		node, err := cluster.Join(wait, o)
		cancel()
		if err == nil || errors.Is(err, cluster.ErrOptions) || errors.Is(err, cluster.ErrFuture) || errors.Is(err, cluster.ErrName) {
			return node, err
		}
		fmt.Fprintln(os.Stderr, "realm: joining:", err) // the world shows it if the node does not end in order
		if !pause(ctx, 200*time.Millisecond) {
			return nil, nil
		}
	}
}

// moveOne moves a zone of this node to another node, if there is one.
func moveOne(ctx context.Context, node *cluster.Node) error {
	self := os.Getenv(envNode)
	others := slices.DeleteFunc(node.Nodes(), func(name string) bool { return name == self })
	for _, z := range node.Zones() {
		if z.Node == self && len(others) > 0 {
			return node.Move(ctx, z.Zone, others[int(z.Epoch)%len(others)])
		}
	}
	return nil
}
