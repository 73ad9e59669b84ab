//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package bolt

import (
	"errors"
	"os"
	"syscall"

	"github.com/bufftick/bufftick/store"
)

// lock acquires the same lock on the open file that bbolt acquires later, so that no other process
// writes while the pages are checked.
func lock(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return store.ErrLocked
	}
	return err
}

// unlock releases the lock.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// chown sets the owner of f to the owner of another file. Only root can give a file to another
// user.
func chown(f *os.File, as os.FileInfo) error {
	if stat, ok := as.Sys().(*syscall.Stat_t); ok && (int(stat.Uid) != os.Geteuid() || int(stat.Gid) != os.Getegid()) {
		return f.Chown(int(stat.Uid), int(stat.Gid))
	}
	return nil
}
