package cluster

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/store"
)

// refuseCommits makes the database refuse all commits until the returned function is called.
// Leases can still be renewed.
func (s *servers) refuseCommits() (admit func()) {
	_, err := s.db.Exec(s.t.Context(), fmt.Sprintf("alter table %[1]s.owners rename to gone", s.schema))
	require.NoError(s.t, err)
	return func() {
		_, err := s.db.Exec(context.Background(), fmt.Sprintf("alter table %[1]s.gone rename to owners", s.schema))
		require.NoError(s.t, err)
	}
}

// TestNode_Drain_CannotSave checks that the error of a drain names the zones that could not be
// saved, whether they were stopped or ctx has ended.
func TestNode_Drain_CannotSave(t *testing.T) {
	s := newServers(t)
	for name, patience := range map[string]time.Duration{"given up": time.Minute, "ctx": time.Second} {
		t.Run(name, func(t *testing.T) {
			a, err := Join(t.Context(), s.options("a "+name, 2))
			require.NoError(t, err)
			c := s.client()
			s.pay(c, 0, 0)
			s.pay(c, 1, 0)
			defer s.refuseCommits()()
			require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			err = a.Drain(ctx)
			require.ErrorIs(t, err, ErrUnsaved)
			require.ErrorContains(t, err, "z0")
			require.Equal(t, name == "ctx", ctx.Err() != nil)
			if name == "ctx" {
				require.ErrorIs(t, err, context.DeadlineExceeded)
			} else {
				require.EqualValues(t, 2, a.Stats().GivenUp)
				require.Zero(t, a.Stats().Drained)
			}
		})
	}
}

// TestNode_Stats_Unsaved checks that Stats and Info report for how long the commits of a zone
// with a valid lease have failed. Without MostUnsaved the zone continues; with it the zone stops
// and is loaded again from its last cut.
func TestNode_Stats_Unsaved(t *testing.T) {
	s := newServers(t)
	o := s.options("a", 2)
	o.New = func(zone string) (Zone, error) {
		z, err := play(zone)
		if zone == "z1" {
			z.MostUnsaved = 300 * time.Millisecond
		}
		return z, err
	}
	begun := make(chan store.Restored, 100)
	inner := o.New
	o.New = func(zone string) (Zone, error) {
		z, err := inner(zone)
		begin := z.Begin
		z.Begin = func(v *store.Saver, r store.Restored) error {
			if zone == "z1" {
				begun <- r
			}
			return begin(v, r)
		}
		return z, err
	}
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer a.Close()
	c := s.client()
	s.pay(c, 0, 0)
	s.pay(c, 1, 0)
	require.True(t, (<-begun).Fresh)
	admit := s.refuseCommits()
	// Each command is a round trip, so time passes.
	for a.Stats().GivenUp == 0 || a.Stats().Unsaved != 1 {
		require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	}
	played := a.Info().Zones
	require.Equal(t, "z0", played[0].Zone)
	require.Greater(t, played[0].Unsaved, 250*time.Millisecond)
	admit()
	s.pay(c, 1, 0)
	require.False(t, (<-begun).Fresh, "it is loaded from its last cut")
	// The zone records an acknowledgement in its next frame, after the client has received it.
	for a.Stats().Unsaved != 0 {
		s.pay(c, 0, 0)
	}
	require.NoError(t, a.Drain(t.Context()))
	require.EqualValues(t, 2, s.stacks(2)[hero(1, 0)])
}
