package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	bbolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
)

// Options configures [Open]. A game uses the zero value.
type Options struct {
	// ReadOnly opens an existing file for Load only. Several processes may read a file at the same
	// time, unless a process has it open for writing.
	ReadOnly bool

	// noSync omits the syncs. It lets the power-loss tests check that they detect missing syncs.
	noSync bool
}

// Store stores zones in a file. Any goroutine may call its methods; calls are executed one at a
// time.
type Store struct {
	mu       sync.Mutex
	path     string
	absolute string      // absolute form of path
	db       *bbolt.DB   // nil if closed
	file     *os.File    // the file that db has opened
	identity os.FileInfo // identity of the open file, to detect its replacement
	opts     Options
	broken   error  // reason why later commits would not be safe, or nil
	stuck    bool   // bbolt panicked in a transaction and still holds its locks
	warning  string // result of Warning
	last     int    // ID of the last transaction that was written
	records  []byte // buffer for the records of a batch
}

var _ store.Mover = (*Store)(nil)

// layout is the version of the file's structure of buckets and keys.
const layout = 1

// lockWait is the time that bbolt may wait for the file lock. It is shorter than bbolt's pause
// between two attempts, so bbolt makes only one attempt.
const lockWait = time.Millisecond

// Open opens the file, or creates it. It fails with [store.ErrLocked] if another process has the
// file open, [store.ErrReadOnly] if this process is not allowed to write to the file, and
// [store.ErrDamaged], [store.ErrFuture] or [store.ErrForeign] if the file cannot be used. If Open
// fails, an existing file is unchanged.
func Open(path string, o Options) (*Store, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !o.ReadOnly {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("store/bolt: creating %s: %w", path, err)
		}
	}
	return openFile(path, o)
}

// openFile opens an existing file.
func openFile(path string, o Options) (*Store, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store/bolt: %s: %w", path, err)
	}
	s := &Store{path: path, absolute: absolute, opts: o}
	err = s.recovered(func() (err error) {
		s.db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			ReadOnly: o.ReadOnly, Timeout: lockWait, NoSync: o.noSync, FreelistType: bbolt.FreelistMapType,
			OpenFile: s.openChecked,
		})
		return err
	})
	if err == nil {
		_, err = s.transact(s.db.View, func(tx *bbolt.Tx) error {
			s.last = tx.ID()
			return checkLayout(tx)
		})
	}
	if err != nil {
		return nil, s.at(errors.Join(openError(err), s.close()))
	}
	return s, nil
}

// openChecked opens and locks the file, and checks its pages, before bbolt reads them.
func (s *Store) openChecked(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := s.openLocked(func() (*os.File, error) { return os.OpenFile(path, flag&^os.O_CREATE, mode) })
	if err != nil {
		return nil, err
	}
	if s.warning, err = checkPages(f, s.identity.Size()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s.file = f
	return f, nil
}

// openLocked opens and locks the file. If the file is replaced between the two steps, openLocked
// opens the new file.
func (s *Store) openLocked(open func() (*os.File, error)) (*os.File, error) {
	for {
		f, err := open()
		if err != nil {
			return nil, err
		}
		err = lock(f, !s.opts.ReadOnly)
		if err == nil {
			s.identity, err = f.Stat()
		}
		if err == nil {
			err = s.inPlace(0)
		}
		if err == nil {
			return f, nil
		}
		if err = errors.Join(err, f.Close()); !errors.Is(err, errReplaced) {
			return nil, err
		}
	}
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

// at adds the file and, if known, the remedy to an error.
func (s *Store) at(err error) error { return record.At(err, s.path, "") }

// Warning describes damage that Open has found and worked around. It returns "" if Open has found
// no damage.
func (s *Store) Warning() string { return s.warning }

// Open implements [store.Store].
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
		return nil, err
	}
	return cut, empty
}

