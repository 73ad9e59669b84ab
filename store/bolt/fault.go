package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"

	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/store"
)

// goneError means that the open file is no longer at its path, or was truncated or overwritten,
// so that later writes would be lost.
type goneError string

func (e goneError) Error() string { return string(e) }

const (
	errRemoved     goneError = "the file has been removed or renamed"
	errReplaced    goneError = "another file is at its path"
	errOverwritten goneError = "the file has been overwritten with an older one"
	errTruncated   goneError = "the file has been truncated"
)

// inPlace fails unless the path refers to the open file and the file has at least size bytes. It
// takes about 3 µs.
func (s *Store) inPlace(size int64) error {
	switch now, err := os.Stat(s.absolute); {
	case errors.Is(err, fs.ErrNotExist):
		return errRemoved
	case err != nil:
		return err
	case !os.SameFile(now, s.identity):
		return errReplaced
	case now.Size() < size:
		return fmt.Errorf("%w: it has %d bytes and needs %d", errTruncated, now.Size(), size)
	}
	return nil
}

// transact executes one transaction. If do() panics because a page is malformed or unreadable, the
// transaction is rolled back and the error is a [store.DamageError]. Other zones are not affected.
// If bbolt panics outside do() before it has ended the transaction, it never releases its locks,
// and every further call would block forever. The store is then marked as stuck and broken.
// answered reports whether do() returned err.
func (s *Store) transact(begin func(func(*bbolt.Tx) error) error, do func(*bbolt.Tx) error) (answered bool, err error) {
	var tx *bbolt.Tx
	returned := false
	err = s.recovered(func() error {
		err := begin(func(t *bbolt.Tx) error {
			tx = t
			err := s.recovered(func() error { return do(t) })
			answered = err != nil
			return err
		})
		returned = true
		return err
	})
	if !returned && (tx == nil || tx.DB() != nil) {
		s.stuck, s.broken = true, s.at(err)
	}
	return answered, err
}

// recovered calls do(), and returns a panic as an error. bbolt panics if a page is malformed. The
// runtime panics if a page of the mapped file is unreadable, which without SetPanicOnFault would
// end the process with SIGBUS.
func (s *Store) recovered(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = &store.DamageError{
				Place:   s.pageAt(r.Addr()),
				Problem: "it cannot be read: the disk failed, or the file has been truncated",
			}
		default:
			err = &store.DamageError{Place: "a page", Problem: fmt.Sprint(r)}
		}
	}()
	return do()
}

// pageAt names the page that is mapped at an address. It recovers from panics, because db.Info
// reads the first page, which may also be unreadable.
func (s *Store) pageAt(address uintptr) (place string) {
	defer func() {
		if recover() != nil {
			place = "a page"
		}
	}()
	info := s.db.Info()
	return fmt.Sprintf("page %d", (address-info.Data)/uintptr(info.PageSize))
}
