package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// greetedSender returns a sender that knows the node that runs zone x, at epoch 7.
func greetedSender(t *testing.T) *Sender {
	s := NewSender(SenderDefaults())
	require.True(t, s.Send(0, Message{ID: ID{8}, Zone: "x"}))
	s.Heard(0, Reply{Zone: "x", Epoch: 7, Code: Greeting})
	s.Heard(0, Reply{ID: ID{8}, Zone: "x", Epoch: 7, Code: Applied})
	s.Take()
	return s
}

// TestSender_NoResponders_Many checks that many commands to an owner that has left are all sent to
// the next owner as soon as it is known.
func TestSender_NoResponders_Many(t *testing.T) {
	s := greetedSender(t)
	ids := []ID{{2}, {4}, {6}}
	for _, id := range ids {
		require.True(t, s.Send(30*ms, Message{ID: id, Zone: "x"}))
	}
	out, _ := s.Take()
	require.Len(t, out, 3)
	s.NoResponders(31*ms, out[0])
	s.Heard(31*ms, Reply{ID: ids[1], Zone: "x", Epoch: 7, Code: Gone})
	hello, _ := s.Take()
	require.Equal(t, []Message{{Zone: "x"}}, hello)
	s.Heard(32*ms, Reply{Zone: "x", Epoch: 8, Code: Greeting})
	sent := func(want ...ID) {
		out, _ := s.Take()
		var got []ID
		for _, m := range out {
			require.EqualValues(t, 8, m.Epoch)
			got = append(got, m.ID)
		}
		require.Equal(t, want, got)
	}
	sent(ids[0], ids[1])
	s.NoResponders(33*ms, out[2]) // the next owner is already known
	sent(ids[2])
	s.NoResponders(34*ms, out[2])
	again, _ := s.Take()
	require.Empty(t, again, "that reply was about the earlier owner")
}

// TestSender_Wake_Interruption checks that a command without a reply is sent at least every half
// second.
func TestSender_Wake_Interruption(t *testing.T) {
	s := greetedSender(t)
	require.True(t, s.Send(0, Message{ID: ID{2}, Zone: "x"}))
	s.Take()
	var last Time
	for now := Time(0); now < 20*time.Second; now += 10 * ms {
		s.Wake(now)
		if out, _ := s.Take(); len(out) > 0 {
			last = now
		}
		require.LessOrEqual(t, now-last, 500*ms)
	}
}

// TestSender_Wake_Retries checks that the pauses between retries grow, and that Since stays the
// same.
func TestSender_Wake_Retries(t *testing.T) {
	s := greetedSender(t)
	s.Heard(0, Reply{Zone: "x", Epoch: 7, Code: Greeting, Total: 5})
	require.True(t, s.Send(0, Message{ID: ID{2}, Zone: "x"}))
	var at []Time
	for now := Time(0); now <= 1300*ms; now += 10 * ms {
		s.Wake(now)
		out, _ := s.Take()
		for _, m := range out {
			if m.ID == (ID{2}) {
				require.EqualValues(t, 5, m.Since)
				at = append(at, now)
			}
		}
		s.Heard(now, Reply{Zone: "x", Epoch: 7, Code: Greeting, Total: 9})
	}
	require.Equal(t, []Time{0, 250 * ms, 750 * ms, 1250 * ms}, at)
}

// TestSender_Heard_Unrelated checks that a reply that does not belong to a command does not end it.
func TestSender_Heard_Unrelated(t *testing.T) {
	s := greetedSender(t)
	s.Heard(0, Reply{Zone: "x", Epoch: 8, Code: Greeting})
	s.Heard(0, Reply{Zone: "x", Epoch: 7, Code: Greeting})
	require.True(t, s.Send(0, Message{ID: ID{2}, Zone: "x"}))
	out, _ := s.Take()
	require.EqualValues(t, 8, out[0].Epoch, "the greeting of the earlier owner is ignored")
	require.False(t, s.Crowded(ID{2}))
	s.Heard(0, Reply{ID: ID{2}, Zone: "x", Epoch: 8, Code: Busy, Body: []byte{Crowded}})
	_, done := s.Take()
	require.Empty(t, done)
	require.Equal(t, 1, s.Len())
	require.True(t, s.Crowded(ID{2}))
	s.Heard(0, Reply{ID: ID{2}, Zone: "x", Epoch: 8, Code: Busy})
	require.False(t, s.Crowded(ID{2}), "the last reply was busy for all clients")
	require.True(t, s.Cancel(ID{2}))
	require.False(t, s.Cancel(ID{2}))
}

