package cluster

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// refusals counts the replies that ask a client to retry, in total and because it has used its
// share.
func (s *servers) refusals(c *Client) *atomic.Int64 {
	n := &atomic.Int64{}
	conn := s.connect()
	_, err := conn.Subscribe(c.inbox+".*", func(m *nats.Msg) {
		if r, err := parseReply(m.Data); err == nil && r.Code == policy.Busy && len(r.Body) == 1 && r.Body[0] == policy.Crowded {
			n.Add(1)
		}
	})
	require.NoError(s.t, err)
	require.NoError(s.t, conn.Flush())
	return n
}

// TestFlood checks that a client that floods a zone is asked to retry and that another client never
// is, neither before the Tick nor before the commit, and that all commands are executed once.
func TestFlood(t *testing.T) {
	s := newServers(t)
	o := s.options("a", 1)
	o.Waiting = 64
	node, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer node.Close()
	flood, err := NewClient(ClientOptions{NATS: s.connect(), Prefix: s.schema, Catalog: coins, Outstanding: 1500})
	require.NoError(t, err)
	defer flood.Close()
	one := s.client()
	require.NoError(t, one.Do(t.Context(), "z0", coin(hero(0, 1))))
	told, fair := s.refusals(flood), s.refusals(one)
	var all sync.WaitGroup
	for k := range 1500 {
		all.Add(1)
		want := Certainty(k % 2)
		require.NoError(t, flood.Send("z0", coin(hero(0, 0)), want, func(_ Reply, err error) {
			defer all.Done()
			if err != nil {
				t.Error(err)
			}
		}))
	}
	for told.Load() == 0 { // each command is a round trip, so time passes
		require.NoError(t, one.Do(t.Context(), "z0", coin(hero(0, 1))))
	}
	for range 10 {
		_, err := one.Ask(t.Context(), "z0", coin(hero(0, 1)), Durable)
		require.NoError(t, err)
	}
	require.NoError(t, one.Do(t.Context(), "z0", coin(hero(0, 1))))
	require.Zero(t, fair.Load(), "the other client was asked to retry")
	all.Wait()
	require.NoError(t, node.Drain(t.Context()))
	require.EqualValues(t, 1500, s.stacks(1)[hero(0, 0)])
}

// TestClient_Ask_Share checks that Ask returns ErrShare if the client had used its share of the
// queue when ctx ended.
func TestClient_Ask_Share(t *testing.T) {
	s := newServers(t)
	c := s.client()
	conn := s.connect()
	zone := subject(s.schema, "z0")
	full := func(m *nats.Msg) {
		r := policy.Reply{Epoch: 1, Code: policy.Greeting}
		if in, err := parseMessage(m.Data); err == nil && in.ID != (policy.ID{}) {
			r.ID, r.Code, r.Body = in.ID, policy.Busy, []byte{policy.Crowded}
		}
		_ = conn.Publish(m.Reply, appendReply(nil, &r))
	}
	for _, to := range []string{zone, zone + ".1"} {
		_, err := conn.Subscribe(to, full)
		require.NoError(t, err)
	}
	require.NoError(t, conn.Flush())
	n := s.refusals(c)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		// A second refusal shows that the client has received the first.
		for n.Load() < 2 && ctx.Err() == nil {
			_ = conn.Flush()
		}
	}()
	_, err := c.Ask(ctx, "z0", coin(hero(0, 0)), Applied)
	require.ErrorIs(t, err, ErrShare)
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, err, context.Canceled)
}
