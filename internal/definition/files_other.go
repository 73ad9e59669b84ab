//go:build !unix

package definition

// noWait is not needed where files are never pipes.
const noWait = 0