// TestSender_Send_Limits checks the limits of commands and zones, and that a zone with pending
// commands is kept.
func TestSender_Send_Limits(t *testing.T) {
	s := NewSender(SenderConfig{Outstanding: 2, Zones: 1, Retry: ms, Most: ms, Hello: ms})
	require.True(t, s.Send(0, Message{ID: ID{2}, Zone: "x"}))
	require.False(t, s.Send(0, Message{ID: ID{4}, Zone: "y"}))
	require.True(t, s.Send(0, Message{ID: ID{4}, Zone: "x"}))
	require.False(t, s.Send(0, Message{ID: ID{6}, Zone: "x"}))
	require.False(t, s.Cancel(ID{2}), "it was not sent")
	require.False(t, s.Cancel(ID{4}))
	require.True(t, s.Send(0, Message{ID: ID{6}, Zone: "y"}))
}

// waitingSender returns a sender that knows zone x at epoch 7 and life 70, with 100 commands on
// disk, and has sent command 2 to it. It also returns that message.
func waitingSender(t *testing.T) (*Sender, Message) {
	s := NewSender(SenderDefaults())
	require.True(t, s.Send(0, Message{ID: ID{2}, Zone: "x"}))
	s.Heard(0, Reply{Zone: "x", Epoch: 7, Total: 100, Code: Greeting, Greeted: Greeted{World: 1, Life: 70, Begun: 90, Lease: 2 * time.Second}})
	out, _ := s.Take()
	m := out[len(out)-1]
	require.Equal(t, Message{ID: ID{2}, Zone: "x", Epoch: 7, Life: 70, Since: 100}, m)
	return s, m
}

// TestSender_Heard_GoesBack checks that an owner with a lower epoch, another life or another world
// is accepted when it has replied for longer than a lease and the earlier owner has not. Pending
// commands are then sent to it with a count that it has.
func TestSender_Heard_GoesBack(t *testing.T) {
	for name, now := range map[string]Reply{
		"a lower epoch": {Epoch: 6, Greeted: Greeted{World: 1, Life: 71}},
		"another life":  {Epoch: 7, Greeted: Greeted{World: 1, Life: 71}},
		"another world": {Epoch: 9, Greeted: Greeted{World: 2, Life: 71}},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := waitingSender(t)
			now.Zone, now.Code, now.Total, now.Lease = "x", Greeting, 40, 2*time.Second
			s.NoResponders(0, m)
			s.Take()
			for at := Time(0); at <= 2*time.Second; at += 20 * ms {
				s.Heard(at, now)
			}
			out, _ := s.Take()
			require.Empty(t, out, "not yet")
			require.Empty(t, s.Lost())
			s.Heard(2020*ms, now)
			out, _ = s.Take()
			require.Equal(t, []Message{{ID: ID{2}, Zone: "x", Epoch: now.Epoch, Life: 71, Since: 40}}, out)
			require.Equal(t, []Loss{{"x", now.Epoch}}, s.Lost())
			require.Empty(t, s.Lost(), "once")
			s.Heard(2030*ms, Reply{ID: ID{2}, Zone: "x", Epoch: now.Epoch, Total: 41, Code: Durable})
			_, done := s.Take()
			require.Len(t, done, 1)
			require.True(t, s.Send(2040*ms, Message{ID: ID{4}, Zone: "x"}))
			out, _ = s.Take()
			require.EqualValues(t, 41, out[0].Since)
		})
	}
}

