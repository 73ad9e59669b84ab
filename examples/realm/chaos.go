package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// faults lists the values of -chaos.
var faults = []string{"kill", "stop", "term", "move", "nats", "postgres", "cut", "standby", "readonly", "closed", "definition"}

// ownDatabase lists the faults that need a private PostgreSQL server. twoDatabases lists the faults
// that also need a standby.
var (
	ownDatabase  = []string{"postgres", "standby", "readonly"}
	twoDatabases = []string{"standby", "readonly"}
)

// anyOf reports whether the list contains any of the words.
func anyOf(words, list []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
}

func parseChaos(text string) ([]string, error) {
	if text == "none" {
		return nil, nil
	}
	words := strings.Split(text, ",")
	for _, w := range words {
		if !slices.Contains(faults, w) {
			return nil, fmt.Errorf("realm: -chaos %s: want none, or a list of %s", w, strings.Join(faults, ","))
		}
	}
	return words, nil
}

// settle is the pause between the end of a fault and the check that all zones make payments again.
const settle = time.Second

// chaos injects faults until ctx ends. Before the next fault, all zones must make payments again.
// In each round, each kind of fault first occurs alone. If the field "together" is true, each kind
// occurs again at the same time as another kind, if possible on a different node. The order, the
// nodes and the durations are random.
type chaos struct {
	kinds    []string
	together bool
	round    int // number of rounds; 0 means until ctx ends
	every    time.Duration
	dice     *rand.Rand
	nodes    *nodes
	book     *book
	screens  *screens
	tell     func(format string, args ...any)
	count    map[string]int
	stuck    int // number of faults from which some zone did not recover
}

// mostRecovery is the maximum time after a fault until all zones make payments again.
const mostRecovery = time.Minute

func (c *chaos) run(ctx context.Context) error {
	for k := 0; len(c.kinds) > 0 && (c.round == 0 || k < c.round); k++ {
		for _, kinds := range c.shuffled() {
			if !pause(ctx, c.every) {
				return nil
			}
			if err := c.incident(ctx, kinds); err != nil {
				return err
			}
		}
	}
	if c.round == 0 {
		<-ctx.Done()
	}
	return nil
}

// shuffled returns the faults of a round in random order. The faults of one element happen at the
// same time.
func (c *chaos) shuffled() (all [][]string) {
	shuffle := func() {
		c.dice.Shuffle(len(c.kinds), func(i, j int) { c.kinds[i], c.kinds[j] = c.kinds[j], c.kinds[i] })
	}
	shuffle()
	for _, kind := range c.kinds {
		all = append(all, []string{kind})
	}
	if c.together {
		shuffle()
		all = slices.AppendSeq(all, slices.Chunk(slices.Clone(c.kinds), 2))
	}
	return all
}

// incident injects the given faults at the same time. It returns when all zones make payments
// again or ctx has ended.
func (c *chaos) incident(ctx context.Context, kinds []string) error {
	label := kinds[0]
	if len(kinds) > 1 {
		label = "two at once"
	}
	c.book.begin()
	var all sync.WaitGroup
	ends := make([]error, len(kinds))
	at := c.dice.IntN(len(c.nodes.seats))
	for k, kind := range kinds {
		c.count[kind]++
		f := &fault{chaos: c, kind: kind, seat: c.nodes.seats[(at+k)%len(c.nodes.seats)], dice: rand.New(rand.NewPCG(c.dice.Uint64(), 0))}
		all.Go(func() { ends[k] = f.do(ctx, len(kinds) > 1) })
	}
	all.Wait()
	if err := errors.Join(ends...); err != nil {
		return err
	}
	if !pause(ctx, settle) {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, mostRecovery)
	defer cancel()
	if gap, ok := c.book.end(wait, label, time.Now().Add(-settle/2)); ok {
		c.tell("all zones have recovered; the widest gap of any zone was %.2f s", gap.Seconds())
	} else if ctx.Err() == nil {
		c.stuck++
		c.tell("some zones have not recovered after %v", mostRecovery)
	}
	return nil
}

// fault is one injected fault. Each fault has its own random source, because two faults may run at
// the same time.
type fault struct {
	*chaos
	kind string
	seat *seat
	dice *rand.Rand
}

// between returns a random duration d with from <= d < to.
func (f *fault) between(from, to time.Duration) time.Duration {
	return from + time.Duration(f.dice.Int64N(int64(to-from)))
}

