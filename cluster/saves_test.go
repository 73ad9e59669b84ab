package cluster

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
)

// TestNode_OwnerElsewhere checks that a zone that spawns an owner of another zone logs the name of
// that zone once, and not in each frame. The zone is loaded again from its last cut without loss of
// acknowledged commands, and the other zone is not affected.
func TestNode_OwnerElsewhere(t *testing.T) {
	s := newServers(t)
	o := s.options("a", 2)
	o.TTL = time.Second
	var spawn atomic.Bool
	o.New = func(zone string) (Zone, error) {
		z, err := play(zone)
		if zone == "z1" {
			z.Tick = func(z *store.Saver, _ *engine.Frame) {
				if spawn.CompareAndSwap(true, false) {
					_ = z.Engine().Spawn(hero(0, 0), nil)
				}
			}
		}
		return z, err
	}
	told := make(chan string, 100)
	o.Log = func(zone string, _ uint64, what string) { told <- zone + " " + what }
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer a.Close()
	c := s.client()
	for zone := range 2 {
		_, err := c.Ask(t.Context(), zones(2)[zone], coin(hero(zone, 0)), Durable)
		require.NoError(t, err)
	}
	spawn.Store(true)
	var lines []string
	// A command sent before that would still be acknowledged.
	for what := ""; !strings.HasPrefix(what, "z1 could not be saved"); lines = append(lines, what) {
		what = <-told
	}
	// Ask retries until the zone runs again.
	_, err = c.Ask(t.Context(), "z1", coin(hero(1, 0)), Durable)
	require.NoError(t, err)
	_, err = c.Ask(t.Context(), "z0", coin(hero(0, 0)), Durable)
	require.NoError(t, err)
	require.NoError(t, a.Drain(t.Context()))
	require.EqualValues(t, 2, s.stacks(2)[hero(0, 0)])
	require.EqualValues(t, 2, s.stacks(2)[hero(1, 0)])
	close(told)
	failed := 0
	for what := range told {
		lines = append(lines, what)
	}
	for _, what := range lines {
		if strings.HasPrefix(what, "z1 could not be saved") {
			failed++
			require.Contains(t, what, "owner 1 is in zone z0")
		}
	}
	require.Equal(t, 1, failed)
	require.EqualValues(t, 1, a.Stats().Failed)
}
