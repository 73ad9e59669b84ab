// Package exact computes with whole milliseconds and fractions in integer arithmetic. Results are
// exact, or rounded as documented, and never overflow.
package exact
