package cluster

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/store/postgres"
)

//go:embed leases.sql
var tables string

// world is the SQL text that creates the functions and the table "world". It is executed if
// that table is missing, as in older databases with layout 1.
//
//go:embed world.sql
var world string

// layout is the version of leases.sql.
const layout = 1

// leases executes the policy's requests to the database.
type leases struct {
	pool        *pgxpool.Pool
	schema      string // quoted
	node        string
	incarnation int64 // random number that identifies this process
	ttl         time.Duration
	world       uint64 // random number that identifies the schema

	beatSQL, claimSQL, releaseSQL, wishSQL, zonesSQL, leasesSQL, failuresSQL string
}

// openLeases connects to the database, and creates the lease tables if they are missing. The tables
// of store/postgres must already exist.
func openLeases(ctx context.Context, address, schema string) (*leases, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("%w: Postgres: %w", ErrOptions, err)
	}
	config.MaxConns = 4
	config.MinConns = config.MaxConns // open all now, because a busy server is slow to accept connections
	postgres.Configure(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	l := &leases{pool: pool, schema: pgx.Identifier{schema}.Sanitize()}
	l.beatSQL = l.sql("select * from SCHEMA.beat($1, $2, $3, $4, $5, $6, $7)")
	l.claimSQL = l.sql("select SCHEMA.claim($1, $2, $3, $4, $5)")
	l.releaseSQL = l.sql("select SCHEMA.release($1, $2, $3, $4, $5, $6, $7)")
	l.wishSQL = l.sql(`update SCHEMA.leases l set wish = $2, wished = clock_timestamp() + interval '10 seconds'
		from SCHEMA.zones z where z.id = l.zone and z.name = $1`)
	l.failuresSQL = l.sql(`update SCHEMA.leases l set failures = 0 from SCHEMA.zones z where z.id = l.zone and z.name = $1`)
	l.zonesSQL = l.sql("insert into SCHEMA.zones (name, epoch) select unnest($1::text[]), 0 on conflict (name) do nothing")
	l.leasesSQL = l.sql("insert into SCHEMA.leases (zone) select id from SCHEMA.zones where name = any($1) on conflict (zone) do nothing")
	if err := l.makeTables(ctx, schema); err != nil {
		pool.Close()
		return nil, err
	}
	return l, nil
}

func (l *leases) sql(text string) string { return strings.ReplaceAll(text, "SCHEMA", l.schema) }

// makeTables creates the tables, or checks their version. Concurrent calls wait for each other.
func (l *leases) makeTables(ctx context.Context, schema string) error {
	return pgx.BeginTxFunc(ctx, l.pool, postgres.Writing(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtext($1))", "cluster "+schema); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
		var layouts, worlds int
		err := tx.QueryRow(ctx, `select count(*) filter (where tablename = 'cluster_layout'), count(*) filter (where tablename = 'world')
			from pg_tables where schemaname = $1`, schema).Scan(&layouts, &worlds)
		if err != nil {
			return err
		}
		if layouts == 0 {
			if _, err := tx.Exec(ctx, l.sql(tables)); err != nil {
				return err
			}
		}
		var version int
		if err := tx.QueryRow(ctx, l.sql("select max(version) from SCHEMA.cluster_layout")).Scan(&version); err != nil {
			return err
		}
		if version > layout {
			return fmt.Errorf("%w: %d, but this program supports %d", ErrFuture, version, layout)
		}
		if worlds == 0 {
			if _, err := tx.Exec(ctx, l.sql(world)); err != nil {
				return err
			}
		}
		var id int64
		err = tx.QueryRow(ctx, l.sql("select id from SCHEMA.world")).Scan(&id)
		l.world = uint64(id)
		return err
	})
}

// register creates the rows of the zones if they do not exist.
func (l *leases) register(ctx context.Context, zones []string) error {
	for _, statement := range []string{l.zonesSQL, l.leasesSQL} {
		if _, err := l.pool.Exec(ctx, statement, zones); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	return nil
}

func (l *leases) beat(ctx context.Context, mine []policy.Lease, leaves bool) (v policy.View, err error) {
	names, epochs, loads := make([]string, len(mine)), make([]int64, len(mine)), make([]float64, len(mine))
	for k, x := range mine {
		names[k], epochs[k], loads[k] = x.Zone, int64(x.Epoch), x.Load
	}
	rows, err := l.pool.Query(ctx, l.beatSQL, l.node, l.incarnation, l.ttl, leaves, names, epochs, loads)
	if err != nil {
		return v, err
	}
	defer rows.Close()
	for rows.Next() {
		var kind, name string
		var node, wish *string
		var isMine, renewed, leaving bool
		var epoch, left int64
		var load float64
		var failures int
		if err := rows.Scan(&kind, &name, &node, &isMine, &renewed, &epoch, &left, &load, &wish, &failures, &leaving); err != nil {
			return v, err
		}
		switch kind {
		case "taken":
			v.NameTaken = true
		case "node":
			v.Nodes = append(v.Nodes, policy.NodeView{Name: name, Draining: leaving})
		case "zone":
			if renewed {
				v.Renewed = append(v.Renewed, policy.Lease{Zone: name, Epoch: uint64(epoch)})
			}
			v.Zones = append(v.Zones, policy.ZoneView{
				Name: name, Node: text(node), Mine: isMine, Epoch: uint64(epoch), Left: time.Duration(left) * time.Millisecond,
				Load: load, To: text(wish), Failures: failures,
			})
		}
	}
	slices.SortFunc(v.Zones, func(a, b policy.ZoneView) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(v.Nodes, func(a, b policy.NodeView) int { return strings.Compare(a.Name, b.Name) })
	return v, rows.Err()
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (l *leases) claim(ctx context.Context, zone string) (epoch int64, err error) {
	err = l.pool.QueryRow(ctx, l.claimSQL, l.node, l.incarnation, l.ttl, zone, policy.Defaults("").Failures).Scan(&epoch)
	return epoch, err
}

func (l *leases) release(ctx context.Context, a policy.Action) error {
	var to *string
	if a.To != "" {
		to = &a.To
	}
	_, err := l.pool.Exec(ctx, l.releaseSQL, l.node, l.incarnation, l.ttl, a.Zone, int64(a.Epoch), to, a.Failed)
	return err
}

// leave frees the name of this node, which must have no zones.
func (l *leases) leave(ctx context.Context) error {
	_, err := l.pool.Exec(ctx, l.sql("delete from SCHEMA.nodes where name = $1 and incarnation = $2"), l.node, l.incarnation)
	return err
}

// wish records the node on which a zone should run. It returns ErrZone if there is no such zone.
func (l *leases) wish(ctx context.Context, zone, node string) error {
	return l.one(ctx, zone, l.wishSQL, zone, node)
}

// forgive lifts the quarantine of a zone.
func (l *leases) forgive(ctx context.Context, zone string) error {
	return l.one(ctx, zone, l.failuresSQL, zone)
}

func (l *leases) one(ctx context.Context, zone, statement string, args ...any) error {
	tag, err := l.pool.Exec(ctx, statement, args...)
	if err == nil && tag.RowsAffected() == 0 {
		return fmt.Errorf("%w: %q", ErrZone, zone)
	}
	return err
}
