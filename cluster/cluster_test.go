package cluster

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/recovered/recoveredtest"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/postgres"
)

// servers gives a test its PostgreSQL and NATS: the PostgreSQL server of BUFFTICK_POSTGRES or a
// local one, with a schema for the test, and the NATS server of BUFFTICK_NATS or one in this
// process. Without PostgreSQL a test is skipped, but fails in CI.
type servers struct {
	t        *testing.T
	postgres string
	schema   string
	nats     string
	db       *pgx.Conn
}

var worlds atomic.Int64

func newServers(t *testing.T) *servers {
	s := &servers{t: t, postgres: os.Getenv("BUFFTICK_POSTGRES"), nats: os.Getenv("BUFFTICK_NATS")}
	if s.postgres == "" {
		s.postgres = "postgres://postgres@127.0.0.1:5432/test?sslmode=disable"
	}
	var err error
	s.db, err = pgx.Connect(context.Background(), s.postgres)
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("no PostgreSQL: %v (BUFFTICK_POSTGRES says where one is)", err)
	}
	require.NoError(t, err)
	if s.nats == "" {
		own, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
		require.NoError(t, err)
		own.Start()
		t.Cleanup(func() {
			own.Shutdown()
			own.WaitForShutdown()
		})
		require.True(t, own.ReadyForConnections(10*time.Second))
		s.nats = own.ClientURL()
	}
	s.schema = fmt.Sprintf("bufftick_cluster_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), worlds.Add(1))
	t.Cleanup(func() {
		_, err := s.db.Exec(context.Background(), "drop schema if exists "+s.schema+" cascade")
		require.NoError(t, err)
		require.NoError(t, s.db.Close(context.Background()))
	})
	return s
}

func (s *servers) connect() *nats.Conn {
	c, err := nats.Connect(s.nats)
	require.NoError(s.t, err)
	s.t.Cleanup(c.Close)
	return c
}

var coins = func() *buff.Catalog {
	c, err := buff.NewCatalog(buff.Spec{ID: "coin", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget, Limit: 30000}})
	if err != nil {
		panic(err)
	}
	return c
}()

const heroes = 4 // per zone

// play returns a Zone with heroes that are paid in coins. Zone z3 has the heroes 301 to 304.
func play(zone string) (Zone, error) {
	var number int
	if _, err := fmt.Sscanf(zone, "z%d", &number); err != nil {
		return Zone{}, err
	}
	return Zone{
		Engine: engine.Options{Catalog: coins, Synchronous: true, Number: uint32(number + 1)},
		Begin: func(z *store.Saver, r store.Restored) error {
			if !r.Fresh {
				return nil
			}
			for k := range heroes {
				if err := z.Engine().Spawn(hero(number, k), nil); err != nil {
					return err
				}
			}
			return nil
		},
	}, nil
}

func hero(zone, k int) buff.OwnerID { return buff.OwnerID(100*zone + 1 + k) }

func coin(to buff.OwnerID) buff.Command {
	return buff.Apply(to, buff.Application{Spec: coins.Spec("coin")})
}

func zones(n int) (all []string) {
	for k := range n {
		all = append(all, fmt.Sprintf("z%d", k))
	}
	return all
}

func (s *servers) options(node string, n int) Options {
	return Options{
		Postgres: s.postgres, Schema: s.schema, NATS: s.connect(), Prefix: s.schema, Node: node, Zones: zones(n), New: play,
		Frame: 10 * time.Millisecond,
		Log: func(zone string, epoch uint64, what string) {
			s.t.Logf("%s: %s, epoch %d, %s", node, zone, epoch, what)
		},
	}
}

func (s *servers) client() *Client {
	c, err := NewClient(ClientOptions{NATS: s.connect(), Prefix: s.schema, Catalog: coins})
	require.NoError(s.t, err)
	s.t.Cleanup(c.Close)
	return c
}

// stacks returns the number of coins of each hero on disk.
func (s *servers) stacks(n int) map[buff.OwnerID]int64 {
	all := map[buff.OwnerID]int64{}
	disk, err := postgres.Open(s.t.Context(), s.postgres, postgres.Options{Schema: s.schema, ReadOnly: true})
	require.NoError(s.t, err)
	for _, zone := range zones(n) {
		cut, err := disk.Load(s.t.Context(), zone)
		require.NoError(s.t, err)
		eng, err := engine.New(engine.Options{Catalog: coins, Synchronous: true})
		require.NoError(s.t, err)
		for _, o := range cut.Owners {
			_, err := eng.Restore(o.ID, nil, o.Blob)
			require.NoError(s.t, err)
			list, err := eng.Buffs(o.ID)
			require.NoError(s.t, err)
			for b := range list.All() {
				all[o.ID] += int64(b.Stacks)
			}
		}
		require.NoError(s.t, eng.Close(s.t.Context()))
	}
	require.NoError(s.t, disk.Close())
	return all
}

