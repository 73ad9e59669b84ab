//go:build unix

package definition

import "syscall"

// noWait makes opening a pipe return immediately. It does not affect regular files.
const noWait = syscall.O_NONBLOCK
