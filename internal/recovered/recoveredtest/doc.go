// Package recoveredtest has the ways in which a function of the game does not return, for tests of what
// calls one.
package recoveredtest
