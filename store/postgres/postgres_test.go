package postgres

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

var ctx = context.Background()

// address returns the address of a real server, from BUFFTICK_POSTGRES or the default for a local
// server.
func address() string {
	if a := os.Getenv("BUFFTICK_POSTGRES"); a != "" {
		return a
	}
	return "postgres://postgres@127.0.0.1:5432/test?sslmode=disable"
}

// connect skips a test if there is no server, except in CI, where it fails.
func connect(t *testing.T) *pgx.Conn {
	c, err := pgx.Connect(ctx, address())
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("no PostgreSQL: %v (BUFFTICK_POSTGRES says where one is)", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { c.Close(ctx) })
	return c
}

var schemas atomic.Int64

// newSchema returns an unused schema name and drops the schema after the test.
func newSchema(t *testing.T) string {
	c := connect(t)
	name := fmt.Sprintf("bufftick_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), schemas.Add(1))
	t.Cleanup(func() {
		_, err := c.Exec(ctx, "drop schema if exists "+name+" cascade")
		require.NoError(t, err)
	})
	return name
}

func open(t *testing.T, schema string) *Store {
	s, err := Open(ctx, address(), Options{Schema: schema})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestStore runs the conformance test.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		schema := newSchema(t)
		return func() (store.Store, error) { return Open(ctx, address(), Options{Schema: schema}) }
	})
}
