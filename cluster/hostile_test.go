package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// TestClient_Hostile checks that no message to the inbox of a client, with any subject, has an
// effect except that it may end the command that it names, once.
func TestClient_Hostile(t *testing.T) {
	own, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	require.NoError(t, err)
	own.Start()
	defer own.WaitForShutdown()
	defer own.Shutdown()
	require.True(t, own.ReadyForConnections(10*time.Second))
	conn, err := nats.Connect(own.ClientURL())
	require.NoError(t, err)
	defer conn.Close()
	c, err := NewClient(ClientOptions{NATS: conn, Catalog: coins})
	require.NoError(t, err)

	rng := rand.New(rand.NewPCG(15, 17))
	var told [50]atomic.Int32
	var ids []policy.ID
	for k := range told {
		id, err := c.send(fmt.Sprint("zone", rng.IntN(3)), buff.Kill(1), Certainty(rng.IntN(2)), func(Reply, error) { told[k].Add(1) })
		require.NoError(t, err)
		ids = append(ids, id)
	}
	numbers := []uint64{0, 1, 2, 1 << 31, 1 << 63, 1<<64 - 1}
	for range 20_000 {
		id := ids[rng.IntN(len(ids))]
		end := []string{
			"", "c", "h", "x", "c0", "cgg", "h7a", fmt.Sprintf("c%x", id[:]), fmt.Sprintf("c%x", id[:7]), fmt.Sprintf("c%x%x", id[:], id[:]),
			fmt.Sprintf("h%x", "zone1"), fmt.Sprintf("h%x", "nowhere"),
		}[rng.IntN(12)]
		r := policy.Reply{ID: id, Epoch: numbers[rng.IntN(6)], Total: numbers[rng.IntN(6)], Code: policy.Code(rng.IntN(12))}
		if rng.IntN(3) == 0 {
			r.ID = policy.ID{}
		}
		r.Body = appendResult(nil, buff.Result{Kind: buff.EventKind(rng.IntN(256)), Why: reason.Reason(rng.IntN(256)), Failure: errors.New("no")})[:rng.IntN(15)]
		data := appendReply(nil, &r)
		switch rng.IntN(4) {
		case 0:
			data = data[:rng.IntN(len(data)+1)]
		case 1:
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
		m := &nats.Msg{Subject: c.inbox + "." + end, Data: data, Header: nats.Header{}}
		if rng.IntN(8) == 0 {
			m.Data = nil
			m.Header.Set("Status", "503")
		}
		c.heard(m)
	}
	c.Close()
	for k := range told {
		require.EqualValues(t, 1, told[k].Load(), "each command ends exactly once")
	}
}
