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
	rounds             int // of all faults, after which they stop playing; 0: they play until the time is over
	play, every, pay   time.Duration
	travel             float64 // how likely a bot goes to another zone after a payment
	chaos              string
	together           bool // faults come two at once, too
	applied            bool // bots do not wait for the disk
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
	flag.IntVar(&o.nodes, "nodes", 3, "processes that play zones")
	flag.IntVar(&o.zones, "zones", 12, "zones of the world")
	flag.IntVar(&o.bots, "bots", 1200, "bots, the same number in each zone")
	flag.DurationVar(&o.play, "for", time.Minute, "how long they play")
	flag.DurationVar(&o.every, "every", 10*time.Second, "time between two faults")
	flag.DurationVar(&o.pay, "pay", 500*time.Millisecond, "least time between two payments of a bot")
	flag.Float64Var(&o.travel, "travel", 0.02, "how likely a bot goes to another zone after a payment")
	flag.StringVar(&o.chaos, "chaos", "kill", "faults: none, or some of "+strings.Join(faults, ","))
	flag.BoolVar(&o.together, "together", false, "faults come alone and two at once")
	flag.BoolVar(&o.applied, "applied", false, "bots wait for the Tick that pays them, and not for the disk; only with -chaos none")
	flag.StringVar(&o.postgres, "postgres", "", "address of PostgreSQL; if empty, BUFFTICK_POSTGRES, or the machine's own")
	flag.StringVar(&o.page, "page", "", "address of a page that shows the cluster, as 127.0.0.1:0; each node has one")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the faults")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	v, err := run(ctx, os.Stdout, o)
	if err == nil && v.lost+v.doubled+v.nowhere+v.twice > 0 {
		err = errors.New("realm: the book and the database do not agree")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run plays, and returns what came of it.
func run(ctx context.Context, w io.Writer, o options) (v verdict, err error) {
	kinds, err := parseChaos(o.chaos)
	if err != nil {
		return v, err
	}
	if o.play <= 0 || o.every < 0 || o.pay < time.Millisecond {
		return v, fmt.Errorf("realm: -for %v, -every %v, -pay %v: want a time, a time or none, and a millisecond at least", o.play, o.every, o.pay)
	}
	if o.travel < 0 || o.travel > 1 || o.travel > 0 && o.zones < 2 {
		return v, fmt.Errorf("realm: -travel %v with %d zones: want 0 to 1, and two zones at least", o.travel, o.zones)
	}
	if o.together && (o.nodes < 2 || len(kinds) < 2) {
		return v, fmt.Errorf("realm: -together with %d nodes and %d faults: want two of each", o.nodes, len(kinds))
	}
	if o.applied && len(kinds) > 0 {
		return v, fmt.Errorf("realm: -applied with -chaos %s: a crash undoes what is not on disk; want none", o.chaos)
	}
	if o.nodes < 1 || o.zones < 1 || o.bots < o.zones {
		return v, fmt.Errorf("realm: %d nodes, %d zones, %d bots: want one at least of each, and a bot in each zone", o.nodes, o.zones, o.bots)
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
	fmt.Fprintf(w, "realm: %d nodes, %d zones, %d bots; faults: %s, one each %v\n", o.nodes, o.zones, len(b.bots), o.chaos, o.every)
	for _, seat := range n.seats {
		if seat.page != "" {
			fmt.Fprintf(w, "realm: the page of node %s: http://%s/\n", seat.letter, seat.page)
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
	fmt.Fprintf(w, "  not healed by itself  %d incidents: not all zones paid %v after them\n", c.stuck, mostRecovery)
	if wrong := append(b.wrong, seen.wrong...); len(wrong) > 0 {
		err = wrong[0]
	}
	return v, err
}

// connect connects to NATS, and again whenever it is back.
func connect(port int) (*nats.Conn, error) {
	return nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", port), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
}

// playAll has the bots play until the time is over, with one fault after the other.
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
			c.tell("%d paid a second", (has-had)/5)
			had = has
		}
	})
	err = c.run(ctx)
	stop()
	all.Wait()
	return err
}
