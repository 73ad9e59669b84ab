// Package scenario reads and plays scenario files: definitions of buffs, a script of steps, and the
// expected log. See the documentation of cmd/bufftick for the format.
package scenario
