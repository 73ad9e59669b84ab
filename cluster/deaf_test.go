package cluster

import (
	"net/url"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// TestDeaf: a node that is cut off from NATS, and reaches the database, gives its zones to one that hears, and takes
// none back before it hears again.
func TestDeaf(t *testing.T) {
	s := newServers(t)
	u, err := url.Parse(s.nats)
	require.NoError(t, err)
	p := newProxy(t, u.Host)
	o := s.options("a", 2)
	if o.NATS, err = nats.Connect("nats://"+p.listener.Addr().String(), nats.MaxReconnects(-1)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.NATS.Close)
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
	for a.Stats().Zones == 0 { // the balance gives one back: each command is a round trip, so that time goes on
		require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 1))))
	}
	require.NoError(t, b.Drain(t.Context()))
	require.NoError(t, a.Drain(t.Context()))
	all := s.stacks(2)
	require.EqualValues(t, 2, all[hero(0, 0)])
	require.EqualValues(t, 2, all[hero(1, 0)])
}
