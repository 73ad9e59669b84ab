package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
)

// Open implements [store.Store].
func (s *Store) Open(ctx context.Context, zone string) (*store.Cut, error) {
	if err := s.ready(ctx, zone, true); err != nil {
		return nil, err
	}
	// The first statement locks the zone's row. Until the transaction ends, no commit can run, and
	// a commit that waits for the row will see the new epoch.
	return s.read(ctx, zone, Writing(), func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, s.take, zone)
		return err
	})
}

// Load implements [store.Store].
func (s *Store) Load(ctx context.Context, zone string) (*store.Cut, error) {
	if err := s.ready(ctx, zone, false); err != nil {
		return nil, err
	}
	// All statements use the same snapshot.
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return s.read(ctx, zone, options, func(pgx.Tx) error { return nil })
}

// read returns the cut of a zone. It reads the cut in a transaction whose first step is begin().
func (s *Store) read(ctx context.Context, zone string, o pgx.TxOptions, begin func(pgx.Tx) error) (*store.Cut, error) {
	var cut *store.Cut
	var empty error
	err := pgx.BeginTxFunc(ctx, s.pool, o, func(tx pgx.Tx) (err error) {
		if err := begin(tx); err != nil {
			return err
		}
		cut, err = s.readZone(ctx, tx, zone)
		if errors.Is(err, store.ErrEmpty) {
			empty, err = err, nil
		}
		return err
	})
	if err != nil {
		return nil, s.failed(err)
	}
	return cut, empty
}

// readZone returns a cut. If the error is ErrEmpty, the cut has only Zone and Epoch.
func (s *Store) readZone(ctx context.Context, tx pgx.Tx, zone string) (*store.Cut, error) {
	var id, epoch, frame int64
	var head []byte
	var sum record.Sum
	err := tx.QueryRow(ctx, s.find, zone).Scan(&id, &epoch, &frame, &head, &sum.Owners, &sum.Commands, &sum.Total)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	if err != nil || frame == 0 {
		return &store.Cut{Head: store.Head{Zone: zone, Epoch: uint64(epoch)}}, fmt.Errorf("%w: %q", store.ErrEmpty, zone)
	}
	r := record.NewReader(zone)
	err = r.Head(head)
	if err == nil && r.Frame() != uint64(frame) {
		err = &store.DamageError{Place: "the head", Problem: fmt.Sprintf("it is from frame %d, the row from frame %d", r.Frame(), frame)}
	}
	if err == nil {
		err = each(ctx, tx, s.owners, id, func(id uint64, encoded []byte) error { return r.Owner(buff.OwnerID(id), encoded) })
	}
	if err == nil {
		err = each(ctx, tx, s.commands, id, r.Commands)
	}
	var cut *store.Cut
	if err == nil {
		cut, err = r.Cut(sum)
	}
	if err != nil {
		return nil, record.At(err, "", fmt.Sprintf("zone %q", zone))
	}
	cut.Epoch = uint64(epoch)
	return cut, nil
}

// each calls do() for each row, which is a number and a record.
func each(ctx context.Context, tx pgx.Tx, statement string, zone int64, do func(n uint64, encoded []byte) error) error {
	rows, err := tx.Query(ctx, statement, zone)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		var encoded []byte
		if err := rows.Scan(&n, &encoded); err != nil {
			return err
		}
		if err := do(uint64(n), encoded); err != nil {
			return err
		}
	}
	return rows.Err()
}

// giveWayEvery is the number of owners between two calls to record.GiveWay.
const giveWayEvery = 256

// Commit implements [store.Store].
func (s *Store) Commit(ctx context.Context, b *store.Batch) error {
	if err := s.ready(ctx, b.Zone, true); err != nil {
		return err
	}
	if err := record.Prepare(b); err != nil {
		return err
	}
	ids, crcs, data := make([]int64, len(b.Owners)), make([]int64, len(b.Owners)), make([][]byte, len(b.Owners))
	var records []byte
	for k := range b.Owners {
		if k%giveWayEvery == 0 {
			record.GiveWay(ctx)
		}
		start := len(records)
		records = record.AppendOwner(records, b.Frame, &b.Owners[k])
		encoded := records[start:len(records):len(records)]
		ids[k], crcs[k], data[k] = int64(b.Owners[k].ID), int64(record.Checksum(encoded)), encoded
	}
	deleted := make([]int64, len(b.Deleted))
	for k, id := range b.Deleted {
		deleted[k] = int64(id)
	}
	commands := record.AppendCommands(nil, b.Frame, b.Commands)
	args := []any{
		b.Zone, int64(b.Epoch), int64(b.Since), int64(b.Frame), b.Whole, int64(b.Window), record.AppendHead(nil, &b.Head),
		ids, crcs, data, deleted, len(b.Commands), int64(record.Checksum(commands)), commands,
	}
	statement := s.commit
	if len(b.Moved)+len(b.Arrived) > 0 {
		statement, args = s.commitMoves, appendMoves(args, b)
	}
	_, err := s.pool.Exec(ctx, statement, args...)
	return s.failed(err)
}
