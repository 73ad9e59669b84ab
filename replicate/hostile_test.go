package replicate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/replicate/client"
)

// tight holds small limits for clients that receive messages that no server sends.
var tight = client.Options{Owners: 50, Buffs: 100, Specs: 50}

// sane checks that a client stays within its limits and that its state can be displayed.
func sane(tb testing.TB, c *client.Client) {
	owners, buffs := 0, 0
	for o := range c.Owners() {
		owners++
		buffs += len(o.Buffs())
		for _, b := range o.Buffs() {
			if ms, ends := b.Left(c.Now()); ms < 0 || !ends && ms != 0 || b.Slot < 0 || b.Slot >= buff.MaxPerOwner {
				tb.Errorf("%+v has %d ms left", b, ms)
			}
		}
	}
	if owners > 50 || buffs > 100 {
		tb.Errorf("%d owners, %d buffs", owners, buffs)
	}
}

// FuzzReceive checks that no message makes a client panic or exceed its options.
func FuzzReceive(f *testing.F) {
	for seed := range uint64(20) {
		for _, m := range sentIn(f, seed) {
			f.Add(m[0], m[1], m[2])
		}
	}
	f.Fuzz(func(t *testing.T, a, b, d []byte) {
		c := client.New(tight)
		for _, m := range [][]byte{a, b, d} {
			if err := c.Receive(m); err != nil && fmt.Sprint(err) == "" {
				t.Error("an error without text")
			}
			sane(t, c)
		}
	})
}

// sentIn returns the messages to one viewer in a random history: definitions, a packet and a
// Beat for each frame.
func sentIn(tb testing.TB, seed uint64) (all [][3][]byte) {
	w := newWorld(tb, seed, Options{})
	s := &seat{}
	require.NoError(tb, w.sit(s, 1))
	for range 20 {
		w.act(tb)
		w.eng.Tick(50 * time.Millisecond)
		w.srv.Update()
		w.sight(tb, s)
		all = append(all, [3][]byte{w.srv.Definitions(), s.viewer.Append(nil), s.viewer.Beat(nil)})
	}
	return all
}

// TestCorruptMessages is like FuzzReceive, but corrupts messages at random, which is a hundred
// times as fast. It rarely changes a packet number in a way that only causes a gap.
func TestCorruptMessages(t *testing.T) {
	var all [][]byte
	for seed := range uint64(20) {
		for _, m := range sentIn(t, seed) {
			all = append(all, slices.DeleteFunc(m[:], func(b []byte) bool { return len(b) == 0 })...)
		}
	}
	dice := rand.New(rand.NewPCG(long.Seed(), 9))
	c, taken, m := client.New(tight), 0, []byte(nil)
	for n := range long.Times(10_000) {
		if n%40 == 0 {
			c.Reset()
		}
		m = corruptOneOf(dice, m[:0], all)
		if err := c.Receive(m); err == nil {
			taken++
		}
		if sane(t, c); t.Failed() {
			t.Fatalf("after %x", m)
		}
	}
	t.Logf("%d messages, %d of them accepted", long.Times(10_000), taken)
	require.Greater(t, taken, long.Times(10_000)/50)
}

// corruptOneOf appends one of the messages, corrupted in some places.
func corruptOneOf(dice *rand.Rand, m []byte, all [][]byte) []byte {
	m = append(m, all[dice.IntN(len(all))]...)
	for range dice.IntN(6) {
		if len(m) == 0 {
			return m
		}
		switch at := dice.IntN(len(m)); dice.IntN(5) {
		case 0:
			m[at] = byte(dice.Uint32())
		case 1:
			m[at] ^= 1 << dice.IntN(8)
		case 2:
			m = m[:at]
		case 3:
			m = append(m, all[dice.IntN(len(all))]...)
		default:
			// a low packet number, so that the rest is decoded too
			m[min(1, len(m)-1)] = byte(dice.IntN(4))
		}
	}
	return m
}

// FuzzClientMessage checks that every client message is answered or causes ErrMessage, and costs
// at most one full state of all owners. A valid message afterwards must still get the whole
// state.
func FuzzClientMessage(f *testing.F) {
	for _, m := range [][2]string{{"\x20\x00", "\x20\x01"}, {"\x20\x05", "\x20\x00"}, {"\x20\x80", "\x10\x01"}, {"\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", ""}} {
		f.Add(uint64(len(m[0])), []byte(m[0]), []byte(m[1]))
	}
	f.Fuzz(func(t *testing.T, seed uint64, a, b []byte) {
		w := openWorld(t, seed, Options{})
		defer func() { require.NoError(t, w.eng.Close(t.Context())) }()
		s := &seat{}
		require.NoError(t, w.sit(s, 1))
		for id := range buff.OwnerID(crowd) {
			require.NoError(t, w.eng.Spawn(1+id, nil))
		}
		w.srv.Update()
		for id := range buff.OwnerID(crowd) {
			require.NoError(t, s.viewer.See(1+id))
			s.sees[1+id] = false
		}
		for k := range 12 {
			e := w.eng
			e.AddBuff(w.owner(), buff.Application{Spec: e.Catalog().Spec(w.specs[w.dice.IntN(len(w.specs))]), Source: w.owner()})
			e.Tick(50 * time.Millisecond)
			w.srv.Update()
			if err := s.viewer.Receive([][]byte{a, b}[k%2]); err != nil {
				require.ErrorIs(t, err, ErrMessage)
			}
			require.LessOrEqual(t, len(s.viewer.Append(nil)), 32+crowd*(16+20*k))
		}
		require.NoError(t, s.viewer.Receive(s.client.Missed()))
		require.NoError(t, s.client.Receive(s.viewer.Beat(nil)))
		require.True(t, s.current())
		require.Empty(t, w.compare(s))
	})
}
