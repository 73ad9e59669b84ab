package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	bbolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/bufftick/bufftick/store"
)

// Options say how a file is opened. The zero value is for a game.
type Options struct {
	// ReadOnly opens a file to Load from, which must be there. Others may do so too, while
	// nobody has it open to write.
	ReadOnly bool

	// noSync leaves out the syncs: the control of the tests of power loss.
	noSync bool
}

// Store keeps zones in a file. Any goroutine may call its methods; one at a time does something.
type Store struct {
	mu      sync.Mutex
	path    string
	db      *bbolt.DB // nil: closed
	opts    Options
	broken  error  // why no later commit can be trusted
	warning string // of the file as it was opened
	records []byte // memory for those of a batch
}

var _ store.Store = (*Store)(nil)

// layout is the version of what is where in the file.
const layout = 1

// lockWait is less than bbolt's pause between two attempts, so that it makes one.
const lockWait = time.Millisecond

// Open opens the file, or makes it if there is none. It fails with [store.ErrLocked] if another
// process has it open, [store.ErrReadOnly] if this one may not write to it, [store.ErrDamaged],
// [store.ErrFuture] or [store.ErrForeign] if it cannot be used. A file that is there has not been
// changed when Open fails.
func Open(path string, o Options) (*Store, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !o.ReadOnly {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("store/bolt: making %s: %w", path, err)
		}
	}
	s := &Store{path: path, opts: o}
	err := recovered(func() (err error) {
		s.db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			ReadOnly: o.ReadOnly, Timeout: lockWait, NoSync: o.noSync, FreelistType: bbolt.FreelistMapType,
			OpenFile: s.openFile,
		})
		return err
	})
	if err == nil {
		err = recovered(func() error { return s.db.View(checkLayout) })
	}
	if err != nil {
		if s.db != nil {
			err = errors.Join(err, s.db.Close())
		}
		return nil, s.at(openError(err))
	}
	return s, nil
}

// openFile opens and locks the file, and sees that it is sound, before bbolt looks at it.
func (s *Store) openFile(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag&^os.O_CREATE, mode)
	if err != nil {
		return nil, err
	}
	if err := lock(f, !s.opts.ReadOnly); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	info, err := f.Stat()
	if err == nil {
		s.warning, err = checkPages(f, info.Size())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func openError(err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return store.ErrLocked
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %w", store.ErrReadOnly, err)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum):
		return &store.DamageError{Place: "page 0", Problem: err.Error()}
	}
	return err
}

// at names the file in an error, and says what to do.
func (s *Store) at(err error) error { return store.At(err, s.path, "") }

// recovered turns a panic of bbolt, over a page that makes no sense, into an error.
func recovered(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &store.DamageError{Place: "a page", Problem: fmt.Sprint(r)}
		}
	}()
	return do()
}

// Warning says what was wrong with the file when it was opened and did not keep it from being
// used, or is "".
func (s *Store) Warning() string { return s.warning }

// Open is that of [store.Store].
func (s *Store) Open(ctx context.Context, zone string) (*store.Cut, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx, zone, true); err != nil {
		return nil, err
	}
	var cut *store.Cut
	var empty error
	err := s.update(func(tx *bbolt.Tx) (err error) {
		cut, err = readZone(tx, zone)
		if err != nil && !errors.Is(err, store.ErrEmpty) {
			return err
		}
		empty = err
		cut.Epoch++
		return setEpoch(tx, zone, cut.Epoch)
	})
	if err != nil {
		return nil, s.at(err)
	}
	return cut, empty
}

// Load is that of [store.Store].
func (s *Store) Load(ctx context.Context, zone string) (*store.Cut, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx, zone, false); err != nil {
		return nil, err
	}
	var cut *store.Cut
	err := recovered(func() error {
		return s.db.View(func(tx *bbolt.Tx) (err error) {
			cut, err = readZone(tx, zone)
			return err
		})
	})
	if errors.Is(err, store.ErrEmpty) {
		return cut, err
	}
	return cut, s.at(err)
}

// Zones returns the names of all zones that have been opened, in order.
func (s *Store) Zones() (names []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil, store.ErrClosed
	}
	err = recovered(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			return tx.Bucket(zonesBucket).ForEachBucket(func(name []byte) error {
				names = append(names, string(name))
				return nil
			})
		})
	})
	return names, s.at(err)
}

// Commit is that of [store.Store]. After an error of the disk that is not for want of room, each
// further one fails with [store.ErrBroken].
func (s *Store) Commit(ctx context.Context, b *store.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx, b.Zone, true); err != nil {
		return err
	}
	if err := b.Prepare(); err != nil {
		return err
	}
	if len(b.Moved)+len(b.Arrived) > 0 {
		return s.at(store.ErrNoMoves)
	}
	return s.at(s.update(func(tx *bbolt.Tx) error {
		w := writer{ctx: ctx, b: b, records: s.records[:0]}
		defer func() { s.records = w.records[:0] }()
		return w.apply(tx)
	}))
}

func (s *Store) ready(ctx context.Context, zone string, write bool) error {
	switch {
	case s.db == nil:
		return store.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case write && s.opts.ReadOnly:
		return s.at(store.ErrReadOnly)
	case write && s.broken != nil:
		return s.at(fmt.Errorf("%w: %w", store.ErrBroken, s.broken))
	}
	return store.CheckName(zone)
}

// update makes one transaction. An error of do is an answer; one of bbolt beside it comes from
// the disk.
func (s *Store) update(do func(*bbolt.Tx) error) error {
	var answer error
	err := recovered(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			answer = do(tx)
			return answer
		})
	})
	if err != nil && answer == nil && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		s.broken = err
	}
	return err
}

// Close is that of [store.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	db := s.db
	s.db = nil
	return db.Close()
}
