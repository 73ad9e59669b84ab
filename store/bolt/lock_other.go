//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package bolt

import "os"

// lock does nothing. The pages of the file are checked without a lock; bbolt locks the file later,
// when it opens it. Opening a file that another process is writing may therefore report damage
// instead of ErrLocked.
func lock(*os.File, bool) error { return nil }

// unlock does nothing, because only bbolt knows how it has locked the file. The lock ends with
// the process.
func unlock(*os.File) error { return nil }

// chown leaves a file with the owner of the process.
func chown(*os.File, os.FileInfo) error { return nil }
