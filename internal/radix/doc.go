// Package radix sorts integers by counting. In a large game hundreds to thousands of deadlines
// are due at the same instant, in no order. A comparison sort mispredicts every second
// comparison and takes 40 ns for each of 500 keys; counting takes 5 ns (BenchmarkSort).
package radix
