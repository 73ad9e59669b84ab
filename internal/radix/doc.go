// Package radix sorts whole numbers. What is due in one instant of a large game is some hundred to some thousand deadlines in no order at
// all, and a sort that compares them guesses wrong at each second comparison: 40 ns for each of 500, where counting takes 5 (BenchmarkSort).
// What came in groups, one behind the other, is put in order group by group.
package radix