// do injects the fault and returns when it is over.
func (f *fault) do(ctx context.Context, together bool) error {
	s := f.seat
	switch f.kind {
	case "kill":
		f.tell("%s is killed", s.name())
		s.signal(syscall.SIGKILL)
		<-s.done
		return f.nodes.start(s)
	case "term":
		f.tell("%s gets SIGTERM, as in a deploy", s.name())
		s.signal(syscall.SIGTERM)
		if err := s.end(20 * time.Second); err != nil && !together {
			return err
		} else if err != nil {
			f.tell("its drain failed during another fault: %v", err)
		}
		return f.nodes.start(s)
	case "move":
		f.tell("%s moves a zone to another node", s.name())
		s.signal(syscall.SIGUSR1)
	case "stop":
		d := f.between(4*time.Second, 12*time.Second)
		f.tell("%s is paused for %.1f s", s.name(), d.Seconds())
		s.signal(syscall.SIGSTOP)
		pause(ctx, d)
		s.signal(syscall.SIGCONT)
	case "nats":
		f.tell("NATS is down for 2 s")
		f.nodes.servers.stopNATS()
		pause(ctx, 2*time.Second)
		return f.nodes.servers.startNATS()
	case "postgres":
		f.nodes.servers.base.Lock()
		defer f.nodes.servers.base.Unlock()
		d := f.between(0, 4*time.Second)
		f.tell("PostgreSQL is killed and restarted after %.1f s", d.Seconds())
		f.nodes.servers.own.kill()
		pause(ctx, d)
		return f.nodes.servers.own.start(context.WithoutCancel(ctx))
	case "cut":
		f.cut(ctx)
	case "standby":
		return f.standby(ctx)
	case "readonly":
		f.readOnly(ctx)
	case "closed":
		f.tell("%s closes its connection to NATS permanently", s.name())
		s.signal(syscall.SIGUSR2)
	case "definition":
		f.tell("screens receive no definitions for 2 s while %s moves a zone", s.name())
		lost := f.screens.filter.lose(2 * time.Second)
		s.signal(syscall.SIGUSR1)
		pause(ctx, 2*time.Second)
		f.tell("%d definitions were lost", lost())
	}
	return nil
}

// standby promotes a standby that lags by up to 1.5 s. Payments that were acknowledged in this time
// are lost, as docs/operations.md describes. The book removes exactly these payments.
func (f *fault) standby(ctx context.Context) error {
	s := f.nodes.servers
	s.base.Lock()
	defer s.base.Unlock()
	d := f.between(0, 1500*time.Millisecond)
	f.tell("a standby with a lag of %.1f s takes over", d.Seconds())
	gone := int64(0)
	err := s.takeOver(ctx, d, func() { f.book.quiet(context.WithoutCancel(ctx)) }, func(address string) (err error) {
		gone, err = f.book.goBack(context.WithoutCancel(ctx), address, s.schema)
		return err
	}, f.nodes.lead)
	f.tell("it has taken over; %d acknowledged payments that it had not received are lost", gone)
	return err
}

// readOnly connects all nodes to a read-only standby for a while, and then directs new connections
// to the primary again. At the end it does not close the open connections, because the test is
// whether the nodes leave the standby on their own.
func (f *fault) readOnly(ctx context.Context) {
	s := f.nodes.servers
	s.base.Lock()
	defer s.base.Unlock()
	d := f.between(500*time.Millisecond, 4*time.Second)
	f.tell("nodes reach a read-only server for %.1f s", d.Seconds())
	f.nodes.lead(fmt.Sprintf("127.0.0.1:%d", s.second.port))
	pause(ctx, d)
	for _, seat := range f.nodes.seats {
		seat.postgres.lead(s.postgresTarget(), false)
	}
}

func (f *fault) cut(ctx context.Context) {
	s, d, ways := f.seat, f.between(3*time.Second, 8*time.Second), f.dice.IntN(3)
	f.tell("%s is cut off from %s for %.1f s", s.name(), []string{"PostgreSQL", "NATS", "both"}[ways], d.Seconds())
	if ways != 1 {
		s.postgres.cut(d)
	}
	if ways != 0 {
		s.nats.cut(d)
	}
	pause(ctx, d)
}

// pause waits for the duration d. It returns false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
