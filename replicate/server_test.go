package replicate

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate/client"
)

func engineOf(tb testing.TB, specs ...buff.Spec) *engine.Engine {
	c, err := buff.Build(buff.Definitions{Specs: specs, Attributes: attributes()})
	require.NoError(tb, err)
	e, err := engine.New(engine.Options{Catalog: c, Synchronous: true})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, e.Close(tb.Context())) })
	return e
}

// TestSecrets_NotInBytes checks that a buff that a viewer may not see does not change the
// viewer's packets. They must be equal to the packets in a world without the buff, and contain
// neither its source nor its magnitude.
func TestSecrets_NotInBytes(t *testing.T) {
	const source, strength = 0x1f5a3c9e7b2d4, 0x5a5a5a5a5a
	for _, sync := range []define.Sync{define.SyncOwner, define.SyncSource, define.SyncParty, define.SyncNone} {
		told := map[bool][]byte{}
		for _, secrets := range []bool{false, true} {
			e := engineOf(t,
				buff.Spec{ID: "open", Duration: time.Minute, Stack: define.Stacking{By: define.ByTarget, Limit: 5}},
				buff.Spec{ID: "secret", Duration: 3 * time.Second, Stack: define.Stacking{By: define.ByTarget, Limit: 5}, Client: define.Client{Sync: sync}, Charges: define.Charges{N: 9}},
			)
			for _, id := range []buff.OwnerID{1, 2} {
				require.NoError(t, e.Spawn(id, nil))
				e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("open")})
			}
			e.Tick(0)
			s := New(e, Options{})
			v, err := s.Join(1)
			require.NoError(t, err)
			require.NoError(t, v.See(1))
			require.NoError(t, v.See(2))
			for k := range 200 {
				if secrets {
					h := e.AddBuff(2, buff.Application{Spec: e.Catalog().Spec("secret"), Source: source, Magnitude: strength}).Handle
					e.Do([]buff.Command{buff.ConsumeCharges(h, 1), buff.PauseBuff(h), buff.Remove(h), buff.ResumeBuff(h), buff.Inhibit(h)}[k%5])
				}
				if k%3 == 0 {
					e.AddBuff(2, buff.Application{Spec: e.Catalog().Spec("open")})
				}
				e.Tick(70 * time.Millisecond)
				s.Update()
				if k == 100 {
					require.NoError(t, v.Receive([]byte{kindLost, 0}))
				}
				told[secrets] = v.Append(told[secrets])
			}
		}
		require.Equal(t, told[false], told[true], "sync %v", sync)
		require.NotContains(t, string(told[true]), string(binary.AppendUvarint(nil, source)))
		require.NotContains(t, string(told[true]), string(binary.AppendVarint(nil, strength)))
	}
}

// TestSecrets_SentToAllowedViewers checks that the search in TestSecrets_NotInBytes finds
// the source and the magnitude if they are sent.
func TestSecrets_SentToAllowedViewers(t *testing.T) {
	const source = 0x1f5a3c9e7b2d4
	for sync, viewer := range map[define.Sync]buff.OwnerID{define.SyncAll: 9, define.SyncOwner: 2, define.SyncSource: source, define.SyncParty: 8} {
		e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute, Client: define.Client{Sync: sync}}, buff.Spec{ID: "hush", Duration: time.Minute, Client: define.Client{Sync: define.SyncNone}})
		require.NoError(t, e.Spawn(2, nil))
		e.AddBuff(2, buff.Application{Spec: e.Catalog().Spec("a"), Source: source})
		s := New(e, Options{})
		v, err := s.Join(viewer)
		require.NoError(t, err)
		require.NoError(t, v.see(2, viewer == 8))
		require.Contains(t, string(v.Append(nil)), string(binary.AppendUvarint(nil, source)), "sync %v", sync)
		require.NotContains(t, string(s.Definitions()), "hush")
		if sync == define.SyncParty { // a viewer that leaves the party no longer sees the buff
			require.NoError(t, v.See(2))
			require.NotContains(t, string(v.Append(nil)), string(binary.AppendUvarint(nil, source)))
		}
	}
}

