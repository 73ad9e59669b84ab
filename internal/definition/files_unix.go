//go:build unix

package definition

import "syscall"

// noWait is what makes opening a pipe return at once. Reading a file does not change by it.
const noWait = syscall.O_NONBLOCK
