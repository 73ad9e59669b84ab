package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAway checks the reply for each place of an owner.
func TestAway(t *testing.T) {
	for _, c := range []struct {
		name   string
		leaves bool
		at     *Place
		code   Code
		ask    bool
	}{
		{"the place is unknown", false, nil, 0, true},
		{"leaving, its departure may not be on disk", true, nil, Busy, false},
		{"leaving, with a known earlier place", true, &Place{Zone: "b"}, Busy, false},
		{"elsewhere", false, &Place{Zone: "b"}, Moved, false},
		{"on its way elsewhere", false, &Place{Zone: "b", Arriving: true}, Moved, false},
		{"on its way here", false, &Place{Zone: "a", Arriving: true}, Busy, false},
		{"logged out", false, &Place{Zone: "a"}, Refused, false},
		{"nowhere", false, &Place{}, Refused, false},
	} {
		code, ask := Away("a", c.leaves, c.at)
		require.Equal(t, c.ask, ask, c.name)
		require.Equal(t, c.code, code, c.name)
	}
}

// TestID_Marks checks that marked IDs differ from the ID of every command, and that Base removes
// the marks.
func TestID_Marks(t *testing.T) {
	id := ID{1, 2, 3}
	second, ok := id.next()
	require.True(t, ok)
	third, ok := second.next()
	require.True(t, ok)
	seen := map[ID]bool{}
	for _, x := range []ID{id, second, third} {
		for _, y := range []ID{x, x.AsRefused(), x.AsMoved()} {
			require.False(t, seen[y])
			seen[y] = true
			require.Equal(t, id, y.Base())
		}
	}
	for hops := 0; ok; hops++ {
		require.Less(t, hops, mostHops)
		third, ok = third.next()
	}
}

// TestSender_Heard_Moved checks that a redirected command goes to the next zone with a new ID, and
// that only the addressed owner can redirect it.
func TestSender_Heard_Moved(t *testing.T) {
	s := NewSender(SenderDefaults())
	one := ID{1}
	take := func() (out []Message) {
		out, done := s.Take()
		require.Empty(t, done)
		return out
	}
	require.True(t, s.Send(0, Message{ID: one, Zone: "a"}))
	require.Equal(t, []Message{{Zone: "a"}}, take())
	s.Heard(0, Reply{Zone: "a", Epoch: 3, Total: 5, Code: Greeting})
	require.Equal(t, []Message{{ID: one, Zone: "a", Epoch: 3, Since: 5}}, take())
	s.Heard(0, Reply{Zone: "a", Epoch: 4, Total: 6, Code: Greeting})
	s.Wake(s.c.Most)
	require.Equal(t, uint64(4), take()[0].Epoch)
	s.Heard(1, Reply{ID: one, Zone: "a", Epoch: 3, Code: Moved, Body: []byte("b")})
	require.Empty(t, take())
	s.Heard(1, Reply{ID: one, Zone: "a", Epoch: 4, Code: Moved, Body: []byte("b")})
	require.Equal(t, []Message{{Zone: "b"}}, take())
	s.Heard(1, Reply{Zone: "b", Epoch: 9, Total: 7, Code: Greeting})
	out := take()
	require.Len(t, out, 1)
	next := out[0].ID
	require.NotEqual(t, one, next)
	require.Equal(t, Message{ID: next, Zone: "b", Epoch: 9, Since: 7}, out[0])
	_, _, known := s.Sent(one)
	require.False(t, known)
	zone, epoch, known := s.Sent(next)
	require.True(t, known)
	require.Equal(t, "b", zone)
	require.EqualValues(t, 9, epoch)
	// From a copy that arrived late in the first zone.
	s.Heard(2, Reply{ID: one, Zone: "a", Epoch: 4, Code: Refused})
	s.NoResponders(2, Message{ID: one, Zone: "a", Epoch: 4})
	require.Empty(t, take())
	s.Heard(2, Reply{ID: next, Zone: "b", Epoch: 9, Code: Applied})
	_, done := s.Take()
	require.Len(t, done, 1)
	require.Equal(t, one, done[0].ID)
	require.Zero(t, s.Len())
	require.Zero(t, s.routes["a"].sent+s.routes["b"].sent)
}

// TestSender_Heard_MovedEnds checks that a cancelled command is not redirected, and that a command
// ends after too many redirections.
func TestSender_Heard_MovedEnds(t *testing.T) {
	s := NewSender(SenderDefaults())
	s.Heard(0, Reply{})
	one := ID{1}
	require.True(t, s.Send(0, Message{ID: one, Zone: "a"}))
	s.Heard(0, Reply{Zone: "a", Epoch: 1, Code: Greeting})
	require.True(t, s.Cancel(one))
	s.Heard(0, Reply{ID: one, Zone: "a", Epoch: 1, Code: Moved, Body: []byte("b")})
	require.Zero(t, s.Len())
	last := one.mark(mostHops * oneHop)
	require.True(t, s.Send(0, Message{ID: one, Zone: "a"}))
	s.sent[one].m.ID = last
	s.Heard(0, Reply{ID: last, Zone: "a", Epoch: 1, Code: Moved, Body: []byte("b")})
	_, done := s.Take()
	require.Len(t, done, 1)
	require.Equal(t, Moved, done[0].Reply.Code)
	require.Equal(t, one, done[0].ID)
}
