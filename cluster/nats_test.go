package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/replicate/client"
)

// own starts a NATS server with the given options for the test.
func (s *servers) own(o server.Options) *server.Server {
	o.Host, o.NoLog, o.NoSigs = "127.0.0.1", true, true
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	n, err := server.NewServer(&o)
	require.NoError(s.t, err)
	n.Start()
	s.t.Cleanup(func() {
		n.Shutdown()
		n.WaitForShutdown()
	})
	require.True(s.t, n.ReadyForConnections(10*time.Second))
	s.nats = n.ClientURL()
	return n
}

// TestJoin_Prefix checks that a prefix with wildcards or empty tokens is rejected.
func TestJoin_Prefix(t *testing.T) {
	s := newServers(t)
	for prefix, ok := range map[string]bool{
		"game": true, "game.one": true, "spiel-1_a.=x": true, "größe": true,
		"*": false, ">": false, "game.*": false, "game.>": false, "ga*me": false, "game.": false, ".game": false, "a..b": false,
		"a b": false, "a\tb": false, "a\nb": false, "a\u00a0b": false, "a\x00b": false,
	} {
		o := s.options("a", 1)
		o.Prefix = prefix
		_, err := NewClient(ClientOptions{NATS: o.NATS, Prefix: prefix})
		if ok {
			require.NoError(t, checkPrefix(prefix), "%q", prefix)
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrOptions, "%q", prefix)
		_, err = Join(t.Context(), o)
		require.ErrorIs(t, err, ErrOptions, "%q", prefix)
		require.ErrorContains(t, err, fmt.Sprintf("%q", prefix))
	}
}

// TestClient_MaxPayload checks that definitions and packets longer than a NATS message are sent in
// parts, and that a longer command is rejected.
func TestClient_MaxPayload(t *testing.T) {
	s := newServers(t)
	s.own(server.Options{MaxPayload: 2048})
	var specs []buff.Spec
	for k := range 300 {
		specs = append(specs, buff.Spec{ID: fmt.Sprintf("%s_%03d", strings.Repeat("a_long_name_of_a_definition", 2), k), Kind: define.Infinite})
	}
	c, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	o := s.options("a", 1)
	o.New = func(zone string) (Zone, error) {
		z, err := play(zone)
		z.Engine.Catalog = c
		z.Screens = &replicate.Options{}
		return z, err
	}
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer a.Close()
	cl, err := NewClient(ClientOptions{NATS: s.connect(), Prefix: s.schema, Catalog: c})
	require.NoError(t, err)
	defer cl.Close()
	for k := range 200 { // so that the first packet of a screen is also longer than a message
		require.NoError(t, cl.Do(t.Context(), "z0", buff.Apply(hero(0, 0), buff.Application{Spec: c.Spec(specs[k].ID)})))
	}
	picture, shows := client.New(client.Options{}), make(chan int, 1<<16)
	sub, err := cl.Subscribe("z0", hero(0, 0), func(p Packet) {
		if p.Fresh {
			picture.Reset()
		}
		if p.Err != nil {
			return // the client was closed
		}
		require.NoError(t, picture.Receive(p.Bytes))
		if o := picture.Owner(hero(0, 0)); o != nil {
			shows <- len(o.Buffs())
		}
	})
	require.NoError(t, err)
	for n := 0; n != 200; n = <-shows {
	}
	require.Equal(t, specs[299].ID, picture.Spec(300).ID)
	sub.Close()
	require.Zero(t, a.Stats().Unsent)
	_, err = cl.sendBody("z0", make([]byte, 2048), Applied, func(Reply, error) {})
	require.ErrorIs(t, err, ErrTooLarge)
	require.ErrorContains(t, err, "2048 bytes, but max_payload of NATS is 2048")
}

// TestParts_Add checks that only consecutive parts are assembled.
func TestParts_Add(t *testing.T) {
	part := func(index, many byte, text string) []byte { return append([]byte{index, many}, text...) }
	var p parts
	require.Nil(t, p.add(part(0, 3, "Pa")))
	require.Nil(t, p.add(part(1, 3, "b")))
	require.Equal(t, "Pabc", string(p.add(part(2, 3, "c"))))
	require.Nil(t, p.add(part(2, 3, "c")), "it is not the first part")
	require.Nil(t, p.add(part(0, 2, "Px")))
	require.Nil(t, p.add(part(0, 2, "Py")), "a new first part restarts")
	require.Equal(t, "Pyz", string(p.add(part(1, 2, "z"))))
	require.Nil(t, p.add(part(0, 3, "Px")))
	require.Nil(t, p.add(part(2, 3, "z")))
	require.Nil(t, p.add(part(1, 3, "y")), "a part is missing")
	require.Nil(t, p.add(nil))
	require.Nil(t, p.add(part(5, 5, "x")))
	require.Equal(t, "Q", string(p.add(part(0, 1, "Q"))))
	require.True(t, (&shown{kind: isPart, bytes: part(0, 3, "Dx")}).defines())
	require.False(t, (&shown{kind: isPart, bytes: part(0, 3, "Px")}).defines())
	require.False(t, (&shown{kind: isPart, bytes: part(1, 3, "Dx")}).defines())
	require.False(t, (&shown{kind: isPart}).defines())
}

