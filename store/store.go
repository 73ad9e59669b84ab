package store

import (
	"context"

	"github.com/bufftick/bufftick/internal/snapshot"
)

// Store keeps the cuts of zones. Its methods may be called from any goroutine; the calls for
// one zone come one after the other. They wait for a disk or a server, so no loop calls them.
//
// An implementation makes its records by [AppendHead], [AppendOwner] and [AppendCommands], reads
// them by a [Reader], and passes storetest.Run.
type Store interface {
	// Open takes the zone and returns its last cut, whose Epoch is now the zone's: a higher one
	// than any before. From then on a Commit with an older one is refused. If nothing has been
	// committed the error is ErrEmpty, and the Cut is there all the same, with Zone and Epoch.
	//
	// It fails with ErrDamaged, ErrFuture, ErrLocked, ErrReadOnly, ErrName or ErrClosed, or with
	// what the context or the disk says; the zone is as it was then, and belongs to whom it did.
	Open(ctx context.Context, zone string) (*Cut, error)

	// Load returns the last cut of the zone and changes nothing. It fails as Open does, but not
	// with ErrReadOnly.
	Load(ctx context.Context, zone string) (*Cut, error)

	// Commit makes the next cut of the zone: Batch.Owners and Batch.Deleted change, the others
	// stay. When it has returned nil the cut is on disk. It may put the lists of the Batch in
	// another order, and keeps nothing of it. If it uses a processor for long, it calls GiveWay now and then.
	//
	// With ErrFenced, ErrLost, ErrElsewhere, ErrNoMoves, ErrTooLarge, ErrBatch, ErrName, ErrReadOnly and
	// ErrClosed nothing has changed. With any other error the cut may have become the zone's, or
	// not; the next Batch has the same Since, and all of this one in it.
	Commit(ctx context.Context, b *Batch) error

	// Close gives back what the store holds. It waits for calls that run; all later ones fail
	// with ErrClosed.
	Close() error
}

// GiveWay is for a Store's Commit, between two pieces of its work of some 100 µs of a processor: if the
// zone's Tick runs, it waits until that is over, so that the game has all processors for it. The
// context is that of the Commit; with any other one it does nothing. Only the goroutine that was given
// it may call it.
func GiveWay(ctx context.Context) {
	if c, ok := ctx.Value(wayKey{}).(snapshot.Maker); ok {
		c.GiveWay()
	}
}

// wayKey is that of the copies in the context of a Commit.
type wayKey struct{}