// TestCluster checks one node, one command, and commands that are refused.
func TestCluster(t *testing.T) {
	s := newServers(t)
	node, err := Join(t.Context(), s.options("a", 2))
	require.NoError(t, err)
	defer node.Close()
	_, err = Join(t.Context(), s.options("a", 2))
	require.ErrorIs(t, err, ErrName)
	c := s.client()
	for range 10 {
		r, err := c.Ask(t.Context(), "z1", coin(hero(1, 0)), Durable)
		require.NoError(t, err)
		require.False(t, r.Again)
		require.NoError(t, r.Result.Failure)
	}
	require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 1))))
	r, err := c.Ask(t.Context(), "z1", coin(999), Durable)
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, r.Result.Failure, "owner")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = c.Ask(ctx, "z9", coin(1), Applied)
	require.ErrorIs(t, err, ErrNoOwner)
	require.ErrorIs(t, node.Move(t.Context(), "z9", "a"), ErrZone)
	require.NoError(t, node.Drain(t.Context()))
	again, err := Join(t.Context(), s.options("a", 2))
	require.NoError(t, err, "the name is free")
	again.Close()
	stats := node.Stats()
	require.EqualValues(t, 12, stats.Commands)
	require.EqualValues(t, 2, stats.Drained)
	all := s.stacks(2)
	require.EqualValues(t, 10, all[hero(1, 0)])
	require.EqualValues(t, 1, all[hero(0, 1)])
}

// TestJoin_Refused checks the errors for invalid options, an unreachable server and tables of a
// later version.
func TestJoin_Refused(t *testing.T) {
	s := newServers(t)
	for _, c := range []struct {
		name   string
		change func(*Options)
		want   error
	}{
		{"no name", func(o *Options) { o.Node = "" }, ErrOptions},
		{"no NATS", func(o *Options) { o.NATS = nil }, ErrOptions},
		{"no New", func(o *Options) { o.New = nil }, ErrOptions},
		{"a short lease", func(o *Options) { o.TTL = 500 * time.Millisecond }, ErrOptions},
		{"a zone without a name", func(o *Options) { o.Zones = []string{""} }, store.ErrName},
	} {
		o := s.options("a", 1)
		c.change(&o)
		_, err := Join(t.Context(), o)
		require.ErrorIs(t, err, c.want, c.name)
	}
	o := s.options("a", 1)
	o.Postgres = "postgres://nobody@127.0.0.1:1/nothing"
	_, err := Join(t.Context(), o)
	require.ErrorContains(t, err, "127.0.0.1")
	_, err = NewClient(ClientOptions{})
	require.ErrorIs(t, err, ErrOptions)

	node, err := Join(t.Context(), s.options("a", 1))
	require.NoError(t, err)
	node.Close()
	_, err = s.db.Exec(t.Context(), "update "+s.schema+".cluster_layout set version = 2")
	require.NoError(t, err)
	_, err = Join(t.Context(), s.options("b", 1))
	require.ErrorIs(t, err, ErrFuture)
	require.ErrorIs(t, node.Drain(t.Context()), ErrClosed)
}

// TestClient_Ask_OldCatalog checks that a node without a buff refuses a command that names it, and
// that the error names the buff.
func TestClient_Ask_OldCatalog(t *testing.T) {
	s := newServers(t)
	node, err := Join(t.Context(), s.options("a", 1))
	require.NoError(t, err)
	defer node.Close()
	newer, err := buff.NewCatalog(buff.Spec{ID: "gem", Kind: define.Infinite})
	require.NoError(t, err)
	c, err := NewClient(ClientOptions{NATS: s.connect(), Prefix: s.schema, Catalog: newer})
	require.NoError(t, err)
	defer c.Close()
	err = c.Do(t.Context(), "z0", buff.Apply(hero(0, 0), buff.Application{Spec: newer.Spec("gem")}))
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "gem")
}

// TestNode_BadZone checks that a zone that panics, while it is loaded or in its first frame, is
// quarantined after three attempts on any nodes, and that other zones continue.
func TestNode_BadZone(t *testing.T) {
	for name, panics := range map[string]func(*Zone){
		"at load":                    func(z *Zone) { z.Begin = func(*store.Saver, store.Restored) error { panic("it cannot be played") } },
		"in frame":                   func(z *Zone) { z.Tick = func(*store.Saver, *engine.Frame) { panic("it cannot be played") } },
		"at load, by its goroutine":  func(z *Zone) { z.Begin = func(*store.Saver, store.Restored) error { runtime.Goexit(); return nil } },
		"in frame, by its goroutine": func(z *Zone) { z.Tick = func(*store.Saver, *engine.Frame) { runtime.Goexit() } },
		"with a value that panics":   func(z *Zone) { z.Load = func() float64 { panic(new(recoveredtest.Bomb)) } },
	} {
		t.Run(name, func(t *testing.T) {
			s := newServers(t)
			var tries atomic.Int64
			o := s.options("a", 2)
			o.Log = func(string, uint64, string) { panic("the log too") }
			o.New = func(zone string) (Zone, error) {
				z, err := play(zone)
				if zone == "z1" {
					tries.Add(1)
					panics(&z)
				}
				return z, err
			}
			a, err := Join(t.Context(), o)
			require.NoError(t, err)
			defer a.Close()
			o.Node, o.NATS = "b", s.connect()
			b, err := Join(t.Context(), o)
			require.NoError(t, err)
			defer b.Close()
			c := s.client()
			for seen := false; !seen; { // each command is a round trip, so time passes
				require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
				for _, z := range a.Zones() {
					seen = seen || z.Zone == "z1" && z.Quarantined
				}
			}
			require.EqualValues(t, 3, tries.Load())
			require.EqualValues(t, 3, a.Stats().Failed+b.Stats().Failed)
			require.NoError(t, a.Forgive(t.Context(), "z1"))
		})
	}
}