// TestSourceChanges checks that a buff with sync source is shown to its current source.
func TestSourceChanges(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Kind: define.Infinite, OnSourceGone: define.FateAdopt, Client: define.Client{Sync: define.SyncSource}})
	require.NoError(t, e.Spawn(2, nil))
	e.AddBuff(2, buff.Application{Spec: e.Catalog().Spec("a"), Source: 9})
	s := New(e, Options{})
	buffs := map[buff.OwnerID][]int{}
	viewers, clients := map[buff.OwnerID]*Viewer{}, map[buff.OwnerID]*client.Client{}
	for _, id := range []buff.OwnerID{2, 8, 9} {
		v, err := s.Join(id)
		require.NoError(t, err)
		require.NoError(t, v.SeeParty(2))
		viewers[id], clients[id] = v, client.New(client.Options{})
	}
	for range 2 {
		for id, v := range viewers {
			if p := v.Append(nil); len(p) > 0 {
				require.NoError(t, clients[id].Receive(p))
			}
			buffs[id] = append(buffs[id], len(clients[id].Owner(2).Buffs()))
		}
		require.NoError(t, e.Do(buff.LoseSource(9)).Failure)
		e.Tick(0)
		s.Update()
	}
	require.Equal(t, map[buff.OwnerID][]int{2: {0, 1}, 8: {0, 0}, 9: {1, 0}}, buffs)
}

// TestEndBetweenUpdates ends a buff after an Update and before a full state is sent to another
// viewer. The viewers that know the buff must be sent its end.
func TestEndBetweenUpdates(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Kind: define.Infinite})
	require.NoError(t, e.Spawn(2, nil))
	h := e.AddBuff(2, buff.Application{Spec: e.Catalog().Spec("a")}).Handle
	s := New(e, Options{})
	c := client.New(client.Options{})
	var viewers []*Viewer
	for range 2 {
		v, err := s.Join(2)
		require.NoError(t, err)
		viewers = append(viewers, v)
	}
	require.NoError(t, viewers[0].See(2))
	require.NoError(t, c.Receive(viewers[0].Append(nil)))
	require.Len(t, c.Owner(2).Buffs(), 1)
	s.Update()
	e.Remove(h)
	require.NoError(t, viewers[1].See(2))
	viewers[1].Append(nil)
	e.Tick(0)
	s.Update()
	require.NoError(t, c.Receive(viewers[0].Append(nil)))
	require.Empty(t, c.Owner(2).Buffs())
}

// TestShortLife checks a buff that starts and ends between two Updates. A viewer that got a full
// state in between must be sent its end.
func TestShortLife(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Kind: define.Infinite})
	require.NoError(t, e.Spawn(2, nil))
	s := New(e, Options{})
	viewers, clients := []*Viewer{}, []*client.Client{}
	for range 2 {
		v, err := s.Join(2)
		require.NoError(t, err)
		viewers, clients = append(viewers, v), append(clients, client.New(client.Options{}))
	}
	see := func(k, buffs int) {
		require.NoError(t, viewers[k].See(2))
		if p := viewers[k].Append(nil); len(p) > 0 {
			require.NoError(t, clients[k].Receive(p))
		}
		require.Len(t, clients[k].Owner(2).Buffs(), buffs)
	}
	see(0, 0)
	s.Update()
	h := e.AddBuff(2, buff.Application{Spec: e.Catalog().Spec("a")}).Handle
	see(1, 1)
	e.Remove(h)
	e.Tick(0)
	s.Update()
	see(0, 0)
	see(1, 0)
}

// TestRepair_ForgetsNumbers checks that an owner that does not fit into a packet after a loss is
// not mistaken for the previous owner of its local number.
func TestRepair_ForgetsNumbers(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Kind: define.Infinite})
	for id := range buff.OwnerID(5) {
		require.NoError(t, e.Spawn(id, nil))
		for range 20 {
			e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: 1 << 60})
		}
	}
	s := New(e, Options{Packet: 100})
	v, err := s.Join(0)
	require.NoError(t, err)
	c := client.New(client.Options{})
	require.NoError(t, v.See(1))
	require.NoError(t, v.See(2))
	for range 3 { // the first packet has the fingerprint, and each further packet one owner
		require.NoError(t, c.Receive(v.Append(nil)))
	}
	require.NotNil(t, c.Owner(2))
	v.Unsee(1)
	v.Unsee(2)
	require.NoError(t, v.See(3))
	require.NoError(t, v.See(4))
	for range 2 {
		require.NotEmpty(t, v.Append(nil)) // lost
	}
	require.ErrorIs(t, c.Receive(v.Beat(nil)), client.ErrGap)
	require.NoError(t, v.Receive(c.Missed()))
	require.NoError(t, c.Receive(v.Append(nil)))
	for o := range c.Owners() {
		require.Greater(t, o.ID(), buff.OwnerID(2))
	}
	require.NoError(t, c.Receive(v.Append(nil)))
	require.NotNil(t, c.Owner(3))
	require.NotNil(t, c.Owner(4))
}

