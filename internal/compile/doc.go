// Package compile checks definitions and compiles them into the form that the rules execute: a
// [Program] for each definition, in a [Catalog] that numbers all names.
//
// [Build] does both. Files named check_*.go check one part of a definition each, and fill in its
// part of the Program.
package compile
