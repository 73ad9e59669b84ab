package cluster

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// fakeZone receives the messages of subscriptions in place of a zone. The function next returns
// the next message, which must be of the given kind, with the reply subject in said. The function
// show sends a message to a subject.
func (s *servers) fakeZone() (conn *nats.Conn, next func(kind byte) look, show func(to string, m shown)) {
	conn = s.connect()
	sub, err := conn.SubscribeSync(screens(s.schema, "z0"))
	require.NoError(s.t, err)
	require.NoError(s.t, conn.Flush())
	next = func(kind byte) look {
		s.t.Helper()
		msg, err := sub.NextMsgWithContext(s.t.Context())
		require.NoError(s.t, err)
		l, err := parseLook(msg.Data)
		require.NoError(s.t, err)
		require.Equal(s.t, string(kind), string(l.kind))
		l.said = []byte(msg.Reply)
		return l
	}
	show = func(to string, m shown) {
		require.NoError(s.t, conn.Publish(to, appendShown(nil, &m)))
		require.NoError(s.t, conn.Flush())
	}
	return conn, next, show
}

// TestSubscription_Silence checks that a subscription that has read every packet and gets none for
// four renewals reports a loss, and repeats the report every four renewals. It does not report
// before a zone has replied, nor while its function is running, because there may be packets that
// it has not read.
func TestSubscription_Silence(t *testing.T) {
	s := newServers(t)
	c := s.client()
	_, next, show := s.fakeZone()
	held, goOn := make(chan struct{}, 1), make(chan struct{})
	sub, err := c.Subscribe("z0", 7, func(p Packet) {
		if p.Err == nil {
			held <- struct{}{}
			<-goOn
		}
	})
	require.NoError(t, err)
	defer sub.Close()
	to := string(next(isLook).said)
	renew := func(times int) { // renews without the clock of the client
		for range times {
			c.renew()
			c.mu.Lock()
			c.renewal.Stop()
			c.mu.Unlock()
		}
	}
	c.mu.Lock()
	c.renewal.Stop()
	c.mu.Unlock()
	renew(9)
	for range 9 {
		require.Zero(t, next(isLook).join, "no zone has replied: no packet can be lost")
	}

	packet := func(number uint64) {
		kind := byte(isPacket)
		if number == 1 {
			kind = isDefined
		}
		show(to, shown{kind: kind, epoch: 1, join: 3, number: number, bytes: []byte("x")})
		<-held
	}
	packet(1)
	renew(2 * policy.LostAfter)
	for range 2 * policy.LostAfter {
		require.EqualValues(t, 1, next(isLook).number, "its function is running, so it has not read every packet")
	}
	goOn <- struct{}{}
	packet(2) // renewals without a packet are counted from here
	goOn <- struct{}{}
	c.settle()
	renew(policy.LostAfter - 1)
	for range policy.LostAfter - 1 {
		require.EqualValues(t, 2, next(isLook).number)
	}
	renew(1)
	next(isLook)
	require.EqualValues(t, 3, next(isAll).join)
	renew(policy.LostAfter)
	for range policy.LostAfter {
		next(isLook)
	}
	require.EqualValues(t, 3, next(isAll).join, "still no packet")
	packet(3)
	goOn <- struct{}{}
	c.settle()
	renew(policy.LostAfter - 1)
	for range policy.LostAfter - 1 {
		require.EqualValues(t, 3, next(isLook).number, "a packet has arrived: the count restarts")
	}
}

// settle waits until the function given to Subscribe has returned.
func (c *Client) settle() {
	for c.taking.Load() {
		_ = c.o.NATS.Flush() // a round trip, so time passes
	}
}