// TestSender_Heard_EarlierOwner checks that an earlier owner is not accepted while the known owner
// replies, nor if its own replies are far apart.
func TestSender_Heard_EarlierOwner(t *testing.T) {
	s, _ := waitingSender(t)
	old := Reply{Zone: "x", Epoch: 6, Code: Greeting, Greeted: Greeted{World: 1, Life: 60, Lease: 2 * time.Second}}
	known := Reply{Zone: "x", Epoch: 7, Total: 101, Code: Greeting, Greeted: Greeted{World: 1, Life: 70, Lease: 2 * time.Second}}
	for at := Time(0); at <= 10*time.Second; at += 500 * ms {
		s.Heard(at, old)
		if at%(1500*ms) == 0 {
			s.Heard(at, known)
		}
	}
	for at := 20 * time.Second; at <= time.Minute; at += 3 * time.Second {
		s.Heard(at, old)
	}
	require.Empty(t, s.Lost())
	require.True(t, s.Send(time.Minute, Message{ID: ID{4}, Zone: "x"}))
	out, _ := s.Take()
	require.EqualValues(t, 7, out[len(out)-1].Epoch)
}

// TestSender_Heard_LaterWithLess checks that a later owner that was loaded with fewer commands than
// were on disk reports a loss.
func TestSender_Heard_LaterWithLess(t *testing.T) {
	for begun, lost := range map[uint64][]Loss{99: {{"x", 1008}}, 100: nil} {
		s, _ := waitingSender(t)
		s.Heard(ms, Reply{Zone: "x", Epoch: 1008, Total: 120, Code: Greeting, Greeted: Greeted{World: 1, Life: 80, Begun: begun, Lease: 2 * time.Second}})
		require.Equal(t, lost, s.Lost())
	}
	s, _ := waitingSender(t)
	s.Heard(ms, Reply{Zone: "x", Epoch: 8, Total: 120, Code: Greeting})
	require.Empty(t, s.Lost(), "an earlier version sends no Begun")
}

// TestSender_Heard_LostAnswer checks that a command that was sent before the database went back
// ends only with a reply of the present owner, because any other reply may report an outcome that
// is lost. This holds even before the command is sent to the present owner.
func TestSender_Heard_LostAnswer(t *testing.T) {
	s, m := waitingSender(t)
	old := Reply{ID: ID{2}, Zone: "x", Epoch: 7, Total: 200, Code: Durable, Greeted: Greeted{Life: 70}}
	s.Heard(ms, Reply{Zone: "x", Epoch: 1008, Total: 90, Code: Greeting, Greeted: Greeted{World: 1, Life: 80, Begun: 90, Lease: 2 * time.Second}})
	require.Len(t, s.Lost(), 1)
	s.Heard(2*ms, old)
	_, done := s.Take()
	require.Empty(t, done, "not yet sent to the present owner")
	s.NoResponders(2*ms, m)
	out, _ := s.Take()
	require.Equal(t, Message{ID: ID{2}, Zone: "x", Epoch: 1008, Life: 80, Since: 90}, out[len(out)-1])
	for _, epoch := range []uint64{7, 1007, 1009} {
		old.Epoch = epoch
		s.Heard(3*ms, old)
		_, done := s.Take()
		require.Empty(t, done, epoch)
	}
	old.Epoch = 1008
	s.Heard(3*ms, old)
	_, done = s.Take()
	require.Empty(t, done, "another life with the same epoch")
	s.Heard(4*ms, Reply{ID: ID{2}, Zone: "x", Epoch: 1008, Total: 91, Code: Durable})
	_, done = s.Take()
	require.Len(t, done, 1)
}

// TestSender_Heard_OtherLife checks that a hello is sent when an owner replies Gone because it has
// another life.
func TestSender_Heard_OtherLife(t *testing.T) {
	s, _ := waitingSender(t)
	s.Heard(30*ms, Reply{ID: ID{2}, Zone: "x", Epoch: 7, Code: Gone})
	out, _ := s.Take()
	require.Equal(t, []Message{{Zone: "x"}}, out)
}
