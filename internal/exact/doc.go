// Package exact is arithmetic with whole milliseconds and fractions, without rounding errors and
// overflows.
package exact
