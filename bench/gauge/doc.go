// Package gauge reads values that measurements need: the processor time of the process and the
// current thread, the heap, the work of the garbage collector, and descriptions of the machine,
// the Go version and the commit.
package gauge
