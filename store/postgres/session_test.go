//go:build linux

package postgres

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
)

// database creates a database with the given defaults for sessions, and returns its address.
func database(t *testing.T, defaults ...string) string {
	db := connect(t)
	name := fmt.Sprintf("bufftick_session_%d_%s", os.Getpid(), strings.ToLower(strings.ReplaceAll(t.Name(), "/", "_")))
	run := func(statement string) {
		_, err := db.Exec(context.Background(), statement)
		require.NoError(t, err, statement)
	}
	run("drop database if exists " + name + " with (force)")
	run("create database " + name)
	t.Cleanup(func() { run("drop database if exists " + name + " with (force)") })
	for _, d := range defaults {
		run("alter database " + name + " set " + d)
	}
	u, err := url.Parse(address())
	require.NoError(t, err)
	u.Path = "/" + name
	return u.String()
}

// TestOpen_Defaults checks that whatever the defaults of the database are, a session may write,
// waits for the disk, and sees committed data. Two concurrent creations of the schema must not
// conflict.
func TestOpen_Defaults(t *testing.T) {
	at := database(t, "default_transaction_read_only = on", "default_transaction_isolation = serializable", "synchronous_commit = off")
	var all sync.WaitGroup
	stores := make([]*Store, 4)
	errs := make([]error, len(stores))
	for k := range stores {
		all.Go(func() { stores[k], errs[k] = Open(t.Context(), at, Options{}) })
	}
	all.Wait()
	for k, s := range stores {
		require.NoError(t, errs[k])
		defer s.Close()
	}
	cut, err := stores[0].Open(t.Context(), "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	require.NoError(t, stores[1].Commit(t.Context(), faultBatch(cut.Epoch, 0, 1)))
	for name, want := range map[string]string{"transaction_read_only": "off", "transaction_isolation": "read committed", "synchronous_commit": "on"} {
		var got string
		require.NoError(t, stores[2].pool.QueryRow(t.Context(), "show "+name).Scan(&got))
		require.Equal(t, want, got, name)
	}
}

// TestConfigure_ReadOnly checks that a session is closed if its server refuses to write.
func TestConfigure_ReadOnly(t *testing.T) {
	s, err := Open(t.Context(), database(t), Options{})
	require.NoError(t, err)
	defer s.Close()
	for code, kept := range map[string]bool{"25006": false, "P0001": true} {
		var before, after int
		require.NoError(t, s.pool.QueryRow(t.Context(), "select pg_backend_pid()").Scan(&before))
		_, err = s.pool.Exec(t.Context(), fmt.Sprintf("do $$ begin raise exception 'no' using errcode = '%s'; end $$", code))
		require.Error(t, err)
		require.NoError(t, s.pool.QueryRow(t.Context(), "select pg_backend_pid()").Scan(&after))
		require.Equal(t, kept, before == after, code)
	}
}

// TestDemoted checks that a demoted primary is reported as read-only, and that an address with
// both servers and target_session_attrs finds the primary.
func TestDemoted(t *testing.T) {
	if !long.On() {
		t.Skip("it starts two servers: -long")
	}
	demoted, primary := newServer(t), newServer(t)
	s, err := Open(t.Context(), demoted.address(), Options{})
	require.NoError(t, err)
	defer s.Close()
	cut, err := s.Open(t.Context(), "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	demoted.kill()
	require.NoError(t, os.WriteFile(filepath.Join(demoted.data(), "standby.signal"), nil, 0o666))
	demoted.start()
	s.pool.Reset()
	for range 3 {
		require.ErrorIs(t, s.Commit(t.Context(), faultBatch(cut.Epoch, 0, 1)), store.ErrReadOnly)
	}
	_, err = s.Where(t.Context(), nil)
	require.ErrorIs(t, err, store.ErrReadOnly, "what a standby says may be old")
	reader, err := Open(t.Context(), demoted.address(), Options{ReadOnly: true})
	require.NoError(t, err)
	defer reader.Close()
	_, err = reader.Load(t.Context(), "a")
	require.ErrorIs(t, err, store.ErrEmpty)

	both := fmt.Sprintf("host=127.0.0.1,127.0.0.1 port=%d,%d user=postgres dbname=postgres sslmode=disable target_session_attrs=read-write", demoted.port, primary.port)
	w, err := Open(t.Context(), both, Options{})
	require.NoError(t, err)
	defer w.Close()
	cut, err = w.Open(t.Context(), "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	require.NoError(t, w.Commit(t.Context(), faultBatch(cut.Epoch, 0, 1)))

	_, err = reader.pool.Exec(t.Context(), "select pg_promote()")
	require.NoError(t, err)
	cut, err = s.Open(t.Context(), "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	require.NoError(t, s.Commit(t.Context(), faultBatch(cut.Epoch, 0, 1)), "it is a primary again")
}
