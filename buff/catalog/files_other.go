//go:build !unix

package catalog

// noWait is nothing where files are never pipes.
const noWait = 0
