package cluster

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/long"
)

var between = flag.Int("between", 4000, "number of commands that are answered between two kills in TestKill")

// load keeps a fixed number of commands pending, each of which pays a coin, and counts the
// outcomes.
type load struct {
	t     *testing.T
	c     *Client
	zones int

	mu       sync.Mutex
	dice     *rand.Rand
	sent     map[buff.OwnerID]int64
	durable  map[buff.OwnerID]int64 // coins that are on disk according to the replies
	answers  int
	again    int
	unknown  int
	pending  int
	ending   bool
	marks    chan struct{} // receives a value after each every answers
	every    int
	slowest  time.Duration
	times    []time.Duration
	finished chan struct{}
}

func (s *servers) load(zones, pending, every int) *load {
	l := &load{
		t: s.t, c: s.client(), zones: zones, dice: rand.New(rand.NewPCG(long.Seed(), 1)), every: every, marks: make(chan struct{}, 1000),
		sent: map[buff.OwnerID]int64{}, durable: map[buff.OwnerID]int64{}, finished: make(chan struct{}),
	}
	for range pending {
		l.next()
	}
	return l
}

// next sends one command.
func (l *load) next() {
	l.mu.Lock()
	zone := l.dice.IntN(l.zones)
	to := hero(zone, l.dice.IntN(heroes))
	if l.ending {
		if l.pending == 0 {
			close(l.finished)
		}
		l.mu.Unlock()
		return
	}
	l.sent[to]++
	l.pending++
	l.mu.Unlock()
	at := time.Now()
	err := l.c.Send(fmt.Sprintf("z%d", zone), coin(to), Durable, func(r Reply, err error) {
		l.answered(to, r, err, time.Since(at))
		l.next()
	})
	if err != nil {
		l.t.Errorf("Send: %v", err)
	}
}

func (l *load) answered(to buff.OwnerID, r Reply, err error, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending--
	switch {
	case err == nil:
		l.durable[to]++
	case errors.Is(err, ErrUnknown):
		l.unknown++
	default:
		l.t.Errorf("a coin for %d: %v", to, err)
	}
	if r.Again {
		l.again++
	}
	l.slowest = max(l.slowest, took)
	l.times = append(l.times, took)
	if l.answers++; l.answers%l.every == 0 {
		l.marks <- struct{}{}
	}
}

// end waits for the outcomes of all commands.
func (l *load) end() {
	l.mu.Lock()
	l.ending = true
	l.mu.Unlock()
	<-l.finished
	slices.Sort(l.times)
	l.t.Logf("%d replies, %d of them to commands executed before, %d unknown; p50 %v, p99 %v, slowest %v", l.answers, l.again, l.unknown,
		l.times[len(l.times)/2], l.times[len(l.times)*99/100], l.slowest)
}

// compare checks the acknowledged commands against the coins on disk.
func (l *load) compare(s *servers) {
	stacks := s.stacks(l.zones)
	for zone := range l.zones {
		for k := range heroes {
			id := hero(zone, k)
			require.GreaterOrEqual(l.t, stacks[id], l.durable[id], "hero %d: an acknowledged coin was lost", id)
			if l.unknown == 0 {
				require.LessOrEqual(l.t, stacks[id], l.durable[id], "hero %d: a coin was paid twice", id)
			}
			require.LessOrEqual(l.t, stacks[id], l.sent[id], "hero %d: a coin was paid twice", id)
		}
	}
}

// TestKill checks that nothing acknowledged is lost and nothing is executed twice when nodes
// under load are killed or cut off from the database by a proxy that drops all traffic.
func TestKill(t *testing.T) {
	const zones = 12
	s := newServers(t)
	dice := rand.New(rand.NewPCG(long.Seed(), 2))
	type member struct {
		node  *Node
		proxy *proxy
	}
	names := 0
	start := func() member {
		o := s.options(fmt.Sprintf("node-%d", names), zones)
		names++
		u, err := url.Parse(s.postgres)
		require.NoError(t, err)
		p := newProxy(t, u.Host)
		u.Host = p.listener.Addr().String()
		o.Postgres = u.String()
		node, err := Join(t.Context(), o)
		require.NoError(t, err)
		return member{node, p}
	}
	members := []member{start(), start(), start()}
	l := s.load(zones, 256, *between)
	for round := range long.Times(2) {
		<-l.marks
		k := dice.IntN(len(members))
		m := &members[k]
		if round%2 == 0 {
			t.Logf("%s is killed", m.node.o.Node)
			m.node.Close()
			m.proxy.close()
			*m = start()
		} else {
			t.Logf("%s is cut off from the database", m.node.o.Node)
			m.proxy.swallow(true)
			<-l.marks
			m.proxy.swallow(false)
		}
	}
	l.end()
	for _, m := range members {
		t.Logf("%s: %+v", m.node.o.Node, m.node.Stats())
		require.NoError(t, m.node.Drain(t.Context()))
	}
	l.compare(s)
}
