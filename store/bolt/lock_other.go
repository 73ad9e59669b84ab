//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package bolt

import "os"

// lock does nothing: bbolt locks the file after its pages have been checked. Opening a file
// that another process is writing may therefore report damage instead of ErrLocked.
func lock(*os.File, bool) error { return nil }

// unlock does nothing: the lock ends with the process, because only bbolt knows how it has
// locked the file.
func unlock(*os.File) error { return nil }

// chown leaves a file with the owner of the process.
func chown(*os.File, os.FileInfo) error { return nil }