// Load implements [store.Store].
func (s *Store) Load(ctx context.Context, zone string) (*store.Cut, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx, zone, false); err != nil {
		return nil, err
	}
	var cut *store.Cut
	_, err := s.transact(s.db.View, func(tx *bbolt.Tx) (err error) {
		cut, err = readZone(tx, zone)
		return err
	})
	if errors.Is(err, store.ErrEmpty) {
		return cut, err
	}
	return cut, s.at(err)
}

// Zones returns, in order, the names of all zones that have been opened or are the destination of
// an owner in transit.
func (s *Store) Zones() (names []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	_, err = s.transact(s.db.View, func(tx *bbolt.Tx) error {
		add := func(name []byte) error {
			names = append(names, string(name))
			return nil
		}
		if err := tx.Bucket(zonesBucket).ForEachBucket(add); err != nil {
			return err
		}
		if moves := tx.Bucket(transitBucket); moves != nil {
			return moves.ForEachBucket(add)
		}
		return nil
	})
	slices.Sort(names)
	return slices.Compact(names), s.at(err)
}

// Broken returns the reason why the store accepts no more commits, see [store.ErrBroken], or nil.
// The result does not change when the store is closed. Zones that share a file use it to reopen
// the file only once.
func (s *Store) Broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

// Commit implements [store.Store]. After a disk error other than a full disk, all further commits
// fail with [store.ErrBroken].
func (s *Store) Commit(ctx context.Context, b *store.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx, b.Zone, true); err != nil {
		return err
	}
	if err := record.Prepare(b); err != nil {
		return err
	}
	return s.update(func(tx *bbolt.Tx) error {
		w := writer{ctx: ctx, b: b, records: s.records[:0]}
		defer func() { s.records = w.records[:0] }()
		return w.apply(tx)
	})
}

func (s *Store) ready(ctx context.Context, zone string, write bool) error {
	if err := s.open(); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case write && s.opts.ReadOnly:
		return s.at(store.ErrReadOnly)
	case write && s.broken != nil:
		return isBroken(s.broken)
	}
	return store.CheckName(zone)
}

// open fails if no transaction can be started. A store that was closed because it is broken reports
// ErrBroken, so that each zone that shares the store reopens it.
func (s *Store) open() error {
	switch closed := s.db == nil; {
	case (closed || s.stuck) && s.broken != nil:
		return isBroken(s.broken)
	case closed:
		return store.ErrClosed
	}
	return nil
}

func isBroken(why error) error { return fmt.Errorf("%w: %w", store.ErrBroken, why) }

// update executes one read-write transaction. It succeeds only if the path still refers to the
// open file afterwards. An error that do() did not return comes from the disk. Such an error
// breaks the store, unless the disk is full, or a page is damaged and the transaction was rolled
// back.
func (s *Store) update(do func(*bbolt.Tx) error) error {
	number := 0
	answered, err := s.transact(s.db.Update, func(tx *bbolt.Tx) error {
		if number = tx.ID(); number <= s.last {
			return errOverwritten
		}
		if err := s.inPlace(tx.Size()); err != nil {
			return err
		}
		return do(tx)
	})
	if err == nil {
		s.last = number
		err = s.inPlace(0)
		answered = true
	}
	err = s.at(err)
	switch _, gone := errors.AsType[goneError](err); {
	case gone:
		s.broken = err
		return isBroken(err)
	case err == nil || answered, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
	case !errors.Is(err, store.ErrDamaged):
		s.broken = err
	}
	return err
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.close()
}

func (s *Store) close() error {
	db := s.db
	s.db = nil
	switch {
	case db == nil:
		if s.file != nil { // bbolt.Open failed; the file may already be closed
			_ = s.file.Close()
		}
		return nil
	case s.stuck: // db.Close would wait for its own locks; the mapping remains and would keep the file locked
		return errors.Join(unlock(s.file), s.file.Close())
	}
	return db.Close()
}
