package cluster

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// FuzzWire checks that any message is decoded or rejected, and that encoding a decoded message
// yields it again.
func FuzzWire(f *testing.F) {
	f.Add(appendMessage(nil, &policy.Message{}))
	f.Add(appendMessage(nil, &policy.Message{ID: policy.ID{7}, Since: 300, Sure: true, Body: []byte("body")}))
	result := appendResult(nil, buff.Result{Kind: buff.Stacked, Why: 3, Queued: true, Amount: -5, Handle: 99, Failure: errors.New("no")})
	f.Add(appendReply(nil, &policy.Reply{ID: policy.ID{7}, Epoch: 9, Total: 1000, Code: policy.Durable, Body: result}))
	f.Add(result)
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := parseMessage(b); err == nil && m.ID != (policy.ID{}) {
			again, err := parseMessage(appendMessage(nil, &m))
			require.NoError(t, err)
			require.Equal(t, m, again)
		}
		if p, err := parseReply(b); err == nil {
			again, err := parseReply(appendReply(nil, &p))
			require.NoError(t, err)
			require.Equal(t, p, again)
		}
		if r, err := parseResult(b); err == nil {
			again, err := parseResult(appendResult(nil, r))
			require.NoError(t, err)
			require.Equal(t, r, again)
		}
	})
}

// TestWire_Truncated checks that a truncated message is rejected.
func TestWire_Truncated(t *testing.T) {
	r := buff.Result{Kind: buff.Stacked, Why: 3, Queued: true, Amount: -5, Handle: 99, Failure: errors.New("no")}
	b := appendResult(nil, r)
	again, err := parseResult(b)
	require.NoError(t, err)
	require.Equal(t, r, again)
	for n := range len(b) - len("no") {
		_, err := parseResult(b[:n])
		require.ErrorIs(t, err, errWire, "%d bytes", n)
	}
	m := appendMessage(nil, &policy.Message{ID: policy.ID{7}, Since: 300, Sure: true})
	for n := range len(m) {
		_, err := parseMessage(m[:n])
		require.Equal(t, n == 1, err == nil, "%d bytes: one is a hello", n)
	}
	m[0]++
	_, err = parseMessage(m)
	require.ErrorIs(t, err, errWire, "a message of a later version")
}

// TestWire_Transfer checks that no transfer can be decoded as a command of package buff, of any
// version, and vice versa.
func TestWire_Transfer(t *testing.T) {
	b := appendTransfer(nil, 1<<63+5, "a.b")
	owner, zone, ok := parseTransfer(b)
	require.True(t, ok)
	require.EqualValues(t, uint64(1<<63+5), owner)
	require.Equal(t, "a.b", zone)
	for n := range 9 {
		_, _, ok := parseTransfer(b[:n])
		require.False(t, ok)
	}
	var c buff.Command
	require.ErrorIs(t, c.UnmarshalBinary(b, coins), buff.ErrCommandVersion)
	pay := coin(7)
	other, err := pay.AppendBinary(nil, coins)
	require.NoError(t, err)
	_, _, ok = parseTransfer(other)
	require.False(t, ok)
}

// TestSubject checks that each zone has its own subject, and that its name becomes a single token.
func TestSubject(t *testing.T) {
	require.Equal(t, "p.zone.arena_2-b", subject("p", "arena_2-b"))
	require.Equal(t, "p.zone.=612e62", subject("p", "a.b"))
	require.Equal(t, "p.zone.=3e", subject("p", ">"))
	require.Equal(t, "p.zone.=3d3365", subject("p", "=3e"))
}
