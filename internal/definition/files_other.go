//go:build !unix

package definition

// noWait is nothing where files are never pipes.
const noWait = 0
