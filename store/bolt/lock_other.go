//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package bolt

import "os"

// lock leaves it to bbolt, which locks the file once its pages have been looked at: who opens a
// file that is being written to may be told that it is damaged, where ErrLocked is meant.
func lock(*os.File, bool) error { return nil }

// unlock leaves it to the end of the process: only bbolt knows how it has locked the file.
func unlock(*os.File) error { return nil }

// chown leaves a file with the owner of the process.
func chown(*os.File, os.FileInfo) error { return nil }
