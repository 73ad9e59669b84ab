package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
)

// Options configures the location of the zones in a database. The zero value works for most
// games.
type Options struct {
	// Schema is the name of the schema, which is created if it does not exist. The default is
	// "bufftick".
	Schema string

	// ReadOnly opens the store for Load only. The store then never creates the schema and never
	// writes.
	ReadOnly bool
}

// Store keeps zones in a database. It is safe for concurrent use.
type Store struct {
	closed atomic.Bool
	pool   *pgxpool.Pool
	opts   Options
	name   string // name of the database for error messages, without a password
	schema string // quoted

	commit, take, find, owners, commands string // SQL statements
	commitMoves, arrivals, where         string
}

var _ store.Mover = (*Store)(nil)

// layout is the version of schema.sql.
const layout = 1

//go:embed schema.sql
var tables string

// moving creates the tables and functions for moves, which an older schema of layout 1 lacks.
//
//go:embed moves.sql
var moving string

// Open connects to a database and creates the schema if it does not exist. The address has the
// form of pgx: a URL, or keywords such as "host=db dbname=world". It returns [store.ErrFuture] if
// a later version created the schema, [store.ErrForeign] if another program did,
// [store.ErrReadOnly], or an error of the server.
func Open(ctx context.Context, address string, o Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("store/postgres: %w", err)
	}
	if !o.ReadOnly {
		Configure(config)
	}
	if o.Schema == "" {
		o.Schema = "bufftick"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("store/postgres: %w", err)
	}
	s := newStore(pool, o)
	if err := s.layout(ctx); err != nil {
		pool.Close()
		return nil, s.failed(err)
	}
	return s, nil
}

func newStore(pool *pgxpool.Pool, o Options) *Store {
	c := pool.Config().ConnConfig
	s := &Store{pool: pool, opts: o, schema: pgx.Identifier{o.Schema}.Sanitize()}
	s.name = fmt.Sprintf("%s:%d/%s schema %s", c.Host, c.Port, c.Database, s.schema)
	s.commit = s.sql("select SCHEMA.commit($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14)")
	s.commitMoves = s.sql("select SCHEMA.commit_moves($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20)")
	s.arrivals = s.sql(`select m.id, z.name, m.number, m.data from unnest($1::text[]) t join SCHEMA.zones z on z.name = t
		cross join lateral (select * from SCHEMA.moves m where m.zone = z.id order by m.number limit $2) m`)
	s.where = s.sql(`select o.id, z.name, o.moves from
		(select id, zone, false as moves from SCHEMA.owners union all select id, zone, true from SCHEMA.moves) o
		join SCHEMA.zones z on z.id = o.zone where o.id = any($1)`)
	s.take = s.sql("insert into SCHEMA.zones (name, epoch) values ($1, 1) on conflict (name) do update set epoch = zones.epoch + 1")
	s.find = s.sql("select id, epoch, frame, head, owners, commands, total from SCHEMA.zones where name = $1")
	s.owners = s.sql("select id, data from SCHEMA.owners where zone = $1 order by id < 0, id")
	s.commands = s.sql("select frame, data from SCHEMA.commands where zone = $1 order by frame")
	return s
}

func (s *Store) sql(text string) string { return strings.ReplaceAll(text, "SCHEMA", s.schema) }

// layout creates the schema, or checks that an existing schema belongs to this package. It takes a
// lock, so concurrent calls run one after the other.
func (s *Store) layout(ctx context.Context) error {
	options := Writing()
	if s.opts.ReadOnly {
		options.AccessMode = pgx.ReadOnly
	}
	return pgx.BeginTxFunc(ctx, s.pool, options, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtext($1))", s.schema); err != nil {
			return err
		}
		var schemas, layouts, moves int
		err := tx.QueryRow(ctx, `select (select count(*) from pg_namespace where nspname = $1),
			(select count(*) from pg_tables where schemaname = $1 and tablename = 'layout'),
			(select count(*) from pg_tables where schemaname = $1 and tablename = 'moves')`, s.opts.Schema).Scan(&schemas, &layouts, &moves)
		switch {
		case err != nil:
			return err
		case schemas == 0 && s.opts.ReadOnly:
			return fmt.Errorf("%w: the schema does not exist", store.ErrReadOnly)
		case schemas == 0:
			_, err := tx.Exec(ctx, s.sql("create schema SCHEMA;\n"+tables+moving))
			return err
		case layouts == 0:
			return fmt.Errorf("%w: the schema exists but has no table layout", store.ErrForeign)
		}
		var version int
		if err := tx.QueryRow(ctx, s.sql("select max(version) from SCHEMA.layout")).Scan(&version); err != nil {
			return err
		}
		if version > layout {
			return fmt.Errorf("%w: layout %d, this program supports %d", store.ErrFuture, version, layout)
		}
		if moves == 0 && !s.opts.ReadOnly {
			_, err = tx.Exec(ctx, s.sql(moving))
		}
		return err
	})
}

// failed adds the database to an error and maps server errors to the errors of package store.
func (s *Store) failed(err error) error {
	if err == nil {
		return nil
	}
	if _, damage := errors.AsType[*store.DamageError](err); damage {
		return record.At(err, s.name, "")
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		if kind := kinds[pg.Code]; kind == store.ErrDamaged {
			return &store.DamageError{File: s.name, Place: "table " + pg.TableName, Problem: pg.Message}
		} else if kind != nil {
			return fmt.Errorf("%s: %w: %w", s.name, kind, err)
		}
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// kinds maps error codes of the server, and of the functions in moves.sql, to errors of package
// store.
var kinds = map[string]error{
	"BT001":  store.ErrFenced,
	"BT002":  store.ErrLost,
	"BT003":  store.ErrBatch,
	"BT004":  store.ErrElsewhere,
	readOnly: store.ErrReadOnly,
	"XX001":  store.ErrDamaged, // a damaged table
	"XX002":  store.ErrDamaged, // a damaged index
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.closed.Store(true)
	s.pool.Close()
	return nil
}

// ready checks the preconditions of each call.
func (s *Store) ready(ctx context.Context, zone string, write bool) error {
	switch {
	case s.closed.Load():
		return store.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case write && s.opts.ReadOnly:
		return fmt.Errorf("%s: %w", s.name, store.ErrReadOnly)
	}
	return store.CheckName(zone)
}