// TestLeave_RepeatedAfterDrop checks that when the queue is dropped, the departure of an owner is
// sent again before another owner gets its local number, even if that owner does not fit into the
// packet yet.
func TestLeave_RepeatedAfterDrop(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Kind: define.Infinite})
	for id := range buff.OwnerID(4) {
		require.NoError(t, e.Spawn(id, nil))
		for range 20 {
			e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: 1 << 60})
		}
	}
	s := New(e, Options{Packet: 100, Pending: 20})
	v, err := s.Join(0)
	require.NoError(t, err)
	c := client.New(client.Options{})
	for _, id := range []buff.OwnerID{1, 0, 3} {
		require.NoError(t, v.See(id))
	}
	for range 4 { // the first packet has the fingerprint, and each further packet one owner
		require.NoError(t, c.Receive(v.Append(nil)))
	}
	require.NotNil(t, c.Owner(1))
	v.Unsee(1)
	require.NoError(t, v.See(2))
	// the change of owner 3 is too long, and the change of owner 0 follows it
	for _, id := range []buff.OwnerID{3, 0} {
		e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: 1 << 60})
		e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: 1 << 60})
		e.Tick(0)
		s.Update()
	}
	require.NoError(t, c.Receive(v.Append(nil)))
	require.Nil(t, c.Owner(1))
	require.Len(t, c.Owner(0).Buffs(), 22)
	for range 2 {
		require.NoError(t, c.Receive(v.Append(nil)))
	}
	require.NotNil(t, c.Owner(2))
	require.Len(t, c.Owner(3).Buffs(), 22)
}

// TestPacketLength checks that no packet exceeds Options.Packet, however many changes a frame has
// and however rarely packets are taken, and that the client receives everything.
func TestPacketLength(t *testing.T) {
	for _, every := range []int{1, 3} {
		e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute, Stack: define.Stacking{By: define.BySource, Limit: 100}})
		for id := range buff.OwnerID(60) {
			require.NoError(t, e.Spawn(id, nil))
		}
		s := New(e, Options{Packet: 150})
		v, err := s.Join(0)
		require.NoError(t, err)
		c := client.New(client.Options{})
		drain := func() {
			for p := v.Append(nil); len(p) > 0; p = v.Append(nil) {
				require.LessOrEqual(t, len(p), 150)
				require.NoError(t, c.Receive(p))
			}
		}
		for id := range buff.OwnerID(60) {
			require.NoError(t, v.See(id))
		}
		drain()
		for k := range 7 {
			for id := range buff.OwnerID(60) {
				e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: id})
			}
			e.Tick(50 * time.Millisecond)
			if s.Update(); k%every == 0 {
				drain()
			}
		}
		n := 0
		for o := range c.Owners() {
			require.Equal(t, 7, o.Buffs()[0].Stacks)
			n++
		}
		require.Equal(t, 60, n)
	}
}

// TestManyRecords changes all buffs of an owner in one frame. They are visible to all viewers or
// to some, and there are more records than one byte can count.
func TestManyRecords(t *testing.T) {
	for _, n := range []int{1, 2, 3, 127, 128, 129, 300} {
		for _, sync := range []define.Sync{define.SyncAll, define.SyncSource} {
			e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute, Stack: define.Stacking{By: define.ByNone}},
				buff.Spec{ID: "b", Duration: time.Minute, Client: define.Client{Sync: sync}})
			for id := range buff.OwnerID(3) {
				require.NoError(t, e.Spawn(id, nil))
				for range n {
					e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a")})
				}
				e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("b"), Source: id})
			}
			e.Tick(0)
			s := New(e, Options{})
			v, err := s.Join(1)
			require.NoError(t, err)
			c := client.New(client.Options{})
			for id := range buff.OwnerID(3) {
				require.NoError(t, v.See(id))
			}
			require.NoError(t, c.Receive(v.Append(nil)))
			for id := range buff.OwnerID(3) {
				e.Do(buff.Pause(id))
			}
			e.Tick(time.Second)
			s.Update()
			require.NoError(t, c.Receive(v.Append(nil)))
			for id := range buff.OwnerID(3) {
				want := n + 1
				if sync == define.SyncSource && id != 1 {
					want = n
				}
				require.Len(t, c.Owner(id).Buffs(), want)
				for _, b := range c.Owner(id).Buffs() {
					require.Equal(t, buff.HeldByOwner, b.Held)
				}
			}
		}
	}
}

