package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/cluster"
)

// options are the flags.
type options struct {
	nodes, zones, bots int
	rounds             int // number of rounds of all faults before the run ends; 0 means no limit
	play, every, pay   time.Duration
	travel             float64 // probability that a bot changes zones after a payment
	chaos              string
	together           bool // if set, also inject two faults at the same time
	applied            bool // if set, bots do not wait until payments are durable
	postgres, page     string
	seed               uint64
}

func main() {
	if os.Getenv(envNode) != "" {
		if err := runNode(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.IntVar(&o.nodes, "nodes", 3, "number of node processes")
	flag.IntVar(&o.zones, "zones", 12, "number of zones")
	flag.IntVar(&o.bots, "bots", 1200, "number of bots, divided evenly among the zones")
	flag.DurationVar(&o.play, "for", time.Minute, "duration of the run")
	flag.DurationVar(&o.every, "every", 10*time.Second, "time between faults")
	flag.DurationVar(&o.pay, "pay", 500*time.Millisecond, "minimum time between two payments of a bot")
	flag.Float64Var(&o.travel, "travel", 0.02, "probability that a bot changes zones after a payment")
	flag.StringVar(&o.chaos, "chaos", "kill", "faults: none, or a list of "+strings.Join(faults, ","))
	flag.BoolVar(&o.together, "together", false, "inject faults alone and two at a time")
	flag.BoolVar(&o.applied, "applied", false, "bots wait for the Tick, not for the disk; only with -chaos none")
	flag.StringVar(&o.postgres, "postgres", "", "PostgreSQL address; if empty, BUFFTICK_POSTGRES or a server on this machine")
	flag.StringVar(&o.page, "page", "", "address of a page that shows the cluster, such as 127.0.0.1:0; each node serves one")
	flag.Uint64Var(&o.seed, "seed", 1, "random seed of the faults")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	v, err := run(ctx, os.Stdout, o)
	if err == nil && v.lost+v.doubled+v.nowhere+v.twice > 0 {
		err = errors.New("realm: the database does not match the acknowledged payments")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run plays the world and returns the result.
func run(ctx context.Context, w io.Writer, o options) (v verdict, err error) {
	kinds, err := parseChaos(o.chaos)
	if err != nil {
		return v, err
	}
	if o.play <= 0 || o.every < 0 || o.pay < time.Millisecond {
		return v, fmt.Errorf("realm: -for %v, -every %v, -pay %v: want a positive time, a time of at least 0, and at least 1ms", o.play, o.every, o.pay)
	}
	if o.travel < 0 || o.travel > 1 || o.travel > 0 && o.zones < 2 {
		return v, fmt.Errorf("realm: -travel %v with %d zones: want 0 to 1, and at least two zones", o.travel, o.zones)
	}
	if o.together && (o.nodes < 2 || len(kinds) < 2) {
		return v, fmt.Errorf("realm: -together with %d nodes and %d faults: want at least two of each", o.nodes, len(kinds))
	}
	if o.applied && len(kinds) > 0 {
		return v, fmt.Errorf("realm: -applied with -chaos %s: a crash loses changes that are not durable; want -chaos none", o.chaos)
	}
	if o.nodes < 1 || o.zones < 1 || o.bots < o.zones {
		return v, fmt.Errorf("realm: %d nodes, %d zones, %d bots: want at least one of each, and a bot in each zone", o.nodes, o.zones, o.bots)
	}
	s, err := openServers(ctx, o.postgres, anyOf(kinds, ownDatabase), anyOf(kinds, twoDatabases))
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	each := o.bots / o.zones
	places, err := placesOf(o.page, o.nodes)
	if err != nil {
		return v, err
	}
	n, err := openNodes(s, places, o.zones, each)
	if err != nil {
		return v, err
	}
	b := newBook(o.zones, each, o.travel)
	if o.applied {
		b.want, b.until = cluster.Applied, "applied"
	}
	fmt.Fprintf(w, "realm: %d nodes, %d zones, %d bots; faults: %s, one every %v\n", o.nodes, o.zones, len(b.bots), o.chaos, o.every)
	for _, seat := range n.seats {
		if seat.page != "" {
			fmt.Fprintf(w, "realm: page of node %s: http://%s/\n", seat.letter, seat.page)
		}
	}
	see, err := openScreens(s.port, s.schema, b.zones)
	if err != nil {
		return v, errors.Join(err, n.close())
	}
	begun := time.Now()
	var line sync.Mutex
	tell := func(format string, args ...any) {
		line.Lock()
		defer line.Unlock()
		fmt.Fprintf(w, "%6.1f s  %s\n", time.Since(begun).Seconds(), fmt.Sprintf(format, args...))
	}
	c := &chaos{kinds: kinds, together: o.together, round: o.rounds, every: o.every, dice: rand.New(rand.NewPCG(o.seed, 0)), nodes: n, book: b, screens: see, tell: tell, count: map[string]int{}}
	err = playAll(ctx, s, b, c, o)
	took := time.Since(begun)
	see.settle(context.WithoutCancel(ctx), b.bots)
	err = errors.Join(err, n.close())
	see.close()
	if err != nil {
		return v, err
	}
	if v, err = b.audit(context.WithoutCancel(ctx), s.address(), s.schema); err != nil {
		return v, err
	}
	b.report(w, v, took)
	seen, err := see.audit(context.WithoutCancel(ctx), s.address(), s.schema)
	if err != nil {
		return v, err
	}
	see.report(w, seen)
	total := 0
	for _, n := range c.count {
		total += n
	}
	fmt.Fprintf(w, "  faults                %d: %v\n", total, c.count)
	fmt.Fprintf(w, "  not recovered         %d incidents: some zone made no payment within %v\n", c.stuck, mostRecovery)
	if wrong := append(b.wrong, seen.wrong...); len(wrong) > 0 {
		err = wrong[0]
	}
	return v, err
}

// connect connects to NATS and reconnects without limit.
func connect(port int) (*nats.Conn, error) {
	return nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", port), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
}

// playAll runs the bots and the faults until the time is over.
func playAll(ctx context.Context, s *servers, b *book, c *chaos, o options) error {
	conn, err := connect(s.port)
	if err != nil {
		return err
	}
	defer conn.Close()
	client, err := cluster.NewClient(cluster.ClientOptions{NATS: conn, Prefix: s.schema, Catalog: catalog, Outstanding: 2 * len(b.bots)})
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, stop := context.WithTimeout(ctx, o.play)
	defer stop()
	var all sync.WaitGroup
	for _, one := range b.bots {
		all.Go(func() { b.run(ctx, client, one, o.pay) })
	}
	all.Go(func() {
		for had := 0; pause(ctx, 5*time.Second); {
			has := b.acknowledged()
			c.tell("%d payments per second", (has-had)/5)
			had = has
		}
	})
	err = c.run(ctx)
	stop()
	all.Wait()
	return err
}
