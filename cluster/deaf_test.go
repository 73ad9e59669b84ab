package cluster

import (
	"net/url"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// throughProxy connects the options to NATS through a proxy, which can drop all traffic.
func (s *servers) throughProxy(o *Options) *proxy {
	u, err := url.Parse(s.nats)
	require.NoError(s.t, err)
	p := newProxy(s.t, u.Host)
	o.NATS, err = nats.Connect("nats://"+p.listener.Addr().String(), nats.MaxReconnects(-1))
	require.NoError(s.t, err)
	s.t.Cleanup(o.NATS.Close)
	return p
}

// TestDeaf checks that a node that is cut off from NATS, but not from the database, gives its zones
// to a connected node, and claims none until it is connected again.
func TestDeaf(t *testing.T) {
	s := newServers(t)
	o := s.options("a", 2)
	p := s.throughProxy(&o)
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer a.Close()
	c := s.client()
	for zone := range 2 {
		_, err := c.Ask(t.Context(), zones(2)[zone], coin(hero(zone, 0)), Durable)
		require.NoError(t, err)
	}
	p.swallow(true)
	b, err := Join(t.Context(), s.options("b", 2))
	require.NoError(t, err)
	defer b.Close()
	for zone := range 2 {
		r, err := c.Ask(t.Context(), zones(2)[zone], coin(hero(zone, 0)), Durable)
		require.NoError(t, err)
		require.False(t, r.Again)
		require.EqualValues(t, 2, r.Epoch)
	}
	require.EqualValues(t, 2, a.Stats().Drained)
	require.Zero(t, a.Stats().Stopped)
	require.Zero(t, a.Stats().Zones)
	p.swallow(false)
	// Balancing moves a zone back; each command is a round trip, so time passes.
	for a.Stats().Zones == 0 {
		require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 1))))
	}
	require.NoError(t, b.Drain(t.Context()))
	require.NoError(t, a.Drain(t.Context()))
	all := s.stacks(2)
	require.EqualValues(t, 2, all[hero(0, 0)])
	require.EqualValues(t, 2, all[hero(1, 0)])
}

// TestJoin_Slow checks that a node that waits for NATS in Join gets no share of the free zones, so
// that the others run all of them.
func TestJoin_Slow(t *testing.T) {
	s := newServers(t)
	o := s.options("slow", 3)
	o.TTL = 10 * time.Second // also the time that Join waits for a reply of NATS
	p := s.throughProxy(&o)
	p.swallow(true)
	joined := make(chan *Node, 1)
	go func() {
		slow, err := Join(t.Context(), o)
		if err != nil {
			t.Error(err)
		}
		joined <- slow
	}()
	// Until it is registered in the database; the table may not exist yet.
	for known := 0; known == 0; {
		_ = s.db.QueryRow(t.Context(), "select count(*) from "+s.schema+".nodes").Scan(&known)
	}
	o = s.options("fast", 3)
	o.TTL = 10 * time.Second
	fast, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer fast.Close()
	c := s.client()
	for zone := range 3 {
		s.pay(c, zone, 0)
	}
	require.Empty(t, joined)
	require.Equal(t, 3, fast.Stats().Zones)
	p.swallow(false)
	slow := <-joined
	defer slow.Close()
	// Balancing moves a zone to it; each command is a round trip, so time passes.
	for slow.Stats().Zones == 0 {
		require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 1))))
	}
}
