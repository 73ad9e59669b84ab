package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bufftick/bufftick/store"
)

// Configure sets what a session with zones needs, whatever the defaults of the server, the database and the role are: commits wait for
// the disk, each statement sees what others have committed, and transactions may write. No session begins with a server that only
// reads: what a standby says of an owner may be old. One whose server refuses to write later is closed, so that the next one finds the
// server that does. Open and package cluster call it.
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

// readOnly is the code of a statement that the server refuses because it only reads: a standby, or a server with a full disk.
const readOnly = "25006"

// Writing are the options of a transaction that writes, where a pooler may hide the settings of Configure from the session.
func Writing() pgx.TxOptions {
	return pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}
}