// TestManyViews tests local numbers of one, two and three bytes.
func TestManyViews(t *testing.T) {
	const owners = 4200
	e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute})
	for id := range buff.OwnerID(owners) {
		require.NoError(t, e.Spawn(id, nil))
	}
	e.Tick(0)
	s := New(e, Options{Views: owners})
	v, err := s.Join(1)
	require.NoError(t, err)
	for id := range buff.OwnerID(owners) {
		require.NoError(t, v.See(id))
	}
	c := client.New(client.Options{})
	require.NoError(t, c.Receive(v.Append(nil)))
	for id := range buff.OwnerID(owners) {
		e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: id, Magnitude: int64(id)})
	}
	e.Tick(0)
	s.Update()
	for p := v.Append(nil); len(p) > 0; p = v.Append(nil) {
		require.NoError(t, c.Receive(p))
	}
	for id := range buff.OwnerID(owners) {
		require.Len(t, c.Owner(id).Buffs(), 1)
		require.Equal(t, int64(id), c.Owner(id).Buffs()[0].Magnitude)
	}
}

// TestBytes checks that the refresh of one buff costs at most 12 bytes more than an empty packet,
// and that nothing is sent in a frame without changes, however many buffs are active and pulse.
func TestBytes(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Duration: 2 * time.Minute, Period: time.Second, Stack: define.Stacking{By: define.BySource}})
	for id := range buff.OwnerID(40) {
		require.NoError(t, e.Spawn(id, nil))
		for k := range buff.OwnerID(22) {
			e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: k})
		}
	}
	e.Tick(time.Hour % time.Minute)
	s := New(e, Options{})
	v, err := s.Join(0)
	require.NoError(t, err)
	for id := range buff.OwnerID(40) {
		require.NoError(t, v.See(id))
	}
	first := v.Append(nil)
	t.Logf("40 owners with 22 buffs come into view: %d bytes, %.1f for a buff", len(first), float64(len(first))/880)
	require.LessOrEqual(t, len(first), 880*9)

	e.Tick(4 * time.Second)
	s.Update()
	require.Empty(t, v.Append(nil), "they only run down and pulse")
	for n := range 4 {
		for id := range buff.OwnerID(n) {
			e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: 3})
		}
		e.Tick(50 * time.Millisecond)
		s.Update()
		if p := v.Append(nil); n > 0 {
			t.Logf("%d refreshed in a frame: %d bytes", n, len(p))
			require.LessOrEqual(t, len(p), 6+8*n)
		}
	}
}

// TestAllocations checks that nothing allocates once the buffers have grown.
func TestAllocations(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute, Stack: define.Stacking{By: define.BySource}},
		buff.Spec{ID: "b", Duration: 100 * time.Millisecond, Client: define.Client{Sync: define.SyncOwner}})
	for id := range buff.OwnerID(50) {
		require.NoError(t, e.Spawn(id, nil))
	}
	e.Tick(0)
	s := New(e, Options{Attributes: attributesSent, Interest: func(id buff.OwnerID, sight *Sight) {
		for k := range buff.OwnerID(30) {
			if k < 5 {
				sight.SeeParty((id + k) % 50)
			} else {
				sight.See((id + k) % 50)
			}
		}
	}})
	var viewers []*Viewer
	for id := range buff.OwnerID(20) {
		v, err := s.Join(id)
		require.NoError(t, err)
		viewers = append(viewers, v)
	}
	buf, n, bytes := make([]byte, 0, 1<<20), 0, 0
	frame := func() {
		n++
		for id := range buff.OwnerID(50) {
			e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: id % 7})
			e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("b")})
			e.Do(buff.SetBase(id, e.Catalog().MustAttr("health"), float64(n%90)))
		}
		e.Tick(50 * time.Millisecond)
		s.Update()
		for _, v := range viewers {
			if v.Look(); n%3 != int(v.Owner())%3 { // some viewers are slow
				bytes += len(v.Append(buf))
			}
		}
	}
	for range 20 {
		frame()
	}
	bytes = 0
	require.Zero(t, testing.AllocsPerRun(20, frame))
	require.NotZero(t, bytes)
}

