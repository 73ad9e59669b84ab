// Package gauge reads what a measurement needs to know about the machine: the processor
// time of the process and of the running thread, the heap, the work of the garbage
// collector, and which machine, Go and commit it was.
package gauge
