package cluster

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// TestJoin_ExecModes checks each query mode of pgx that a transaction pooler may need.
func TestJoin_ExecModes(t *testing.T) {
	s := newServers(t)
	c := s.client()
	for k, mode := range []string{"simple_protocol", "exec", "cache_describe", "describe_exec"} {
		o := s.options("a", 1)
		u, err := url.Parse(s.postgres)
		require.NoError(t, err)
		q := u.Query()
		q.Set("default_query_exec_mode", mode)
		u.RawQuery = q.Encode()
		o.Postgres = u.String()
		a, err := Join(t.Context(), o)
		require.NoError(t, err, mode)
		s.pay(c, 0, 0)
		require.NoError(t, a.Drain(t.Context()), mode)
		require.EqualValues(t, k+1, s.stacks(1)[hero(0, 0)], mode)
	}
}

// TestNode_AlteredTables checks that a node prepares its statements again when its tables get
// columns, are rewritten or are reindexed.
func TestNode_AlteredTables(t *testing.T) {
	s := newServers(t)
	a, err := Join(t.Context(), s.options("a", 1))
	require.NoError(t, err)
	defer a.Close()
	c := s.client()
	s.pay(c, 0, 0)
	for _, statement := range []string{
		"alter table %s.owners add column x int", "alter table %s.zones add column x int", "alter table %s.leases add column x int",
		"alter table %s.nodes add column x int", "vacuum full %s.owners", "reindex table %s.owners",
	} {
		_, err := s.db.Exec(t.Context(), fmt.Sprintf(statement, s.schema))
		require.NoError(t, err, statement)
		s.pay(c, 0, 0)
		// Each command is a round trip, so time passes.
		for beats := a.Stats().Beats; a.Stats().Beats < beats+2; {
			require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 1))), statement)
		}
	}
	require.NoError(t, a.Drain(t.Context()))
	require.EqualValues(t, 7, s.stacks(1)[hero(0, 0)])
	require.Zero(t, a.Stats().Stopped)
}

// TestNode_ReadOnlyDatabase checks that a node saves its zones although the database is read-only
// by default or was temporarily read-only.
func TestNode_ReadOnlyDatabase(t *testing.T) {
	s := newServers(t)
	run := func(statement string) {
		_, err := s.db.Exec(context.Background(), statement)
		require.NoError(t, err, statement)
	}
	run("create database " + s.schema)
	t.Cleanup(func() { run("drop database " + s.schema + " with (force)") })
	o := s.options("a", 1)
	u, err := url.Parse(s.postgres)
	require.NoError(t, err)
	u.Path = "/" + s.schema
	o.Postgres = u.String()
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer a.Close()
	c := s.client()
	s.pay(c, 0, 0)
	endSessions := "select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + s.schema + "'"
	run("alter database " + s.schema + " set default_transaction_read_only = on")
	run(endSessions)
	s.pay(c, 0, 0)
	run("alter database " + s.schema + " reset default_transaction_read_only")
	s.pay(c, 0, 0)
	run(endSessions)
	s.pay(c, 0, 0)
	require.NoError(t, a.Drain(t.Context()))
}

// TestSubscribe_SlowScreen checks that a subscription whose function does not return does not delay
// other clients.
func TestSubscribe_SlowScreen(t *testing.T) {
	s := newServers(t)
	s.joinShowing("a")
	slow, fast := s.client(), s.client()
	held, goOn := make(chan struct{}, 1<<12), make(chan struct{})
	_, err := slow.Subscribe("z0", hero(0, 0), func(Packet) {
		held <- struct{}{}
		<-goOn
	})
	require.NoError(t, err)
	defer close(goOn)
	<-held
	see := fast.screen(t, "z0", hero(0, 0))
	for k := range 200 {
		require.NoError(t, fast.Do(t.Context(), "z0", coin(hero(0, 0))))
		see.until(k + 1)
	}
	require.Empty(t, held)
}

// TestClient_Denied checks that the error of a client without permission to publish names the
// reason.
func TestClient_Denied(t *testing.T) {
	s := newServers(t)
	n := s.own(server.Options{Users: []*server.User{{Username: "gateway", Password: "x", Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Deny: []string{">"}},
	}}, {Username: "all", Password: "x"}}})
	s.nats = strings.Replace(n.ClientURL(), "nats://", "nats://all:x@", 1)
	s.joinShowing("a")
	conn, err := nats.Connect(n.ClientURL(), nats.UserInfo("gateway", "x"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	c, err := NewClient(ClientOptions{NATS: conn, Prefix: s.schema, Catalog: coins})
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = c.Ask(ctx, "z0", coin(hero(0, 0)), Applied)
	require.ErrorIs(t, err, ErrNoOwner)
	require.ErrorIs(t, err, nats.ErrPermissionViolation)
}
