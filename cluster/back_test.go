package cluster

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// keep copies the cuts of all zones, and returns a function that restores them in one transaction
// without changing the leases.
func (s *servers) keep() (putBack func()) {
	run := func(script string) {
		_, err := s.db.Exec(context.Background(), fmt.Sprintf(script, s.schema))
		require.NoError(s.t, err)
	}
	run(`begin isolation level repeatable read; create schema kept_%[1]s; create table kept_%[1]s.zones as table %[1]s.zones; create table kept_%[1]s.owners as table %[1]s.owners;
		create table kept_%[1]s.commands as table %[1]s.commands; create table kept_%[1]s.moves as table %[1]s.moves; commit`)
	s.t.Cleanup(func() { run("drop schema kept_%[1]s cascade") })
	return func() {
		run(`begin; select * from %[1]s.zones for update; delete from %[1]s.commands; delete from %[1]s.owners; delete from %[1]s.moves;
			update %[1]s.zones z set frame = k.frame, head = k.head, owners = k.owners, commands = k.commands, total = k.total from kept_%[1]s.zones k where k.id = z.id;
			insert into %[1]s.owners select * from kept_%[1]s.owners; insert into %[1]s.commands select * from kept_%[1]s.commands;
			insert into %[1]s.moves (id, zone, data) select id, zone, data from kept_%[1]s.moves; commit`)
	}
}

// free ends all leases, as if they had expired long ago.
func (s *servers) free() {
	_, err := s.db.Exec(s.t.Context(), fmt.Sprintf("delete from %[1]s.nodes; update %[1]s.leases set node = null, until = '-infinity'", s.schema))
	require.NoError(s.t, err)
}

// pay pays one coin to a hero and waits until it is on disk.
func (s *servers) pay(c *Client, zone, k int) {
	_, err := c.Ask(s.t.Context(), fmt.Sprintf("z%d", zone), coin(hero(zone, k)), Durable)
	require.NoError(s.t, err)
}

// TestClient_Ask_GoesBack checks that a client that stays connected while a backup is restored
// continues: each of its commands is executed, and Lost and a Packet report the loss once.
func TestClient_Ask_GoesBack(t *testing.T) {
	for name, epochs := range map[string]int{"fewer commands": 0, "a lower epoch": 1} {
		t.Run(name, func(t *testing.T) {
			s := newServers(t)
			told := make(chan error, 10)
			c, err := NewClient(ClientOptions{NATS: s.connect(), Prefix: s.schema, Catalog: coins, Lost: func(_ string, err error) { told <- err }})
			require.NoError(t, err)
			defer c.Close()
			first := s.joinShowing("first")
			s.pay(c, 0, 0)
			require.NoError(t, first.Drain(t.Context()))
			putBack := s.keep()
			second := s.joinShowing("second")
			packets := make(chan error, 1<<12)
			_, err = c.Subscribe("z0", hero(0, 0), func(p Packet) { packets <- p.Err })
			require.NoError(t, err)
			for range 20 {
				s.pay(c, 0, 0)
			}
			require.NoError(t, <-packets, "the screen has received it")
			second.Close()
			putBack()
			_, err = s.db.Exec(t.Context(), fmt.Sprintf("update %s.zones set epoch = %d", s.schema, 1-epochs))
			require.NoError(t, err)
			s.free()
			s.joinShowing("third")
			for range 30 {
				s.pay(c, 0, 0)
			}
			require.ErrorIs(t, <-told, ErrLost)
			require.Empty(t, told, "reported once")
			for err := error(nil); err == nil; err = <-packets {
				s.pay(c, 0, 0)
				if len(packets) == 0 {
					packets <- nil
				}
				if e := <-packets; e != nil {
					require.ErrorIs(t, e, ErrLost)
					break
				}
			}
			s.pay(c, 0, 0)
			require.NoError(t, <-packets, "it goes on")
		})
	}
}

// TestNode_Commit_GoesBack checks that zones whose cuts are lost while their nodes run are loaded
// again. A player whose move was lost is in its old zone, in the game and on disk, and later
// commands are saved.
func TestNode_Commit_GoesBack(t *testing.T) {
	s := newServers(t)
	a, err := Join(t.Context(), s.options("a", 2))
	require.NoError(t, err)
	defer a.Close()
	c := s.client()
	s.pay(c, 0, 0)
	s.pay(c, 1, 0)
	putBack := s.keep()
	for range 3 {
		s.pay(c, 0, 0)
	}
	_, err = c.Transfer(t.Context(), hero(0, 0), "z0", "z1")
	require.NoError(t, err)
	s.pay(c, 0, 0) // the hero is in z1 now
	putBack()
	for a.Stats().Lost < 2 { // each command is a round trip, so time passes
		require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 1))))
	}
	for range 5 {
		s.pay(c, 0, 0)
	}
	places, err := a.Where(t.Context(), hero(0, 0))
	require.NoError(t, err)
	require.Len(t, places, 1)
	require.Equal(t, "z0", places[0].Zone)
	require.NoError(t, a.Drain(t.Context()))
	require.EqualValues(t, 6, s.stacks(2)[hero(0, 0)], "one from before the backup, and five since")
}

// TestNode_TakeOver checks that when the timeline of the database changes, all leases end, no epoch
// is given twice, and the zones continue.
func TestNode_TakeOver(t *testing.T) {
	s := newServers(t)
	a, err := Join(t.Context(), s.options("a", 1))
	require.NoError(t, err)
	defer a.Close()
	c := s.client()
	ask := func() uint64 {
		r, err := c.Ask(t.Context(), "z0", coin(hero(0, 0)), Durable)
		require.NoError(t, err)
		return r.Epoch
	}
	require.EqualValues(t, 1, ask())
	_, err = s.db.Exec(t.Context(), "update "+s.schema+".world set timeline = '00000000'")
	require.NoError(t, err)
	epoch := ask()
	require.Greater(t, epoch, uint64(1000))
	require.Less(t, epoch, uint64(100_000))
	require.EqualValues(t, epoch, ask())
	require.NoError(t, a.Drain(t.Context()))
	require.EqualValues(t, 3, s.stacks(1)[hero(0, 0)])
}

// TestJoin_EarlierLayout checks that a schema of an earlier version gets an identity of its world,
// once.
func TestJoin_EarlierLayout(t *testing.T) {
	s := newServers(t)
	a, err := Join(t.Context(), s.options("a", 1))
	require.NoError(t, err)
	require.NoError(t, a.Drain(t.Context()))
	_, err = s.db.Exec(t.Context(), fmt.Sprintf("drop table %[1]s.world; drop trigger same_timeline on %[1]s.zones", s.schema))
	require.NoError(t, err)
	var worlds []uint64
	for _, name := range []string{"b", "c"} {
		n, err := Join(t.Context(), s.options(name, 1))
		require.NoError(t, err)
		worlds = append(worlds, n.leases.world)
		require.NoError(t, n.Drain(t.Context()))
	}
	require.NotZero(t, worlds[0])
	require.Equal(t, worlds[0], worlds[1])
}
