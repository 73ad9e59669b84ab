package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
)

// appendMoves appends the arguments of commit_moves for departures and arrivals.
func appendMoves(args []any, b *store.Batch) []any {
	var moved, frames, arrived, numbers []int64
	var to []string
	var records [][]byte
	for k := range b.Moved {
		m := &b.Moved[k]
		moved, frames, to = append(moved, int64(m.Owner.ID)), append(frames, int64(m.Owner.Frame)), append(to, m.To)
		records = append(records, record.AppendOwner(nil, m.Owner.Frame, &m.Owner))
	}
	for k := range b.Arrived {
		a := &b.Arrived[k]
		arrived, numbers = append(arrived, int64(a.Owner.ID)), append(numbers, int64(a.Number))
	}
	return append(args, moved, frames, to, records, arrived, numbers)
}

// Arrivals implements [store.Mover].
func (s *Store) Arrivals(ctx context.Context, zones []string) (list []store.Arrival, err error) {
	for _, zone := range zones {
		if err := store.CheckName(zone); err != nil {
			return nil, err
		}
	}
	err = s.rows(ctx, s.arrivals, func(rows pgx.Rows) error {
		var id, number int64
		var encoded []byte
		a := store.Arrival{}
		if err := rows.Scan(&id, &a.Zone, &number, &encoded); err != nil {
			return err
		}
		a.Number = uint64(number)
		a.Owner, err = record.ReadOwner(buff.OwnerID(id), encoded)
		list = append(list, a)
		return err
	}, zones, store.MostArrivals)
	return list, err
}

// Where implements [store.Mover].
func (s *Store) Where(ctx context.Context, owners []buff.OwnerID) (list []store.Place, err error) {
	ids := make([]int64, len(owners))
	for k, id := range owners {
		ids[k] = int64(id)
	}
	err = s.rows(ctx, s.where, func(rows pgx.Rows) error {
		var id int64
		p := store.Place{}
		err := rows.Scan(&id, &p.Zone, &p.Arriving)
		p.Owner = buff.OwnerID(id)
		list = append(list, p)
		return err
	}, ids)
	return list, err
}

// rows calls do() for each row that a statement returns. A single statement sees one snapshot, so
// no transaction is needed.
func (s *Store) rows(ctx context.Context, statement string, do func(pgx.Rows) error, args ...any) error {
	switch {
	case s.closed.Load():
		return store.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	rows, err := s.pool.Query(ctx, statement, args...)
	if err != nil {
		return s.failed(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return s.failed(err)
		}
	}
	return s.failed(rows.Err())
}
