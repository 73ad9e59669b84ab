// Package gauge reads values of the machine for measurements: the processor time of the process
// and the current thread, the heap, the work of the garbage collector, and the versions of
// machine, Go and commit.
package gauge
