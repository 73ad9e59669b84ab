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

// faults are the words of -chaos.
var faults = []string{"kill", "stop", "term", "move", "nats", "postgres", "cut", "standby", "readonly", "closed", "definition"}

// ownDatabase are those for which PostgreSQL is this world's own, and twoDatabases those for which it has a standby.
var (
	ownDatabase  = []string{"postgres", "standby", "readonly"}
	twoDatabases = []string{"standby", "readonly"}
)

// any reports whether one of some words is among others.
func anyOf(words, among []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(among, w) })
}

func parseChaos(text string) ([]string, error) {
	if text == "none" {
		return nil, nil
	}
	words := strings.Split(text, ",")
	for _, w := range words {
		if !slices.Contains(faults, w) {
			return nil, fmt.Errorf("realm: -chaos %s: want none, or some of %s", w, strings.Join(faults, ","))
		}
	}
	return words, nil
}

// settle is how long a fault is over before it is looked whether all zones pay.
const settle = time.Second

// chaos does one fault after the other, or two at once, until ctx ends. They heal before the next ones: a node is
// back, or goes on, and all zones pay. In each round each kind comes once alone and, where they also come together,
// once more with another of another node, if one is left; in which order, where and how long are dice, on a seed.
type chaos struct {
	kinds    []string
	together bool
	round    int // how many rounds; 0: until ctx ends
	every    time.Duration
	dice     *rand.Rand
	nodes    *nodes
	book     *book
	screens  *screens
	tell     func(format string, args ...any)
	count    map[string]int
	stuck    int // faults after which not all zones paid again by themselves
}

// mostRecovery is how long all zones may take to pay again.
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

// shuffled returns what comes in a round: the faults of each entry at once.
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

// incident does faults at once, and returns when all zones pay, or ctx has ended.
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
		c.tell("all zones pay; the widest gap of one was %.2f s", gap.Seconds())
	} else if ctx.Err() == nil {
		c.stuck++
		c.tell("after %v not all zones pay", mostRecovery)
	}
	return nil
}

// fault is one of them. Its dice are its own: another may come at the same time.
type fault struct {
	*chaos
	kind string
	seat *seat
	dice *rand.Rand
}

// between throws dice for a time.
func (f *fault) between(least, most time.Duration) time.Duration {
	return least + time.Duration(f.dice.Int64N(int64(most-least)))
}

// do does it, and returns when it is over.
func (f *fault) do(ctx context.Context, together bool) error {
	s := f.seat
	switch f.kind {
	case "kill":
		f.tell("%s is killed", s.name())
		s.signal(syscall.SIGKILL)
		<-s.done
		return f.nodes.start(s)
	case "term":
		f.tell("%s is told to end, as for a deploy", s.name())
		s.signal(syscall.SIGTERM)
		if err := s.end(20 * time.Second); err != nil && !together {
			return err
		} else if err != nil {
			f.tell("it did not end in order, with another fault at once: %v", err)
		}
		return f.nodes.start(s)
	case "move":
		f.tell("%s moves a zone to another node", s.name())
		s.signal(syscall.SIGUSR1)
	case "stop":
		d := f.between(4*time.Second, 12*time.Second)
		f.tell("%s stands still for %.1f s", s.name(), d.Seconds())
		s.signal(syscall.SIGSTOP)
		pause(ctx, d)
		s.signal(syscall.SIGCONT)
	case "nats":
		f.tell("NATS is gone for 2 s")
		f.nodes.servers.stopNATS()
		pause(ctx, 2*time.Second)
		return f.nodes.servers.startNATS()
	case "postgres":
		f.nodes.servers.base.Lock()
		defer f.nodes.servers.base.Unlock()
		d := f.between(0, 4*time.Second)
		f.tell("PostgreSQL is killed, and is started again after %.1f s", d.Seconds())
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
		f.tell("the connection of %s to NATS is closed for good", s.name())
		s.signal(syscall.SIGUSR2)
	case "definition":
		f.tell("definitions do not come to screens for 2 s, and %s moves a zone", s.name())
		lost := f.screens.filter.lose(2 * time.Second)
		s.signal(syscall.SIGUSR1)
		pause(ctx, 2*time.Second)
		f.tell("%d definitions were lost", lost())
	}
	return nil
}

// standby has a standby take over that is up to 1.5 s behind. What was acknowledged in that time is lost, as docs/operations.md says; the
// book takes that out, and nothing else.
func (f *fault) standby(ctx context.Context) error {
	s := f.nodes.servers
	s.base.Lock()
	defer s.base.Unlock()
	d := f.between(0, 1500*time.Millisecond)
	f.tell("a standby takes over that is %.1f s behind", d.Seconds())
	gone := int64(0)
	err := s.takeOver(ctx, d, func() { f.book.quiet(context.WithoutCancel(ctx)) }, func(address string) (err error) {
		gone, err = f.book.goBack(context.WithoutCancel(ctx), address, s.schema)
		return err
	}, f.nodes.lead)
	f.tell("it has taken over; %d acknowledged payments are gone with the moment that it had missed", gone)
	return err
}

// readOnly has all nodes reach a standby for a while, which only reads, and then the primary again. No connection is broken at the end: who
// has one to the standby must leave it.
func (f *fault) readOnly(ctx context.Context) {
	s := f.nodes.servers
	s.base.Lock()
	defer s.base.Unlock()
	d := f.between(500*time.Millisecond, 4*time.Second)
	f.tell("nodes reach a server that only reads for %.1f s", d.Seconds())
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

// pause waits, and reports whether ctx has not ended.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
