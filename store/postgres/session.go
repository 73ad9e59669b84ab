package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bufftick/bufftick/store"
)

// Configure sets the session options that zones need, whatever the defaults of the server, the
// database and the role are. Commits wait for the disk, each statement sees committed data, and
// transactions may write. Sessions never start on a read-only server, because the data of a
// standby may be old. A session is closed if its server later refuses to write, so that the next
// session finds the primary. Open and package cluster call Configure.
func Configure(c *pgxpool.Config) {
	for name, value := range map[string]string{
		"synchronous_commit":            "on",
		"default_transaction_isolation": "read committed",
		"default_transaction_read_only": "off",
	} {
		c.ConnConfig.RuntimeParams[name] = value
	}
	validate := c.ConnConfig.ValidateConnect
	c.ConnConfig.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if validate != nil {
			if err := validate(ctx, conn); err != nil {
				return err
			}
		}
		if err := pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, conn); err != nil {
			return fmt.Errorf("%w: %w", store.ErrReadOnly, err)
		}
		return nil
	}
	keep := c.ConnConfig.OnPgError
	c.ConnConfig.OnPgError = func(conn *pgconn.PgConn, err *pgconn.PgError) bool {
		return err.Code != readOnly && (keep == nil || keep(conn, err))
	}
}

// readOnly is the error code of a server that refuses to write: a standby, or a server with a
// full disk.
const readOnly = "25006"

// Writing returns the options of a write transaction. They repeat settings of Configure, because
// some connection poolers do not pass the session options on to the server.
func Writing() pgx.TxOptions {
	return pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}
}
