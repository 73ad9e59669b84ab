//go:build !unix

package definition

// noWait is 0 on systems on which a file is never a pipe.
const noWait = 0
