// Package radix sorts whole numbers by counting. In a large game some hundred to some thousand deadlines are due in one
// instant, in no order: a sort that compares them mispredicts every second comparison, and takes 40 ns for each of 500 keys,
// where counting takes 5 (BenchmarkSort).
package radix
