package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/store"
)

// compactBatch is the number of bytes of keys and values that Compact copies in one transaction.
const compactBatch = 64 << 20

// Compact rewrites a file without its free pages, and returns its size before and after. If the
// new file would not be smaller, the old file is kept. The file must not be open in any process,
// and the disk needs room for both files.
//
// The new file is written next to the old file, as FILE.compact. It is compared with the old file
// and synced before it is renamed. So even if the process is killed, there is a complete file at
// the path. There may also be a FILE.compact, which the next Compact removes.
//
// It returns the errors of [Open], and [store.ErrDamaged] if a zone cannot be read. After an error
// the file is unchanged.
func Compact(path string) (before, after int64, err error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return 0, 0, fmt.Errorf("store/bolt: %w", err)
	}
	s, err := openFile(real, Options{}) // keeps the file locked until the new file is at its path
	if err != nil {
		return 0, 0, err
	}
	before = s.identity.Size()
	defer func() { err = s.at(errors.Join(err, s.Close())) }()
	if err := s.readAll(); err != nil {
		return before, before, err
	}
	temp := real + ".compact"
	defer os.Remove(temp)
	if err := os.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return before, before, err
	}
	if err := s.copyTo(temp); err != nil {
		return before, before, err
	}
	after, err = finish(temp, s.identity)
	if err != nil || after >= before {
		return before, before, err
	}
	if err := s.inPlace(0); err != nil {
		return before, before, err
	}
	if runtime.GOOS == "windows" { // Windows cannot rename a file to the path of an open file
		if err := s.Close(); err != nil {
			return before, before, err
		}
	}
	if err := os.Rename(temp, real); err != nil {
		return before, before, err
	}
	return before, after, syncFolder(filepath.Dir(real))
}

// readAll checks that all zones can be read.
func (s *Store) readAll() error {
	zones, err := s.Zones()
	for _, zone := range zones {
		if _, err := s.Load(context.Background(), zone); err != nil && !errors.Is(err, store.ErrEmpty) {
			return err
		}
	}
	return err
}

// copyTo copies the contents of the file to a new file, and compares both files.
func (s *Store) copyTo(temp string) error {
	dst, err := bbolt.Open(temp, 0o600, &bbolt.Options{Timeout: lockWait, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	err = s.recovered(func() error { return bbolt.Compact(dst, s.db, compactBatch) })
	if err == nil {
		_, err = s.transact(s.db.View, func(from *bbolt.Tx) error {
			return dst.View(func(to *bbolt.Tx) error { return sameBuckets(from.Cursor(), to.Cursor()) })
		})
	}
	return errors.Join(err, dst.Close())
}

// sameBuckets compares the keys, values and buckets below two cursors.
func sameBuckets(a, b *bbolt.Cursor) error {
	ka, va := a.First()
	kb, vb := b.First()
	for ; ka != nil || kb != nil; ka, va = a.Next() {
		if !bytes.Equal(ka, kb) || !bytes.Equal(va, vb) || (va == nil) != (vb == nil) {
			return &store.DamageError{Place: fmt.Sprintf("key %q of the new file", ka), Problem: "it differs from the old file"}
		}
		if ka != nil && va == nil {
			if err := sameBuckets(a.Bucket().Bucket(ka).Cursor(), b.Bucket().Bucket(kb).Cursor()); err != nil {
				return err
			}
		}
		kb, vb = b.Next()
	}
	return nil
}

// finish checks the new file, removes the pages that bbolt has reserved at its end, copies the
// owner and the permissions of the old file, and syncs the new file.
func finish(temp string, old os.FileInfo) (size int64, err error) {
	s, err := openFile(temp, Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	_, err = s.transact(s.db.View, func(tx *bbolt.Tx) error { size = tx.Size(); return nil })
	if err := errors.Join(err, s.Close()); err != nil {
		return 0, err
	}
	f, err := os.OpenFile(temp, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	return size, errors.Join(f.Truncate(size), chown(f, old), f.Chmod(old.Mode().Perm()), f.Sync(), f.Close())
}