// TestClient_Closed checks that a client whose connection is closed for good ends pending and new
// requests with ErrClosed.
func TestClient_Closed(t *testing.T) {
	s := newServers(t)
	s.joinShowing("a")
	conn := s.connect()
	c, err := NewClient(ClientOptions{NATS: conn, Prefix: s.schema, Catalog: coins})
	require.NoError(t, err)
	see := c.screen(t, "z0", hero(0, 0))
	s.pay(c, 0, 0)
	see.until(1)
	waits := make(chan error, 1)
	require.NoError(t, c.Send("z9", coin(1), Applied, func(_ Reply, err error) { waits <- err }))
	conn.Close()
	err = <-waits
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, <-see.ended, ErrClosed)
	_, err = c.Ask(context.Background(), "z0", coin(hero(0, 0)), Durable)
	require.ErrorIs(t, err, ErrClosed)
	_, err = c.Subscribe("z0", hero(0, 0), func(Packet) {})
	require.ErrorIs(t, err, ErrClosed)
	o := s.options("b", 1)
	o.NATS = conn
	_, err = Join(t.Context(), o)
	require.ErrorIs(t, err, ErrClosed)
}

// TestNode_Closed checks that a node whose connection is closed for good saves and releases its
// zones, even as the only node, and logs the reason.
func TestNode_Closed(t *testing.T) {
	s := newServers(t)
	o := s.options("a", 2)
	said := make(chan string, 100)
	o.Log = func(_ string, _ uint64, what string) { said <- what }
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer a.Close()
	for what := ""; !strings.Contains(what, "nats.MaxReconnects(-1)"); { // on a busy machine Join waits for PostgreSQL first
		what = <-said
	}
	c := s.client()
	require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	require.NoError(t, c.Do(t.Context(), "z1", coin(hero(1, 0))))
	o.NATS.Close()
	for what := ""; !strings.Contains(what, "is closed for good"); {
		what = <-said
	}
	<-a.left
	stats := a.Stats()
	require.True(t, stats.Closed)
	require.Zero(t, stats.Zones)
	require.EqualValues(t, 2, stats.Drained)
	b, err := Join(t.Context(), s.options("b", 2))
	require.NoError(t, err)
	defer b.Close()
	s.pay(c, 0, 0)
	require.NoError(t, b.Drain(t.Context()))
	require.NoError(t, a.Drain(t.Context()))
	all := s.stacks(2)
	require.EqualValues(t, 2, all[hero(0, 0)])
	require.EqualValues(t, 1, all[hero(1, 0)])
}

// TestNode_Denied checks that a node that may not receive commands claims no zones and names the
// subjects, and that it claims zones when it gets the permission.
func TestNode_Denied(t *testing.T) {
	s := newServers(t)
	may := &server.Permissions{Publish: &server.SubjectPermission{Allow: []string{">"}}, Subscribe: &server.SubjectPermission{
		Allow: []string{"_INBOX.>", "*.free", "*.wish", "*.look", "*.arrived", "*.world"},
	}}
	n := s.own(server.Options{Users: []*server.User{{Username: "node", Password: "x", Permissions: may}, {Username: "all", Password: "x"}}})
	connect := func(user string) *nats.Conn {
		c, err := nats.Connect(n.ClientURL(), nats.UserInfo(user, "x"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
		require.NoError(t, err)
		t.Cleanup(c.Close)
		return c
	}
	s.nats = strings.Replace(n.ClientURL(), "nats://", "nats://all:x@", 1)
	o := s.options("a", 1)
	o.NATS = connect("node")
	said := make(chan string, 1000)
	o.Log = func(_ string, _ uint64, what string) { said <- what }
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer a.Close()
	for what := ""; !strings.Contains(what, "claims no zones"); {
		if what = <-said; strings.Contains(what, "claims no zones") {
			require.Contains(t, what, s.schema+".zone.*")
			require.NotContains(t, what, s.schema+".free")
		}
	}
	for a.Stats().Beats < 4 { // each flush is a round trip, so time passes
		require.NoError(t, connectFlush(o.NATS))
	}
	require.Zero(t, a.Stats().Zones)
	require.True(t, a.Stats().Denied)
	b, err := Join(t.Context(), s.options("b", 1))
	require.NoError(t, err)
	defer b.Close()
	s.pay(s.client(), 0, 0)
}

func connectFlush(c *nats.Conn) error { return c.FlushTimeout(10 * time.Second) }

// TestJoin_OtherWorld checks that Join rejects a prefix that another world uses, and that the other
// world logs it.
func TestJoin_OtherWorld(t *testing.T) {
	s, other := newServers(t), newServers(t)
	o := s.options("a", 1)
	said := make(chan string, 1000)
	o.Log = func(_ string, _ uint64, what string) { said <- what }
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer a.Close()
	o = other.options("b", 1)
	o.Prefix, o.NATS = s.schema, s.connect()
	_, err = Join(t.Context(), o)
	require.ErrorIs(t, err, ErrWorld)
	require.ErrorContains(t, err, `"a"`)
	for what := ""; !strings.Contains(what, "another world uses the prefix"); {
		what = <-said
	}
	require.NotZero(t, a.Stats().Foreign)
	b, err := Join(t.Context(), s.options("b", 1))
	require.NoError(t, err, "a node of the same world joins")
	b.Close()
}

// TestJoin_Waits checks that a Join that is waiting names the reason in Log and in its error.
func TestJoin_Waits(t *testing.T) {
	s := newServers(t)
	tx, err := s.db.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "select pg_advisory_xact_lock(hashtext($1))", `"`+s.schema+`"`)
	require.NoError(t, err)
	o := s.options("a", 1)
	said := make(chan string, 100)
	o.Log = func(_ string, _ uint64, what string) { said <- what }
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	_, err = Join(ctx, o)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "Join was waiting for PostgreSQL")
	require.Contains(t, <-said, "Join is waiting for PostgreSQL")
	require.NoError(t, tx.Rollback(t.Context()))
}
