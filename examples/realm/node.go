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

// Environment variables of a node process.
const (
	envNode     = "REALM_NODE"
	envPostgres = "REALM_POSTGRES"
	envNATS     = "REALM_NATS"
	envSchema   = "REALM_SCHEMA"
	envWorld    = "REALM_WORLD" // the number of zones and the number of bots in each zone
	envPage     = "REALM_PAGE"  // address of the node's page; "" means that the node serves no page
)

// runNode is the main function of a node process. It plays its zones until it receives SIGTERM,
// and then hands them off.
func runNode() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	moves := make(chan os.Signal, 1)
	// Do this first: without a handler, SIGUSR1 would end the process.
	signal.Notify(moves, syscall.SIGUSR1)
	var zones, bots int
	if _, err := fmt.Sscanf(os.Getenv(envWorld), "%d %d", &zones, &bots); err != nil {
		return fmt.Errorf("realm: %s: %w", envWorld, err)
	}
	closes := make(chan os.Signal, 1)
	signal.Notify(closes, syscall.SIGUSR2)
	show := &pages{address: os.Getenv(envPage), zones: map[string]http.Handler{}}
	for again := true; again; {
		var err error
		if again, err = playOn(ctx, show, zones, bots, moves, closes); err != nil {
			return err
		}
	}
	return nil
}

// playOn runs the node with one connection to NATS. The result "again" is true if the connection
// was closed permanently. The caller must then run the node again, with a new connection.
func playOn(ctx context.Context, show *pages, zones, bots int, moves, closes chan os.Signal) (again bool, err error) {
	conn, err := nats.Connect(os.Getenv(envNATS), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		return false, fmt.Errorf("realm: NATS: %w", err)
	}
	defer conn.Close()
	schema := os.Getenv(envSchema)
	node, err := join(ctx, cluster.Options{
		Postgres: os.Getenv(envPostgres), Schema: schema, NATS: conn, Prefix: schema,
		Node: os.Getenv(envNode), Zones: zoneNames(zones), New: play(zones, bots, show),
		Log: func(zone string, epoch uint64, what string) {
			fmt.Fprintf(os.Stderr, "%s %q@%d %s\n", time.Now().Format("15:04:05.000"), zone, epoch, what)
		},
	})
	if node == nil || err != nil {
		return false, err
	}
	defer node.Close()
	if err := show.serve(node); err != nil {
		return false, err
	}
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for ctx.Err() == nil && !again {
		select {
		case <-ctx.Done():
		case <-look.C:
			again = node.Stats().Closed
		case <-closes:
			conn.Close()
		case <-moves:
			if err := moveOne(ctx, node); err != nil {
				fmt.Fprintln(os.Stderr, "realm: moving a zone:", err) // PostgreSQL may be down
			}
		}
	}
	deadline, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := node.Drain(deadline); err != nil {
		// If another fault strikes at the same time, draining can fail. This is tolerated, because
		// the audit finds any lost payments.
		fmt.Fprintln(os.Stderr, "realm: draining:", err)
		if !errors.Is(err, cluster.ErrUnsaved) && !errors.Is(err, context.DeadlineExceeded) {
			return false, err
		}
	}
	return again && ctx.Err() == nil, nil
}

// join joins the cluster. It retries until it succeeds, because PostgreSQL may be down when a node
// starts, and because after a lost connection the node's name stays taken until the old lease ends.
// It returns nil if ctx ends first.
func join(ctx context.Context, o cluster.Options) (*cluster.Node, error) {
	for {
		wait, cancel := context.WithTimeout(ctx, 5*time.Second)
		node, err := cluster.Join(wait, o)
		cancel()
		if err == nil || errors.Is(err, cluster.ErrOptions) || errors.Is(err, cluster.ErrFuture) {
			return node, err
		}
		fmt.Fprintln(os.Stderr, "realm: joining:", err) // the parent process prints this if the node fails
		if !pause(ctx, 200*time.Millisecond) {
			return nil, nil
		}
	}
}

// moveOne moves one zone of this node to another node, if the cluster has another node.
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
