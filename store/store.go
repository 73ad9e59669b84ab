package store

import "context"

// Store keeps the cuts of zones. Its methods are safe for concurrent use, but calls for one
// zone are never concurrent. They wait for a disk or a server, so the loop must not call them.
//
// An implementation uses the helpers of package store/record and must pass storetest.Run.
type Store interface {
	// Open acquires the zone and returns its last cut. The Epoch of the cut is the zone's new
	// epoch, higher than all earlier epochs. From then on, every Commit with an older epoch is
	// refused. If nothing has been committed yet, the error is ErrEmpty, and the returned Cut has
	// only Zone and Epoch.
	//
	// Open returns ErrDamaged, ErrFuture, ErrLocked, ErrReadOnly, ErrName, ErrClosed, or an error
	// of the context or the disk. After an error the zone is unchanged and still belongs to its
	// previous writer.
	Open(ctx context.Context, zone string) (*Cut, error)

	// Load returns the last cut of the zone and changes nothing. It returns the same errors as
	// Open, except ErrReadOnly.
	Load(ctx context.Context, zone string) (*Cut, error)

	// Commit makes the next cut of the zone: it applies Batch.Owners and Batch.Deleted and keeps
	// all other owners. When it returns nil, the cut is on disk. Commit may reorder the lists of
	// the Batch but must not retain any part of it. An implementation that uses much processor
	// time must call record.GiveWay from time to time.
	//
	// After ErrFenced, ErrLost, ErrElsewhere, ErrNoMoves, ErrTooLarge, ErrBatch, ErrName,
	// ErrReadOnly and ErrClosed the zone is unchanged. After any other error the cut may or may
	// not have been kept; the next Batch then has the same Since and also contains the changes of
	// this Batch.
	Commit(ctx context.Context, b *Batch) error

	// Close releases the store's resources. It waits for running calls; later calls return
	// ErrClosed.
	Close() error
}