// TestSlowViewer checks that at most Options.Pending bytes, in addition to departures, are queued
// for a viewer that takes no packets, and that it then gets the newest state.
func TestSlowViewer(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute, Stack: define.Stacking{By: define.BySource, Limit: 100}})
	for id := range buff.OwnerID(10) {
		require.NoError(t, e.Spawn(id, nil))
	}
	e.Tick(0)
	s := New(e, Options{Pending: 500})
	v, err := s.Join(0)
	require.NoError(t, err)
	for id := range buff.OwnerID(10) {
		require.NoError(t, v.See(id))
	}
	c := client.New(client.Options{})
	require.NoError(t, c.Receive(v.Append(nil)))
	for range 1000 {
		for id := range buff.OwnerID(10) {
			e.AddBuff(id, buff.Application{Spec: e.Catalog().Spec("a"), Source: id})
		}
		e.Tick(10 * time.Millisecond)
		s.Update()
		require.Less(t, len(v.out), 600)
	}
	p := v.Append(nil)
	require.Less(t, len(p), 1000)
	require.NoError(t, c.Receive(p))
	for o := range c.Owners() {
		require.Len(t, o.Buffs(), 1)
		require.Equal(t, 100, o.Buffs()[0].Stacks)
	}
}

// TestHostileMessages checks that client messages are refused, or answered at most once in each
// packet.
func TestHostileMessages(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute})
	require.NoError(t, e.Spawn(2, nil))
	s := New(e, Options{})
	v, err := s.Join(1)
	require.NoError(t, err)
	require.NoError(t, v.See(2))
	first := len(v.Append(nil))
	for _, m := range [][]byte{nil, {}, {kindLost}, {kindLost, 0x80}, {kindLost, 9}, {kindLost, 0, 0}, {kindPacket, 1}, bytes.Repeat([]byte{kindLost}, 1000), append([]byte{kindLost}, bytes.Repeat([]byte{0xff}, 20)...)} {
		require.ErrorIs(t, v.Receive(m), ErrMessage, "%x", m)
	}
	require.Empty(t, v.Append(nil))
	for range 10_000 {
		require.NoError(t, v.Receive([]byte{kindLost, 0}))
	}
	require.LessOrEqual(t, len(v.Append(nil)), first+2)
	require.Empty(t, v.Append(nil))
}

// TestLimits checks the error of each limit.
func TestLimits(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute})
	for id := range buff.OwnerID(3) {
		require.NoError(t, e.Spawn(id, nil))
	}
	s := New(e, Options{Viewers: 1, Views: 2})
	v, err := s.Join(1)
	require.NoError(t, err)
	_, err = s.Join(2)
	require.ErrorIs(t, err, ErrTooManyViewers)
	require.NoError(t, v.See(0))
	require.NoError(t, v.See(1))
	require.NoError(t, v.SeeParty(1))
	require.ErrorIs(t, v.See(2), ErrTooManyViews)
	require.ErrorIs(t, v.See(3), ErrUnknownOwner)
	v.Unsee(3)
	v.Unsee(0)
	require.NoError(t, v.See(2))
	v.Leave()
	v.Leave()
	v.Look()
	require.ErrorIs(t, v.See(0), ErrLeft)
	require.Empty(t, v.Append(nil))
	_, err = s.Join(2)
	require.NoError(t, err)
	require.Panics(t, func() { New(engineOf(t, buff.Spec{ID: "a", Duration: time.Minute}), Options{Views: MaxViews + 1}) })
	for _, e := range s.entries {
		require.Empty(t, e.watchers)
	}
}

// TestSeeAll checks that Look shows all owners, also those that came and without those that left,
// and never more than Options.Views, of which one is the viewer's own owner.
func TestSeeAll(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Kind: define.Infinite})
	for id := range buff.OwnerID(3) {
		require.NoError(t, e.Spawn(id, nil))
	}
	s := New(e, Options{Views: 3, SeeAll: true})
	v, err := s.Join(4)
	require.NoError(t, err)
	c := client.New(client.Options{})
	look := func() (ids []buff.OwnerID) {
		e.Tick(50 * time.Millisecond)
		s.Update()
		v.Look()
		require.NoError(t, c.Receive(v.Append(nil)))
		for o := range c.Owners() {
			ids = append(ids, o.ID())
		}
		return ids
	}
	require.NoError(t, e.Drop(0))
	require.ElementsMatch(t, []buff.OwnerID{1, 2}, look())
	require.NoError(t, e.Spawn(3, nil))
	require.NoError(t, e.Spawn(4, nil))
	require.ElementsMatch(t, []buff.OwnerID{4, 3, 1}, look(), "there is no room for 2")
	require.NoError(t, e.Drop(1))
	require.ElementsMatch(t, []buff.OwnerID{4, 2, 3}, look())
}
