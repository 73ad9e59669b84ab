// Package exact computes with whole milliseconds and fractions, without rounding errors and
// overflows.
package exact
