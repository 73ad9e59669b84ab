package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
)

// TestNode_StuckZone checks that a zone whose game does not return from a frame blocks neither
// other zones nor the end of the node, and loses nothing that was on disk.
func TestNode_StuckZone(t *testing.T) {
	s := newServers(t)
	o := s.options("a", 2)
	o.TTL = time.Second
	inside, release := make(chan struct{}), make(chan struct{})
	o.New = func(zone string) (Zone, error) {
		z, err := play(zone)
		frames := 0
		if zone == "z1" {
			z.Tick = func(*store.Saver, *engine.Frame) {
				if frames++; frames == 3 {
					close(inside)
					<-release
				}
			}
		}
		return z, err
	}
	told := make(chan string, 100)
	o.Log = func(zone string, _ uint64, what string) { told <- zone + " " + what }
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	<-inside
	require.NoError(t, a.Move(t.Context(), "z1", "nobody"), "a move to an unknown node does not wait")
	c := s.client()
	for range 20 {
		_, err := c.Ask(t.Context(), "z0", coin(hero(0, 0)), Durable)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	err = a.Drain(ctx)
	require.ErrorIs(t, err, ErrUnsaved)
	require.ErrorContains(t, err, `["z1"]`)
	close(release)
	for what := ""; what != "z1 is abandoned: a function of the game has not returned"; {
		what = <-told
	}
	require.EqualValues(t, 1, a.Stats().Drained, "the other zone")
	a.gone.Wait()
	require.EqualValues(t, 20, s.stacks(2)[hero(0, 0)])
}

// TestClient_Send_Panics checks that a panic of a function given to Send is recovered.
func TestClient_Send_Panics(t *testing.T) {
	s := newServers(t)
	a, err := Join(t.Context(), s.options("a", 1))
	require.NoError(t, err)
	defer a.Close()
	said := make(chan string, 2)
	c, err := NewClient(ClientOptions{NATS: s.connect(), Prefix: s.schema, Catalog: coins, Log: func(what string) {
		said <- what
		panic("the log too")
	}})
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Send("z0", coin(hero(0, 0)), Durable, func(Reply, error) { panic("no") }))
	require.Equal(t, "cluster: a function given to Send panicked: no", <-said)
	require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))), "it goes on")
	require.NoError(t, c.Send("z9", buff.Kill(1), Applied, func(Reply, error) { panic("no zone") }))
	c.Close()
	require.Equal(t, "cluster: a function given to Send panicked: no zone", <-said)
}
